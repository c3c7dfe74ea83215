#pragma once
// Does the residual repeat inside a unit (stairs, rounding)? A unit's direction is known to its standard error alone, and a fast wave is
// not seen along one that is off by that: it is looked for along many that the unit may have.
#include "core/random.hpp"
#include "relucover/progress.hpp"
#include "verify/leftover/features.hpp"

namespace relucover {

/// Chance of the best wave with its second and third harmonics where a unit is active. `slopes` (units by inputs): of units along z;
/// `sizes`: of what a unit's slope of one adds to the labels. Where a sum over all places says that chance alone may have done it, that;
/// otherwise flips of signs.
double periods_in_units(const Matrix& z, const Matrix& t, const Matrix& slopes, const Vector& sizes, const Matrix& residual,
                        RandomStream& random, const Control& control = {});

}  // namespace relucover
