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
constexpr double ordinary = 0.1;

/// Directions that hats are tilted along: the inputs' own, or where these are many a few random ones.
Matrix tilts(const Matrix& z, RandomStream& random) {
  constexpr Index most = 10;
  if (z.cols() <= most) return z;
  return z * random_orthonormal(z.cols(), most, random);
}

}  // namespace

double not_an_optimum(const Matrix& of, const RoughBasis& basis, RandomStream& random) {
  constexpr double far_below_chance = 0.25;
  const Matrix residual = of_unit_size(of);
  const RoughMatrix& columns = basis.columns();
  const double seen = (columns.transpose() * residual.cast<float>()).squaredNorm();
  // Flipped signs leave Σ |row of the basis|² r² in the mean.
  const double mean = columns.rowwise().squaredNorm().cast<double>().dot(residual.rowwise().squaredNorm());
  if (seen < far_below_chance * mean) return 1;
  const auto draws = [&](Index count) {
    const Matrix signs = random_signs(residual.rows(), count, random);
    Vector chance = Vector::Zero(count);
    for (const auto& output : residual.colwise()) {
      const RoughMatrix flipped = (output.asDiagonal() * signs).cast<float>();
      chance += (columns.transpose() * flipped).colwise().squaredNorm().transpose().cast<double>();
    }
    return chance;
  };
  if (const double chance = tail_of_draws(draws(first_flips), seen); chance > ordinary) return chance;
  return tail_of_draws(draws(flips), seen);
}

double shapes_at_kinks(const Matrix& residual, const Matrix& t, const Matrix& z, const RoughBasis& basis, RandomStream& random,
                       const Control& control) {
  constexpr Index fewest = 6, enough_to_tilt = 25;
  const Index n = t.rows();
  const RoughMatrix tilt = tilts(z, random).cast<float>(), rough = t.cast<float>();
  const Matrix sorted = sorted_columns(Matrix(t.cwiseAbs()));
  const auto shapes = [&](FeatureBlocks& to) {
    for (Index unit = 0; unit < t.cols(); ++unit) {
      const RoughVector distance = rough.col(unit).cwiseAbs(), side = rough.col(unit).cwiseSign();
      for (const Index m : growing_counts(fewest, n / 3, 1.8)) {
        const auto width = static_cast<float>(sorted(std::min(m, n - 1), unit));
        if (!(width > 0)) continue;
        const RoughVector height = (1 - distance.array() / width).cwiseMax(0);
        to.next() = height;
        to.next() = height.cwiseProduct(side);
        for (Index j = 0; j < tilt.cols() && m >= enough_to_tilt; ++j) to.next() = height.cwiseProduct(tilt.col(j));
      }
      to.end();
    }
  };
  return chance_of_best(residual, basis, shapes, flips, random, control);
}

double bumps_at_kinks(const Matrix& studentised, const Matrix& t, RandomStream& random, const Control& control) {
  constexpr Index fewest = 2, most = 60;
  constexpr double bound = 6;
  const Index n = t.rows(), near = std::min<Index>(most, n / 3);
  if (t.cols() == 0 || near < fewest) return 1;
  Matrix values = studentised.cwiseMin(bound).cwiseMax(-bound);
  values.rowwise() -= values.colwise().mean().eval();
  // Rows by their distance from each kink, on both sides: a bump is their mean, a step the difference of the sides.
  struct Near {
    std::size_t place;  // in `rows`
    double side;
  };
  std::vector<Index> rows, place_of(static_cast<std::size_t>(n), -1);
  std::vector<std::vector<Near>> nearest;
  for (const auto& unit : t.colwise()) {
    nearest.emplace_back();
    for (const Index row : least_of(unit.cwiseAbs(), near)) {
      Index& place = place_of[static_cast<std::size_t>(row)];
      if (place < 0) {
        place = std::ssize(rows);
        rows.push_back(row);
      }
      nearest.back().push_back({static_cast<std::size_t>(place), unit[row] > 0 ? 1.0 : -1.0});
    }
  }
  const std::vector<Index> counts = growing_counts(fewest, near, 1.4);
  const auto largest = [&](const std::vector<Index>& at) {
    double best = 0;
    Eigen::RowVectorXd sum(values.cols()), difference(values.cols());
    for (const auto& of_unit : nearest) {
      sum.setZero();
      difference.setZero();
      std::size_t added = 0;
      for (const Index m : counts) {
        for (; added < static_cast<std::size_t>(m); ++added) {
          const auto value = values.row(at[of_unit[added].place]);
          sum += value;
          difference += of_unit[added].side * value;
        }
        best = std::max({best, sum.squaredNorm() / static_cast<double>(m), difference.squaredNorm() / static_cast<double>(m)});
      }
    }
    return best;
  };
  const double seen = largest(rows);
  const auto draws = [&](Index count) {
    Vector chance(count);
    for (Index k = 0; k < count; ++k) {
      control.check();
      chance[k] = largest(random_rows(n, std::ssize(rows), random));
    }
    return chance;
  };
  if (const double chance = tail_of_maxima(draws(first_flips), seen); chance > ordinary) return chance;
  return tail_of_maxima(draws(flips), seen);
}

