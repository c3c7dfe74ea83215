#pragma once
// What the Hermite family takes for granted, tested on the data.
#include "relucover/learn.hpp"

namespace relucover {

/// Tests on a part of the samples whether inputs are Gaussian; figures either way, a note if not.
void report_gaussianity(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result);

}  // namespace relucover
