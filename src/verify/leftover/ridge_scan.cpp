#include "verify/leftover/ridge_scan.hpp"

#include <algorithm>
#include <cmath>

#include "core/linear_algebra.hpp"
#include "verify/leftover/features.hpp"
#include "verify/leftover/tails.hpp"

namespace relucover {

namespace {

/// Half of the directions at random, the others across planes through rows with large residuals: flips do not change which these are.
Matrix directions_of(const Matrix& z, const Matrix& residual, const Matrix& units, Index count, RandomStream& random) {
  const Index d = z.cols();
  if (d == 1) return Matrix::Ones(1, 1);
  Matrix directions = random.normal_matrix(d, count);
  const auto order = order_of(-residual.rowwise().norm());
  const Index large = std::min<Index>(z.rows(), std::max<Index>(3 * d, 20));
  Index j = 0;
  for (; j < std::min(units.cols(), count / 4); ++j) directions.col(j) = units.col(j);
  for (; j < count / 2; ++j) {
    Matrix some(d, d);
    const auto chosen = random_rows(large, d, random);
    for (Index k = 0; k < d; ++k) some.row(k) = z.row(order[static_cast<std::size_t>(chosen[static_cast<std::size_t>(k)])]);
    some.rowwise() -= some.colwise().mean().eval();
    directions.col(j) = symmetric_eigen(some.transpose() * some).vectors.col(0);
  }
  return directions;
}

/// Sums of residuals between two planes across a direction, over all places and widths.
class Scan {
 public:
  /// Columns of `values`: one set of signs each, output by output; what a fit would take away of them is taken away.
  Scan(const std::vector<Matrix>& values, std::vector<Index> widths)
      : widths_(std::move(widths)), sums_(values.front().rows() + 1, static_cast<Index>(values.size())) {
    for (const Matrix& of_output : values) values_.push_back(of_output.cast<float>());
  }

  /// The largest square over what chance gives it, for column k.
  double largest(const std::vector<Index>& order, Index k) {
    const Index n = values_.front().rows();
    for (Index output = 0; output < sums_.cols(); ++output) {
      const auto values = values_[static_cast<std::size_t>(output)].col(k);
      auto sums = sums_.col(output);
      sums[0] = 0;
      for (Index i = 0; i < n; ++i) sums[i + 1] = sums[i] + values[order[static_cast<std::size_t>(i)]];
    }
    float best = 0;
    for (const Index width : widths_) {
      const Index places = n + 1 - width;
      const auto squares_of = [&](Index output) {
        return (sums_.col(output).segment(width, places) - sums_.col(output).head(places)).array().square();
      };
      if (sums_.cols() == 1) {
        best = std::max(best, squares_of(0).maxCoeff() / static_cast<float>(width));
        continue;
      }
      squares_ = squares_of(0);
      for (Index output = 1; output < sums_.cols(); ++output) squares_ += squares_of(output);
      best = std::max(best, squares_.maxCoeff() / static_cast<float>(width));
    }
    return best;
  }

 private:
  std::vector<Eigen::MatrixXf> values_;  // eight at once, and fine enough
  std::vector<Index> widths_;
  Eigen::MatrixXf sums_;  // of each output
  Eigen::ArrayXf squares_;
};

}  // namespace

double ridges_left(const Matrix& z, const Matrix& studentised, const Matrix& basis, const Matrix& units, RandomStream& random,
                   const Control& control) {
  constexpr Index flips = 60, few_flips = 30, fewest = 8, most_inputs = 40, times_more = 16;
  constexpr double bound = 4, work = 6e7, widen = 1.8, suspicious = 3;
  const Index n = z.rows(), outputs = studentised.cols();
  if (z.cols() == 0 || z.cols() > most_inputs || n < 6 * fewest) return 1;
  const std::vector<Index> widths = growing_counts(fewest, n / 6, widen);
  const auto affordable = static_cast<Index>(work / static_cast<double>(n * (flips + 1) * outputs * static_cast<Index>(widths.size() + 2)));
  const Index few = z.cols() == 1 ? 1 : std::clamp<Index>(affordable, 8, 200);
  const Matrix residual = studentised.cwiseMin(bound).cwiseMax(-bound);
  const Matrix directions = directions_of(z, residual, units, z.cols() == 1 ? 1 : times_more * few, random);
  Matrix signs = random_signs(n, flips + 1, random);
  signs.col(flips).setOnes();
  std::vector<Matrix> flipped;
  for (const auto& output : residual.colwise()) flipped.push_back(orthogonal_to(basis, output.asDiagonal() * signs));
  Scan scan(flipped, widths);
  Vector best = Vector::Zero(flips + 1);
  const auto flips_along = [&](Index j, Index first, Index last) {
    control.check();
    const auto order = order_of(z * directions.col(j));
    for (Index k = first; k < last; ++k) best[k] = std::max(best[k], scan.largest(order, k));
  };
  // The residual as it is along all directions; what chance makes of it along a few of them, and of more flips along all where that
  // matters.
  for (Index j = 0; j < directions.cols(); ++j) best[flips] = std::max(best[flips], scan.largest(order_of(z * directions.col(j)), flips));
  const Index step = directions.cols() / few;
  for (Index j = 0; j < directions.cols(); j += step) flips_along(j, 0, few_flips);
  const Gumbel few_maxima = gumbel_of(best.head(few_flips));
  const Gumbel all_maxima{few_maxima.place + few_maxima.scale * std::log(static_cast<double>(step)), few_maxima.scale};
  if (best[flips] < all_maxima.place + suspicious * all_maxima.scale) return all_maxima.tail(best[flips]);
  for (Index j = 0; j < directions.cols(); ++j) flips_along(j, j % step == 0 ? few_flips : 0, flips);
  return tail_of_maxima(best.head(flips), best[flips]);
}

}  // namespace relucover
