#pragma once
// How the methods of this folder end: in finish(), or in a failed assumption with its figure.
#include "learners/registry.hpp"
#include "relucover/learn.hpp"

namespace relucover {

/// What a method relies on in the inputs, tested when its answer could not be certified.
enum class InputAssumption { none, symmetric, gaussian };

void fail_assumption(Result& result, const std::string& which);
/// refine=0: the answer is the method's own, with its error, and nothing is certified.
bool wants_own_answer(const LearnOptions& options);
/// Finishes from a ReLU network; an uncertified answer on inputs that break the assumption becomes assumption_failed.
void conclude(const SampleSource& source, const Network& start, InputAssumption assumption, const LearnOptions& options,
              const Control& control, Result& result);

}  // namespace relucover
