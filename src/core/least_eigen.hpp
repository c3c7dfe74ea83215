#pragma once
#include "core/linear_algebra.hpp"
#include "relucover/progress.hpp"

namespace relucover {

/// Only those eigenvectors of a semidefinite matrix whose eigenvalues lie below `below`: its null space, for somebody who says what
/// is nothing. Large matrices (a decomposition of which nobody could stop) by inverse iteration.
SymmetricEigen least_eigen(const Matrix& semidefinite, double below, const Control& control);

}  // namespace relucover
