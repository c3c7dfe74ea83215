#pragma once
// Where a missing unit may lie: directions, and places of its kink along each.
#include "core/random.hpp"
#include "relucover/types.hpp"

namespace relucover {

/// (z, 1).
Matrix with_constant(const Matrix& z);
/// Directions that a missing unit may have: random ones, those along which the residual is curved, those of rows where it is large.
Matrix likely_directions(const Matrix& z, const Matrix& residual, Index count, RandomStream& random);
Matrix sorted_columns(Matrix values);
/// For each direction a place among its sorted heights: anywhere, or close to one end.
Vector kink_places(const Matrix& sorted, Index round, RandomStream& random);

}  // namespace relucover
