#pragma once
// Methods for vector outputs (GKLW, BJW), as rows of the registry.
#include "learners/choose.hpp"
#include "learners/registry.hpp"

namespace relucover {

const std::vector<Learner>& vector_learners();

/// What to try where several outputs may show the units at once by their moments, once the search that takes any data has failed.
std::vector<Choice> choose_by_moments(const SampleSource& source, const LearnOptions& options, const Control& control);

}  // namespace relucover
