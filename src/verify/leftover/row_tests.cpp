#include "verify/leftover/row_tests.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "verify/leftover/features.hpp"
#include "verify/leftover/tails.hpp"

namespace relucover {

namespace {

constexpr Index few_draws = 200;

/// |mean of the first m rows|² m for each m of `counts`.
Vector hotelling(const Matrix& z, const std::vector<Index>& rows, const std::vector<Index>& counts) {
  Vector values(static_cast<Index>(counts.size()));
  Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(z.cols());
  Index added = 0;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    for (; added < counts[k]; ++added) sum += z.row(rows[static_cast<std::size_t>(added)]);
    values[static_cast<Index>(k)] = sum.squaredNorm() / static_cast<double>(counts[k]);
  }
  return values;
}

double mean_place(const Matrix& z, const std::vector<Index>& order, const std::vector<Index>& counts, RandomStream& random) {
  const Vector seen = hotelling(z, order, counts);
  const auto least_chance = [&](Index times) {
    Matrix chance(times, seen.size());
    for (Index k = 0; k < times; ++k) chance.row(k) = hotelling(z, random_rows(z.rows(), counts.back(), random), counts).transpose();
    double least = 1;
    for (Index k = 0; k < seen.size(); ++k) least = std::min(least, tail_of_draws(chance.col(k), seen[k]));
    return least;
  };
  // A few rows of inputs with heavy tails have means that no smooth curve through 200 draws foresees.
  constexpr double doubtful = 5e-3;
  constexpr Index many_draws = 5000;
  const double least = least_chance(few_draws);
  return least < doubtful && least > 1e-12 ? least_chance(many_draws) : least;
}

double kink_place(const Vector& nearness, const std::vector<Index>& order, const std::vector<Index>& counts) {
  double least = 1, sum = 0;
  Index added = 0;
  for (const Index m : counts) {
    for (; added < m; ++added) sum -= std::log(nearness[order[static_cast<std::size_t>(added)]]);
    least = std::min(least, erlang_tail(m, sum));
  }
  return least;
}

double neighbour_place(const Matrix& z, const std::vector<Index>& order, const std::vector<Index>& counts) {
  constexpr Index most = 400, few = 8;
  Index largest = 0;
  for (const Index m : counts)
    if (m >= 2 && m <= most && few * m <= z.rows()) largest = std::max(largest, m);
  if (largest == 0) return 1;
  const Vector squares = z.rowwise().squaredNorm();
  std::vector<Index> place(static_cast<std::size_t>(z.rows()), z.rows());  // of a row in `order`
  for (Index i = 0; i < largest; ++i) place[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])] = i;
  std::vector<Index> neighbour_place(static_cast<std::size_t>(largest));
  for (Index i = 0; i < largest; ++i) {
    const Index row = order[static_cast<std::size_t>(i)];
    Vector distance = squares - 2 * (z * z.row(row).transpose());
    distance[row] = std::numeric_limits<double>::infinity();
    Index nearest = 0;
    distance.minCoeff(&nearest);
    neighbour_place[static_cast<std::size_t>(i)] = place[static_cast<std::size_t>(nearest)];
  }
  double least = 1;
  for (const Index m : counts) {
    if (m < 2 || m > largest) continue;
    Index hits = 0;
    for (Index i = 0; i < m; ++i) hits += neighbour_place[static_cast<std::size_t>(i)] < m;
    // Two rows can be each other's neighbours: a pair counts once.
    least = std::min(least, binomial_tail(m, static_cast<double>(m - 1) / static_cast<double>(z.rows() - 1), (hits + 1) / 2));
  }
  return least;
}

}  // namespace

RowPlaces places_of_rows(const Matrix& z, const Vector& nearness, const std::vector<Index>& order, const std::vector<Index>& counts,
                         RandomStream& random) {
  RowPlaces places;
  if (counts.empty()) return places;
  // The sets are nested: about half of them count as tests of their own.
  const double tests = 0.5 * static_cast<double>(counts.size()) + 0.5;
  if (z.cols() > 0) {
    places.mean = std::min(1.0, tests * mean_place(z, order, counts, random));
    places.neighbours = std::min(1.0, tests * neighbour_place(z, order, counts));
  }
  if (nearness.size() > 0) places.kink = std::min(1.0, tests * kink_place(nearness, order, counts));
  return places;
}

double mask_depends_on_inputs(const Matrix& mask, const Judged& answer, RandomStream& random) {
  Matrix features(answer.rows(), answer.tangent.cols() + answer.z.cols());
  features << answer.tangent, answer.z.cwiseAbs();
  features = spanning_basis(std::move(features));
  features = features.rowwise() - features.colwise().mean();
  if (features.cols() < features.rows()) features = spanning_basis(std::move(features));
  Matrix centred = mask.rowwise() - mask.colwise().mean();
  for (auto column : centred.colwise()) {
    const double deviation = std::sqrt(column.squaredNorm() / static_cast<double>(mask.rows()));
    column /= deviation > 0 ? deviation : 1;
  }
  const double seen = (features.transpose() * centred).squaredNorm();
  Vector chance(few_draws);
  for (Index k = 0; k < few_draws; ++k) {
    const auto rows = random_rows(mask.rows(), mask.rows(), random);
    chance[k] = (features.transpose() * centred(rows, Eigen::all)).squaredNorm();
  }
  return tail_of_draws(chance, seen);
}

}  // namespace relucover
