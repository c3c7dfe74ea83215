#pragma once
// Every method there is, by name: those of the engine (registry.cpp), then those of the families (families.hpp).
#include "relucover/learn.hpp"

namespace relucover {

struct Learner {
  MethodInfo info;
  /// Fills `result` as it goes, so that what was done before an interruption is not lost.
  void (*run)(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result);
};

const std::vector<Learner>& learners();
/// Throws std::invalid_argument for one that is not in this program.
const Learner& learner_named(const std::string& name);

/// A setting of the method, or what it is without one.
double setting(const LearnOptions& options, const char* name, double otherwise);

/// Says why there is no (better) answer.
void fail(Result& result, AnswerStatus status, std::string message);

}  // namespace relucover
