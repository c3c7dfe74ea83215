#pragma once
// Rows that are near each other in all columns at once, in groups: what is left there errs together if it is a function of the inputs,
// whatever its shape, that is not much faster than rows are dense.
#include "core/random.hpp"
#include "verify/leftover/groups_left.hpp"

namespace relucover {

/// Rows cut in halves again and again, each time along another random direction, until a few are left; some such trees, of several sizes.
std::vector<Grouping> nests_of(const Matrix& z, RandomStream& random);

}  // namespace relucover
