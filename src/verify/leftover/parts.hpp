#pragma once
// Rows in parts of equal size by the value of a variable, and pairs of variables: for tests of functions of two of them.
#include <cstdint>
#include <utility>
#include <vector>

#include "core/random.hpp"
#include "relucover/types.hpp"

namespace relucover {

using Cells = std::vector<std::uint16_t>;  // the part that each row lies in

/// Equal values are never parted. `sorted`: the values of the variable.
Cells parts_of(const Eigen::Ref<const Vector>& variable, const Eigen::Ref<const Vector>& sorted, Index parts);

/// All pairs of variables, or so many of them at random.
std::vector<std::pair<Index, Index>> some_pairs(Index variables, Index most, RandomStream& random);

}  // namespace relucover
