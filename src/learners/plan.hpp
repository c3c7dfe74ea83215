#pragma once
// `--method auto`: one method after the other until an answer is certified.
#include "relucover/learn.hpp"

namespace relucover {

/// The best answer stays, with the stages of all that were tried.
void learn_by_plan(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result);

}  // namespace relucover
