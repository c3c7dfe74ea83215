#pragma once
// Every method there is, by name. A new learner adds one row to registry.cpp.
#include "relucover/learn.hpp"

namespace relucover {

struct Learner {
  MethodInfo info;
  /// Fills `result` as it goes, so that what was done before an interruption is not lost.
  void (*run)(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result);
};

const std::vector<Learner>& learners();

}  // namespace relucover
