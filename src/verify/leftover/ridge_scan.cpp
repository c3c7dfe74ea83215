#include "verify/leftover/ridge_scan.hpp"

#include <algorithm>

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

}  // namespace

double ridges_left(const Matrix& z, const Matrix& studentised, const Matrix& basis, const Matrix& units, RandomStream& random) {
  constexpr Index flips = 60, fewest = 8, most_inputs = 40;
  constexpr double bound = 4, work = 6e7, widen = 1.8;
  const Index n = z.rows(), outputs = studentised.cols();
  if (z.cols() == 0 || z.cols() > most_inputs || n < 6 * fewest) return 1;
  const std::vector<Index> widths = growing_counts(fewest, n / 6, widen);
  const auto affordable = static_cast<Index>(work / static_cast<double>(n * (flips + 1) * outputs * static_cast<Index>(widths.size() + 2)));
  const Matrix residual = studentised.cwiseMin(bound).cwiseMax(-bound);
  const Matrix directions = directions_of(z, residual, units, std::clamp<Index>(affordable, 8, 200), random);
  Matrix signs = random_signs(n, flips + 1, random);
  signs.col(flips).setOnes();
  // A column for each flip, so that sums run down the columns; what a fit would take away of it is taken away.
  std::vector<Matrix> flipped;
  for (const auto& output : residual.colwise()) flipped.push_back(orthogonal_to(basis, output.asDiagonal() * signs));
  Vector best = Vector::Zero(flips + 1);
  Matrix squares(n, static_cast<Index>(widths.size()));
  Vector sums(n + 1);
  for (const auto& direction : directions.colwise()) {
    const auto order = order_of(z * direction);
    for (Index k = 0; k <= flips; ++k) {
      squares.setZero();
      for (const Matrix& values : flipped) {
        sums[0] = 0;
        for (Index i = 0; i < n; ++i) sums[i + 1] = sums[i] + values(order[static_cast<std::size_t>(i)], k);
        for (Index w = 0; w < squares.cols(); ++w) {
          const Index width = widths[static_cast<std::size_t>(w)], places = n + 1 - width;
          squares.col(w).head(places) += (sums.segment(width, places) - sums.head(places)).cwiseAbs2() / static_cast<double>(width);
        }
      }
      best[k] = std::max(best[k], squares.maxCoeff());
    }
  }
  return tail_of_maxima(best.head(flips), best[flips]);
}

}  // namespace relucover
