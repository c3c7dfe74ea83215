#pragma once
// Two or three inputs: directions by their correlations (GP section 3), which needs no linear terms in P.
#include "learners/threshold/task.hpp"

namespace relucover {

/// The test is for relu and step units of known threshold and number in two or three inputs.
bool direction_test_applies(const SampleSource& source, const FirstLayerOptions& options);

/// Directions by the test, refined for ReLU, judged on held-out samples. Taken into the result if it was asked for, or if its
/// correlations are larger than those of the directions that are there.
void learn_by_directions(const SampleSource& source, const FirstLayerOptions& options, const HoldOut& holdout, FirstLayerResult& result,
                         const Control& control);

}  // namespace relucover
