#pragma once
// Does the residual step where two columns both pass thresholds? All places of these at once, from sums over cells.
#include "core/random.hpp"
#include "verify/leftover/even_noise.hpp"

namespace relucover {

/// Chance of the best corner (or step of one column) among all pairs of columns, or many of them.
double corners_left(const Matrix& columns, const EvenNoise& rows, RandomStream& random);

}  // namespace relucover
