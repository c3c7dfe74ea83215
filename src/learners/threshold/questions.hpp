#pragma once
// A function that can be asked: directions and thresholds refined by questions near each boundary (GP Algorithms 1 and 2).
#include "learners/threshold/task.hpp"

namespace relucover {

/// Moves the result's directions and thresholds, and certifies them by the samples where labels have a value at rest.
void refine_by_questions(const SampleSource& source, const FirstLayerOptions& options, const FirstStep& step, const HoldOut& holdout,
                         FirstLayerResult& result, const Control& control);

}  // namespace relucover
