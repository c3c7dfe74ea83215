#include "verify/leftover/flat_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/linear_algebra.hpp"
#include "verify/leftover/features.hpp"
#include "verify/leftover/tails.hpp"

namespace relucover {

namespace {

/// Bad rows, and others to compare them with.
struct Field {
  const Matrix& z;
  Index planes;  // tried for each set of rows
};

struct FlatPlane {
  Vector normal;
  double at = 0;
};

/// The plane closest to these rows.
FlatPlane plane_of(const Matrix& z, const std::vector<Index>& rows) {
  Matrix some = z(rows, Eigen::all);
  const Eigen::RowVectorXd mean = some.colwise().mean();
  some.rowwise() -= mean;
  FlatPlane plane;
  plane.normal = z.cols() == 1 ? Vector(Vector::Ones(1)) : Vector(symmetric_eigen(some.transpose() * some).vectors.col(0));
  const Vector heights = some * plane.normal;
  plane.at = mean.dot(plane.normal) + (heights.maxCoeff() + heights.minCoeff()) / 2;
  return plane;
}

/// How surprising the bad rows next to a plane are: Chernoff's bound on the chance of as many among the rows as close to it, in
/// logarithms; `spent` of them lie there because the plane was laid through them.
struct Surprise {
  double value = 0;
  Index rows = 0;  // the bad rows next to the plane that make it
};
Surprise surprise_of(const Vector& distance, const std::vector<Index>& bad, std::vector<std::pair<double, Index>>& sorted, Index spent) {
  sorted.clear();
  for (const Index row : bad) sorted.emplace_back(distance[row], row);
  std::sort(sorted.begin(), sorted.end());
  const double furthest = sorted.back().first, bins = static_cast<double>(sorted.size());
  // Where to begin looking for a distance among the sorted ones: as many bins as there are of these.
  const auto bin_of = [scale = bins / std::max(furthest, 1e-300), last = bins - 1](double d) {
    return static_cast<std::size_t>(std::min(d * scale, last));
  };
  std::vector<std::uint32_t> from(sorted.size() + 1, 0), within(sorted.size() + 1, 0);
  for (const auto& [d, row] : sorted) ++from[bin_of(d) + 1];
  for (std::size_t bin = 1; bin < from.size(); ++bin) from[bin] += from[bin - 1];
  for (const double d : distance) {
    if (d > furthest) continue;
    std::size_t place = from[bin_of(d)];
    while (sorted[place].first < d) ++place;
    ++within[place];
  }
  const auto m = static_cast<Index>(bad.size());
  const double rate = static_cast<double>(m - spent) / static_cast<double>(distance.size() - spent);
  Surprise best;
  Index inside = 0;
  for (Index j = 1; j <= m; ++j) {
    inside += within[static_cast<std::size_t>(j - 1)];
    if (j <= spent + 1 || (j < m && sorted[static_cast<std::size_t>(j)].first == sorted[static_cast<std::size_t>(j - 1)].first)) continue;
    const double hits = static_cast<double>(j - spent), trials = static_cast<double>(std::max(inside, j) - spent);
    const double share = hits / trials;
    if (share <= rate) continue;
    const double value = hits * std::log(share / rate) + (share < 1 ? (trials - hits) * std::log((1 - share) / (1 - rate)) : 0);
    if (value > best.value) best = {value, j};
  }
  return best;
}

double flattest(const Field& field, const std::vector<Index>& bad, RandomStream& random) {
  const Index d = field.z.cols();
  std::vector<std::pair<double, Index>> sorted, kept;
  double best = 0;
  const auto look = [&](const FlatPlane& plane) {
    const Vector distance = ((field.z * plane.normal).array() - plane.at).abs();
    const Surprise seen = surprise_of(distance, bad, sorted, d);
    if (seen.value <= best) return false;
    best = seen.value;
    kept.assign(sorted.begin(), sorted.begin() + seen.rows);
    return true;
  };
  for (Index k = 0; k < field.planes; ++k) {
    std::vector<Index> through;
    for (const Index i :
         random_rows(static_cast<Index>(bad.size()), std::min<Index>(static_cast<Index>(bad.size()), d == 1 ? 1 : d), random))
      through.push_back(bad[static_cast<std::size_t>(i)]);
    look(plane_of(field.z, through));
  }
  constexpr int steps = 4;
  for (int step = 0; step<steps&& static_cast<Index>(kept.size())> d; ++step) {
    std::vector<Index> close;
    for (const auto& [distance, row] : kept) close.push_back(row);
    if (!look(plane_of(field.z, close))) break;
  }
  return best;
}

/// The largest surprise over the first rows of an order, all of them and those of the more frequent sign.
double flattest_of_sets(const Field& field, const std::vector<Index>& order, const std::vector<Index>& counts, const Vector& sign,
                        RandomStream& random) {
  double best = 0;
  const Index fewest = field.z.cols() + 3;
  for (const Index m : counts) {
    std::vector<Index> all(order.begin(), order.begin() + m), up, down;
    for (const Index row : all) (sign[row] > 0 ? up : down).push_back(row);
    const auto& most_alike = up.size() > down.size() ? up : down;
    best = std::max(best, flattest(field, all, random));
    if (const auto alike = static_cast<Index>(most_alike.size()); alike >= fewest && 8 * alike < 7 * m)
      best = std::max(best, flattest(field, most_alike, random));
  }
  return best;
}

}  // namespace

double rows_lie_flat(const Matrix& z, const std::vector<Index>& order, Index most, const Vector& sign, RandomStream& random) {
  constexpr Index compared = 400, few_draws = 20, many_draws = 150, most_inputs = 40;
  constexpr double doubtful = 0.05;
  const Index d = z.cols();
  most = std::min(most, compared / 2);
  if (d == 0 || d > most_inputs || most < d + 3 || most > z.rows() / 2) return 1;
  // All bad rows and some others: among these the bad ones are as random as among all.
  std::vector<Index> rows(order.begin(), order.begin() + most);
  for (const Index i : random_rows(z.rows() - most, std::min(z.rows() - most, std::max(compared, 2 * most)), random))
    rows.push_back(order[static_cast<std::size_t>(most + i)]);
  const Matrix some = z(rows, Eigen::all);
  const Vector signs = sign(rows);
  const Field field{some, std::clamp<Index>(240 / d, 8, 60)};
  const std::vector<Index> counts = growing_counts(d + 3, most, 2.5, true);
  std::vector<Index> as_is(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) as_is[i] = static_cast<Index>(i);
  const double seen = flattest_of_sets(field, as_is, counts, signs, random);
  // Signs go with the place in the order, so that sets of one sign are as large as those seen.
  const auto chance_of = [&](Index draws) {
    Vector chance(draws);
    for (Index k = 0; k < draws; ++k) {
      const auto drawn = random_rows(some.rows(), some.rows(), random);
      Vector carried(some.rows());
      for (Index i = 0; i < some.rows(); ++i) carried[drawn[static_cast<std::size_t>(i)]] = signs[i];
      chance[k] = flattest_of_sets(field, drawn, counts, carried, random);
    }
    return tail_of_maxima(chance, seen);
  };
  const double chance = chance_of(few_draws);
  return chance < doubtful ? chance_of(many_draws) : chance;
}

}  // namespace relucover
