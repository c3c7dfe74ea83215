#pragma once
#include "learners/deep/deep_search.hpp"
#include "learners/registry.hpp"

namespace relucover {

/// All layers of a deep ReLU network: LearnOptions::layers, or any_depth. Labels without noise.
void learn_deep(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result);

/// What samples must determine at least; a width that is not known (0) counts as one unit.
double least_unknowns(Index inputs, const std::vector<Index>& layers, Index outputs);

/// Rounding that labels may carry beyond that of float64 sums: they were stored, or computed, in single precision.
double deep_label_rounding(const SampleSource& source, const Control& control);

/// In words, of a search that found no plain network. `what` was to be explained.
std::string nothing_found(const DeepSearchOutcome& found, const std::string& what);

/// Errors, certificate, status and words of `result.network` on the samples.
void judge_deep(const SampleSource& source, const PreparedDeepData& prepared, const DeepSearchOutcome& found, const LearnOptions& options,
                const Control& control, Result& result);

/// Rows of the registry.
std::vector<Learner> deep_learners();

}  // namespace relucover
