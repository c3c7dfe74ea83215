#pragma once
// Methods for vector outputs (GKLW, BJW), as rows of the registry.
#include "learners/registry.hpp"

namespace relucover {

const std::vector<Learner>& vector_learners();

}  // namespace relucover
