#include "verify/leftover/unit_directions.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/linear_algebra.hpp"
#include "verify/leftover/features.hpp"

namespace relucover {

Matrix likely_directions(const Matrix& z, const Matrix& residual, Index count, RandomStream& random) {
  const Index d = z.cols();
  std::vector<Vector> found;
  const Vector size = residual.rowwise().norm();
  // Principal part of the residual over outputs, so that one curvature stands for all.
  const Vector along =
      residual.cols() == 1 ? Vector(residual) : Vector(residual * symmetric_eigen(residual.transpose() * residual).vectors.rightCols(1));
  const SymmetricEigen curved = symmetric_eigen(z.transpose() * (along.asDiagonal() * z));
  constexpr Index most_curved = 3, most_large = 20;
  for (Index k = 0; k < std::min(most_curved, d); ++k) {
    found.push_back(curved.vectors.col(k));
    found.push_back(curved.vectors.col(d - 1 - k));
  }
  const auto order = order_of(-size);
  Vector sum = Vector::Zero(d);
  for (Index k = 0; k < std::min<Index>(most_large, z.rows()); ++k) {
    const Vector row = z.row(order[static_cast<std::size_t>(k)]).transpose();
    if (!(row.norm() > 0)) continue;
    found.push_back(row.normalized());
    sum += (along[order[static_cast<std::size_t>(k)]] > 0 ? 1.0 : -1.0) * row;
    if (sum.norm() > 0) found.push_back(sum.normalized());
  }
  Matrix directions(d, count);
  for (Index j = 0; j < count; ++j) {
    if (j < static_cast<Index>(found.size()) && 2 * j < count)
      directions.col(j) = found[static_cast<std::size_t>(j)];
    else
      directions.col(j) = random.normal_vector(d).normalized();
  }
  return directions;
}

namespace {

/// How many rows lie below the kink: half of them or so, or all but few, or few.
double rows_below(Index rows, Index round, RandomStream& random) {
  const auto n = static_cast<double>(rows);
  double place = (round == 0 ? 0.25 + 0.5 * random.uniform() : random.uniform()) * n;
  if (round % 3 != 0) {  // few samples beyond: 4 to a tenth
    const double beyond = 4 * std::pow(std::max(1.0, n / 40), random.uniform());
    place = round % 3 == 1 ? n - beyond : beyond;
  }
  return std::clamp(place, 4.0, n - 4);
}

}  // namespace

Vector kink_places(const Matrix& sorted, Index round, RandomStream& random) {
  Vector at(sorted.cols());
  for (Index j = 0; j < sorted.cols(); ++j) at[j] = sorted(static_cast<Index>(rows_below(sorted.rows(), round, random)), j);
  return at;
}

namespace {

// Bounds are even in h / (1 + |h|), of heights of unit size: fine where most rows lie, and far out in proportion to the heights.
constexpr Index bounds = 2048, middle = bounds / 2;

}  // namespace

CountedHeights::CountedHeights(const RoughMatrix& heights)
    : rows_(heights.rows()), scale_((heights.colwise().squaredNorm() / static_cast<float>(rows_)).cwiseSqrt().cwiseMax(1e-30F)),
      below_(bounds + 1, heights.cols()) {
  Eigen::ArrayXf bins(rows_);
  for (Index j = 0; j < heights.cols(); ++j) {
    bins = heights.col(j).array() / scale_[j];
    bins = (1 + bins / (1 + bins.abs())) * static_cast<float>(middle);
    auto below = below_.col(j);
    below.setZero();
    for (const float bin : bins) ++below[std::min(bounds, static_cast<Index>(bin) + 1)];
    for (Index bound = 0; bound < bounds; ++bound) below[bound + 1] += below[bound];
  }
}

double CountedHeights::height_of(double place, Index direction) const {
  const auto below = below_.col(direction);
  const Index next = std::upper_bound(below.begin(), below.end(), static_cast<std::uint32_t>(place)) - below.begin();
  const Index bound = std::min(next, bounds) - 1;
  const double within = (place - below[bound]) / std::max<double>(1, below[bound + 1] - below[bound]);
  const double t = (static_cast<double>(bound) + std::clamp(within, 0.0, 1.0)) / static_cast<double>(middle) - 1;
  return static_cast<double>(scale_[direction]) * t / std::max(1 - std::abs(t), 1e-6);
}

Vector CountedHeights::kink_places(Index round, RandomStream& random) const {
  Vector at(below_.cols());
  for (Index j = 0; j < at.size(); ++j) at[j] = height_of(rows_below(rows_, round, random), j);
  return at;
}

}  // namespace relucover
