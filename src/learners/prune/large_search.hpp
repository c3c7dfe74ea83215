#pragma once
// The search where the samples are too many to copy: a rough start in the subspace where labels are curved, units that it missed
// found in what it leaves of the labels, then the engine over the samples where they lie.
#include "learners/prune/subspace_search.hpp"
#include "solve/search.hpp"

namespace relucover {

SignFreeModel found_in_large_data(const SampleSource& source, const InputMoments& moments, const Scaling& scaling,
                                  const LearnOptions& options, const SearchOptions& search_options, const Control& control, Result& result);

}  // namespace relucover
