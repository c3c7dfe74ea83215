#pragma once
// Units that the samples do not ask for: copies and idle ones of exact fits, and what a search made of noise.

#include "learners/finish/fitted.hpp"

namespace relucover {

/// Of an exact fit: units equal to others or without effect on the samples.
void drop_idle_units(Fitted& fit, Result& result);

/// With noisy labels a unit that explains no more than a search makes of noise is not in the answer. `asked`: how many units somebody
/// knows there are, or 0.
void drop_undetermined_units(Fitted& fit, Index asked, Result& result);

}  // namespace relucover
