#pragma once
// Two units that bend together can be mixed: only samples on which their signs differ say how.
#include "relucover/progress.hpp"
#include "relucover/samples.hpp"
#include "solve/sign_free.hpp"

namespace relucover {

/// Least share of samples, over pairs of units, on which the two stand on the same side (or on which they do not).
double least_sign_difference_of(const SampleSource& source, const SignFreeModel& model, const Control& control);

}  // namespace relucover
