#pragma once
// Every method there is, by name. A new learner adds one row to registry.cpp.
#include "relucover/learn.hpp"

namespace relucover {

struct Learner {
  MethodInfo info;
  Result (*run)(const SampleSource& source, const LearnOptions& options, const Control& control);
};

const std::vector<Learner>& learners();

}  // namespace relucover
