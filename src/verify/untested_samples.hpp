#pragma once
#include "verify/gate.hpp"

namespace relucover {

/// Samples that determine a piece of the answer which no other sample could contradict: their labels are explained whatever they are.
/// One counts if others have less than 3e-5 of its effect, several if they have less than 1e-3.
Index untested_samples(const Claimed& claimed, const Control& control);

}  // namespace relucover
