#pragma once
// Do rows that are near each other in two or three columns, whatever the others are, go together?
#include "core/random.hpp"
#include "relucover/types.hpp"

namespace relucover {

/// The least chance, among all columns, pairs and triples of the first few, of Σ c_i c_j over near rows i, j, against other places of the
/// rows; times their number. `centred`: a mask, or labels, less their mean.
double near_rows_alike(const Matrix& x, const Vector& centred, RandomStream& random);

}  // namespace relucover
