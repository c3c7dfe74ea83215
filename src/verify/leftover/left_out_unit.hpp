#pragma once
// Rows that were left out of an exact answer, and that one more unit would explain, or that are off by one function, are no accidents.
#include <vector>

#include "core/random.hpp"
#include "verify/leftover/judged.hpp"

namespace relucover {

/// The most rows left out that a unit explains to rounding which is off at every row that was kept; 0 unless they are more than
/// determine it.
Index explained_by_one_more_unit(const Judged& answer, RandomStream& random);

/// Groups of rows left out, but not all of them, whose residuals have in common what accidents have not: they are an affine function of the
/// inputs, for more rows than determine it, or multiples of one vector over the outputs, to rounding.
std::vector<std::vector<Index>> rows_that_err_alike(const Judged& answer, RandomStream& random);

}  // namespace relucover
