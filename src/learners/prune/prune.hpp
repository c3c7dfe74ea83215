#pragma once
#include "relucover/learn.hpp"
#include "solve/sign_free.hpp"

namespace relucover {

/// Over-parameterised starts, pruned: any inputs, any number of outputs, more units than inputs too.
void learn_by_pruning(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result);

/// What the search finds, in the coordinates of the source, before anything is polished or judged.
SignFreeModel found_by_pruning(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result);

}  // namespace relucover
