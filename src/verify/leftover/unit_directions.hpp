#pragma once
// Where a missing unit may lie: directions, and places of its kink along each.
#include "core/random.hpp"
#include "verify/leftover/features.hpp"

namespace relucover {

/// Directions that a missing unit may have: random ones, those along which the residual is curved, those of rows where it is large.
Matrix likely_directions(const Matrix& z, const Matrix& residual, Index count, RandomStream& random);
/// For each direction a place among its sorted heights: anywhere, or close to one end.
Vector kink_places(const Matrix& sorted, Index round, RandomStream& random);
Vector kink_places(const RoughMatrix& sorted, Index round, RandomStream& random);

}  // namespace relucover
