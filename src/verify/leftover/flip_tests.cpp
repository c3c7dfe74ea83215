#include "verify/leftover/flip_tests.hpp"

#include <algorithm>
#include <cmath>

#include "verify/leftover/features.hpp"
#include "verify/leftover/flipped_scores.hpp"
#include "verify/leftover/tails.hpp"

namespace relucover {

namespace {

constexpr Index flips = 200, many_flips = 1500;
// What so few flips already show to be nothing unusual is not looked at with more: from there to the level is far.
constexpr Index first_flips = 20;
constexpr double ordinary = 0.3;

/// Directions that hats are tilted along: the inputs' own, or where these are many a few random ones.
Matrix tilts(const Matrix& z, RandomStream& random) {
  constexpr Index most = 10;
  if (z.cols() <= most) return z;
  return z * random_orthonormal(z.cols(), most, random);
}

}  // namespace

double not_an_optimum(const Matrix& residual, const Matrix& basis, RandomStream& random) {
  const double seen = (basis.transpose() * residual).squaredNorm();
  const auto draws = [&](Index count) {
    const Matrix signs = random_signs(residual.rows(), count, random);
    Vector chance = Vector::Zero(count);
    for (const auto& output : residual.colwise()) {
      const Matrix flipped = output.asDiagonal() * signs;
      chance += (basis.transpose() * flipped).colwise().squaredNorm().transpose();
    }
    return chance;
  };
  if (const double chance = tail_of_draws(draws(first_flips), seen); chance > ordinary) return chance;
  return tail_of_draws(draws(flips), seen);
}

double shapes_at_kinks(const Matrix& residual, const Matrix& t, const Matrix& z, const Matrix& basis, RandomStream& random,
                       const Control& control) {
  constexpr Index fewest = 6, enough_to_tilt = 25;
  const Index n = t.rows();
  const Matrix tilt = tilts(z, random);
  const auto shapes = [&](Index unit) {
    const Vector distance = t.col(unit).cwiseAbs();
    const auto nearest = order_of(distance);
    struct Hat {
      Index rows;
      double width;
      bool tilted;
    };
    std::vector<Hat> hats;
    Index count = 0;
    for (const Index m : growing_counts(fewest, n / 3, 1.8)) {
      const double width = distance[nearest[static_cast<std::size_t>(std::min(m, n - 1))]];
      if (!(width > 0)) continue;
      hats.push_back({std::min(m, n - 1), width, m >= enough_to_tilt});
      count += 2 + (hats.back().tilted ? tilt.cols() : 0);
    }
    // Beyond its rows a hat is zero.
    Matrix features = Matrix::Zero(n, count);
    Index column = 0;
    for (const Hat& hat : hats) {
      Vector height(hat.rows);
      for (Index k = 0; k < hat.rows; ++k) height[k] = 1 - distance[nearest[static_cast<std::size_t>(k)]] / hat.width;
      const auto write = [&](const auto& factor) {
        for (Index k = 0; k < hat.rows; ++k) {
          const Index row = nearest[static_cast<std::size_t>(k)];
          features(row, column) = height[k] * factor(row);
        }
        ++column;
      };
      write([](Index) { return 1.0; });
      write([&](Index row) { return t(row, unit) > 0 ? 1.0 : (t(row, unit) < 0 ? -1.0 : 0.0); });
      for (Index j = 0; j < tilt.cols() && hat.tilted; ++j) write([&](Index row) { return tilt(row, j); });
    }
    return features;
  };
  return chance_of_best(residual, basis, t.cols(), shapes, flips, random, control);
}

double bumps_at_kinks(const Matrix& studentised, const Matrix& t, RandomStream& random, const Control& control) {
  constexpr Index fewest = 2, most = 60;
  constexpr double bound = 6;
  const Index n = t.rows();
  Matrix values = studentised.cwiseMin(bound).cwiseMax(-bound);
  values.rowwise() -= values.colwise().mean().eval();
  // Rows by their distance from each kink, on both sides: a bump is their mean, a step the difference of the sides.
  std::vector<std::vector<Index>> nearest;
  for (const auto& unit : t.colwise()) {
    const auto order = order_of(unit.cwiseAbs());
    nearest.emplace_back(order.begin(), order.begin() + std::min<Index>(most, n / 3));
  }
  const auto largest = [&](const std::vector<Index>& place) {
    double best = 0;
    for (std::size_t i = 0; i < nearest.size(); ++i) {
      Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(values.cols()), difference = sum;
      Index added = 0;
      for (const Index m : growing_counts(fewest, static_cast<Index>(nearest[i].size()), 1.4)) {
        for (; added < m; ++added) {
          const Index row = nearest[i][static_cast<std::size_t>(added)];
          const auto value = values.row(place.empty() ? row : place[static_cast<std::size_t>(row)]);
          sum += value;
          difference += (t(row, static_cast<Index>(i)) > 0 ? 1.0 : -1.0) * value;
        }
        best = std::max({best, sum.squaredNorm() / static_cast<double>(m), difference.squaredNorm() / static_cast<double>(m)});
      }
    }
    return best;
  };
  if (nearest.empty() || nearest.front().size() < 2) return 1;
  const double seen = largest({});
  const auto draws = [&](Index count) {
    Vector chance(count);
    for (Index k = 0; k < count; ++k) {
      control.check();
      chance[k] = largest(random_rows(n, n, random));
    }
    return chance;
  };
  if (const double chance = tail_of_maxima(draws(first_flips), seen); chance > ordinary) return chance;
  return tail_of_maxima(draws(flips), seen);
}

namespace {

/// Chance of rᵀ K r for one set of flips: the least over kernels of three widths.
double kernel_chance(const Matrix& residual, const Matrix& distances, const std::vector<Index>& rows, const Matrix& basis, Index inputs,
                     Index draws, RandomStream& random) {
  constexpr double widths[] = {0.1, 0.3, 1.0};  // squared, for each input
  const Matrix basis_rows = basis(rows, Eigen::all), signs = random_signs(residual.rows(), draws, random);
  // What flipped residuals have along the answer's own functions a fit would take away.
  const auto seen = [&](const Matrix& r) { return Matrix(r(rows, Eigen::all) - basis_rows * (basis.transpose() * r)); };
  std::vector<Matrix> flipped;
  for (const auto& output : residual.colwise()) flipped.push_back(seen(output.asDiagonal() * signs));
  const Matrix as_is = seen(residual);
  double least = 1;
  for (const double width : widths) {
    const Matrix kernel = (-distances / (2 * width * static_cast<double>(inputs))).array().exp();
    Vector chance = Vector::Zero(draws);
    for (const Matrix& r : flipped) chance += (kernel * r).cwiseProduct(r).colwise().sum().transpose();
    const double value = (kernel * as_is).cwiseProduct(as_is).sum();
    if (draws >= many_flips) {
      least = std::min(least, tail_of_many_draws(chance, value));
      continue;
    }
    // The diagonal is the same for all signs: what is left of it would only blur the tail.
    const double constant = chance.minCoeff() - 0.5 * (chance.mean() - chance.minCoeff());
    least = std::min(least, tail_of_draws((chance.array() - constant).matrix(), value - constant));
  }
  return std::min(1.0, least * static_cast<double>(std::size(widths)));
}

}  // namespace

double smooth_leftover(const Matrix& residual, const Matrix& z, const Matrix& basis, RandomStream& random) {
  constexpr Index most_rows = 1000;
  constexpr double doubtful = 2e-3, clear = 1e-12;
  if (z.cols() == 0 || z.rows() < 20) return 1;
  const auto rows = random_rows(z.rows(), std::min(most_rows, z.rows()), random);
  const Matrix at = z(rows, Eigen::all);
  const Vector squares = at.rowwise().squaredNorm();
  Matrix distances = -2 * (at * at.transpose());
  distances.colwise() += squares;
  distances.rowwise() += squares.transpose();
  if (const double few = kernel_chance(residual, distances, rows, basis, z.cols(), first_flips, random); few > ordinary) return few;
  const double chance = kernel_chance(residual, distances, rows, basis, z.cols(), flips, random);
  return chance < doubtful && chance > clear ? kernel_chance(residual, distances, rows, basis, z.cols(), many_flips, random) : chance;
}

double waves_left(const Matrix& residual, const Matrix& z, const Matrix& basis, RandomStream& random, const Control& control) {
  constexpr double work = 2.5e8, slowest = 0.7, fastest = 10;
  constexpr Index each = 64, few_flips = 60;  // maxima of hundreds of waves have a tail that few draws tell
  const Index n = z.rows();
  if (z.cols() == 0 || n < 20) return 1;
  const double cost = static_cast<double>(n) * static_cast<double>(few_flips * residual.cols() + 2 * basis.cols());
  const Index rounds = std::clamp<Index>(static_cast<Index>(work / (2 * each * cost)), 1, 36);
  Matrix frequencies = random.normal_matrix(z.cols(), each * rounds);
  for (auto column : frequencies.colwise()) column *= slowest * std::pow(fastest / slowest, random.uniform()) / column.norm();
  const auto waves = [&](Index round) {
    const Eigen::ArrayXXf angle = (z * frequencies.middleCols(round * each, each)).cast<float>();  // eight at once, and fine enough
    Matrix features(n, 2 * each);
    features << angle.cos().matrix().cast<double>(), angle.sin().matrix().cast<double>();
    return features;
  };
  return chance_of_best(residual, basis, rounds, waves, few_flips, random, control);
}

double equal_inputs_err_together(const Matrix& residual, const std::vector<std::vector<Index>>& groups, RandomStream& random) {
  if (groups.empty()) return 1;
  const auto together = [&](const Matrix& r) {
    double sum = 0;
    for (const auto& group : groups) sum += r(group, Eigen::all).colwise().sum().squaredNorm() / static_cast<double>(group.size());
    return sum;
  };
  const Matrix signs = random_signs(residual.rows(), flips, random);
  Vector chance(flips);
  for (Index k = 0; k < flips; ++k) chance[k] = together(signs.col(k).asDiagonal() * residual);
  return tail_of_draws(chance, together(residual));
}

}  // namespace relucover
