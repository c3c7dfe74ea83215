#pragma once
// Does the residual go with the order of the rows: drift, seasons, lags, every seventh row? Noise does not know where its row stands.
#include "verify/leftover/rough_basis.hpp"

namespace relucover {

/// The least chance against flips of signs of what goes with the row number, with the row number times a function, with functions of the
/// rows before and after, with residuals of other rows, times their number. `functions`: columns of what may drift or come late; `basis`:
/// of what the answer can do. Rows that stand in the order of their labels know of their noise: 1.
double row_order_left(const Matrix& functions, const Matrix& labels, const Matrix& residual, const RoughBasis& basis);

}  // namespace relucover
