#pragma once
// Do bad rows lie between two parallel planes? Then they are a hat, a ridge or a short step along one direction: no accidents.
#include <vector>

#include "core/random.hpp"
#include "relucover/types.hpp"

namespace relucover {

/// Chance that so many of the worst rows lie so close to one plane that so few others do, for planes through some of them: against
/// random rows. `order`: rows, worst first; sets of the first of them up to `most` are looked at, and of those of one sign.
/// `sign`: ±1 for each row.
double rows_lie_flat(const Matrix& z, const std::vector<Index>& order, Index most, const Vector& sign, RandomStream& random);

}  // namespace relucover
