#pragma once
// Where a missing unit may lie: directions, and places of its kink along each.
#include <cstdint>

#include "core/random.hpp"
#include "verify/leftover/features.hpp"

namespace relucover {

/// Directions that a missing unit may have: random ones, those along which the residual is curved, those of rows where it is large.
Matrix likely_directions(const Matrix& z, const Matrix& residual, Index count, RandomStream& random);
/// For each direction a place among its sorted heights: anywhere, or close to one end.
Vector kink_places(const Matrix& sorted, Index round, RandomStream& random);

/// The same where many rows are only counted: how many lie below each of many bounds along a direction.
class CountedHeights {
 public:
  explicit CountedHeights(const RoughMatrix& heights);
  Vector kink_places(Index round, RandomStream& random) const;

 private:
  double height_of(double place, Index direction) const;
  Index rows_;
  RoughVector scale_;
  Eigen::Matrix<std::uint32_t, Eigen::Dynamic, Eigen::Dynamic> below_;  // each bound, by direction
};

}  // namespace relucover
