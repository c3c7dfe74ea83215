#pragma once
// Two units that bend together can be mixed: only samples on which their signs differ say how.
#include "relucover/progress.hpp"
#include "relucover/samples.hpp"
#include "solve/sign_free.hpp"

namespace relucover {

/// Fewest samples, over pairs of units, that lie on the same side of both (or on different ones): all that says how they differ.
/// -1: there are no pairs.
Index fewest_between_units(const SampleSource& source, const SignFreeModel& model, const Control& control);

}  // namespace relucover
