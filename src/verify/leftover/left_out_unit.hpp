#pragma once
// Rows that were left out of an exact answer, and that one more unit would explain, are no accidents.
#include "core/random.hpp"
#include "verify/leftover/judged.hpp"

namespace relucover {

/// The most rows left out that a unit explains to rounding which is off at every row that was kept; 0 unless they are more than
/// determine it.
Index explained_by_one_more_unit(const Judged& answer, RandomStream& random);

}  // namespace relucover
