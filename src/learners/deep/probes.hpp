#pragma once
// Queries that see units which plain Gaussian ones do not.
#include "core/random.hpp"
#include "relucover/network.hpp"

namespace relucover {

/// Gaussians at 1, 2 and 4 times the scale, and inputs chosen in the recovered first layer: sparse on/off patterns of as many units as
/// there are inputs, x = W^+ (u - b) plus a Gaussian in the null space of W. Rounded to float32, as all queries are.
RowMatrix probes_of(const Network& network, Index count, double scale, RandomStream& random);

/// Around points that were wrong, and on the segments from them to points that were right.
RowMatrix probes_near(const RowMatrix& wrong, const RowMatrix& right, Index count, RandomStream& random);

}  // namespace relucover