namespace {

/// Σ over pairs of rows of kernels of three widths, for each set of signs (columns of `values`, all outputs below each other): by blocks
/// of rows that fit into the fastest memory, each pair once.
Matrix kernel_sums(const RoughMatrix& at, const RoughMatrix& values, Index outputs) {
  // Squared, for each input: each a third of the one before, so that its kernel is the cube.
  constexpr float widest = 0.9F;
  constexpr Index widths = 3, block = 128;
  const Index n = at.rows(), sets = values.cols() / outputs;
  const float scale = 1 / (2 * widest * static_cast<float>(at.cols()));
  const RoughVector squares = at.rowwise().squaredNorm();
  Matrix sums = Matrix::Zero(sets, widths);
  RoughMatrix kernel;
  for (Index first = 0; first < n; first += block) {
    const Index some = std::min(block, n - first), rest = n - first;
    kernel.noalias() = 2 * at.bottomRows(rest) * at.middleRows(first, some).transpose();
    kernel.colwise() -= squares.tail(rest);
    kernel.rowwise() -= squares.segment(first, some).transpose();
    kernel = (scale * kernel.array()).min(0.0F).exp();
    for (Index width = 0; width < widths; ++width) {
      if (width > 0) kernel = kernel.array().cube();
      const RoughMatrix along = kernel.transpose() * values.bottomRows(rest),
                        within = kernel.topRows(some).transpose() * values.middleRows(first, some);
      const Eigen::RowVectorXf pairs = (2 * along - within).cwiseProduct(values.middleRows(first, some)).colwise().sum();
      for (Index set = 0; set < sets; ++set)
        for (Index output = 0; output < outputs; ++output) sums(set, width) += static_cast<double>(pairs[output * sets + set]);
    }
  }
  return sums;
}

/// Chance of rᵀ K r for one set of flips: the least over kernels of three widths.
double kernel_chance(const Matrix& residual, const RoughMatrix& at, const std::vector<Index>& rows, const RoughBasis& basis, Index draws,
                     RandomStream& random) {
  Matrix signs = random_signs(residual.rows(), draws, random);
  signs.conservativeResize(Eigen::NoChange, draws + 1);
  signs.col(draws).setOnes();
  // What flipped residuals have along the answer's own functions a fit would take away.
  const RoughMatrix basis_rows = basis.columns()(rows, Eigen::all);
  RoughMatrix values(std::ssize(rows), residual.cols() * (draws + 1));
  for (Index output = 0; output < residual.cols(); ++output) {
    const RoughMatrix flipped = (residual.col(output).asDiagonal() * signs).cast<float>();
    values.middleCols(output * (draws + 1), draws + 1) = flipped(rows, Eigen::all) - basis_rows * (basis.columns().transpose() * flipped);
  }
  const Matrix sums = kernel_sums(at, values, residual.cols());
  double least = 1;
  for (const auto& of_width : sums.colwise()) {
    const Vector chance = of_width.head(draws);
    const double value = of_width[draws];
    if (draws >= many_flips) {
      least = std::min(least, tail_of_many_draws(chance, value));
      continue;
    }
    // The diagonal is the same for all signs: what is left of it would only blur the tail.
    const double constant = chance.minCoeff() - 0.5 * (chance.mean() - chance.minCoeff());
    least = std::min(least, tail_of_draws((chance.array() - constant).matrix(), value - constant));
  }
  return std::min(1.0, least * static_cast<double>(sums.cols()));
}

}  // namespace

double smooth_leftover(const Matrix& of, const Matrix& z, const RoughBasis& basis, RandomStream& random, Index most_rows) {
  constexpr double doubtful = 2e-3, clear = 1e-12;
  const Matrix residual = of_unit_size(of);
  if (z.cols() == 0 || z.rows() < 20) return 1;
  const auto rows = random_rows(z.rows(), std::min(most_rows, z.rows()), random);
  const RoughMatrix at = z(rows, Eigen::all).cast<float>();
  if (const double few = kernel_chance(residual, at, rows, basis, first_flips, random); few > ordinary) return few;
  const double chance = kernel_chance(residual, at, rows, basis, flips, random);
  return chance < doubtful && chance > clear ? kernel_chance(residual, at, rows, basis, many_flips, random) : chance;
}

double waves_left(const Matrix& residual, const Matrix& z, const RoughBasis& basis, RandomStream& random, const Control& control) {
  constexpr double work = 2.5e8, slowest = 0.7, fastest = 10;
  constexpr Index each = 64, few_flips = 60;  // maxima of hundreds of waves have a tail that few draws tell
  const Index n = z.rows();
  if (z.cols() == 0 || n < 20) return 1;
  const double cost = static_cast<double>(n) * static_cast<double>(few_flips * residual.cols() + 2 * basis.size());
  const Index rounds = std::clamp<Index>(static_cast<Index>(work / (2 * each * cost)), 1, 36);
  Matrix frequencies = random.normal_matrix(z.cols(), each * rounds);
  for (auto column : frequencies.colwise()) column *= slowest * std::pow(fastest / slowest, random.uniform()) / column.norm();
  const RoughMatrix rough = z.cast<float>(), rough_frequencies = frequencies.cast<float>();
  const auto waves = [&](FeatureBlocks& to) {
    for (Index round = 0; round < rounds; ++round) {
      const RoughMatrix angles = rough * rough_frequencies.middleCols(round * each, each);
      for (const auto& angle : angles.colwise()) {
        to.next() = angle.array().cos();
        to.next() = angle.array().sin();
      }
    }
  };
  return chance_of_best(residual, basis, waves, few_flips, random, control);
}

double equal_inputs_err_together(const Matrix& residual, const std::vector<std::vector<Index>>& groups, RandomStream& random) {
  if (groups.empty()) return 1;
  const auto together = [&](const Matrix& r) {
    double sum = 0;
    for (const auto& group : groups) sum += Matrix(r(group, Eigen::all)).colwise().sum().squaredNorm() / static_cast<double>(group.size());
    return sum;
  };
  const Matrix signs = random_signs(residual.rows(), flips, random);
  Vector chance(flips);
  for (Index k = 0; k < flips; ++k) chance[k] = together(signs.col(k).asDiagonal() * residual);
  return tail_of_draws(chance, together(residual));
}

}  // namespace relucover
