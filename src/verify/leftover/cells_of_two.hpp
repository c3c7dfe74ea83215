#pragma once
// Is the residual a function of two variables, whatever its shape: a checkerboard, a product of waves, a table?
#include "core/random.hpp"
#include "relucover/types.hpp"

namespace relucover {

/// Each pair of variables cuts the samples into cells of 2 x 2 to 24 x 24; Σ over cells of (Σ r)² / count is too large where the residual
/// is a function of both. The least chance of all pairs and numbers of cells, against flips of signs. `sorted`: the variables,
/// each by itself.
double cells_of_two(const Matrix& variables, const Matrix& sorted, const Matrix& residual, RandomStream& random);

}  // namespace relucover
