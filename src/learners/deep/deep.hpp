#pragma once
#include "relucover/learn.hpp"

namespace relucover {

/// All layers of a deep ReLU network: LearnOptions::layers, or any_depth. Labels without noise.
void learn_deep(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result);

}  // namespace relucover
