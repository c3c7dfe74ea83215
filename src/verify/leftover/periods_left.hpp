#pragma once
// Does the residual repeat along a variable, fast: a saw tooth, a daily cycle, rounding inside a unit?
#include "relucover/types.hpp"

namespace relucover {

/// The least chance of a wave along a single variable against flips of signs, up to a thousand periods over its range, times their number.
/// `sorted`: the variables, each by itself; infinite where a variable is not looked at.
double periods_left(const Matrix& variables, const Matrix& sorted, const Matrix& residual);

}  // namespace relucover
