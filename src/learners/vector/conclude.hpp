#pragma once
// How the methods of this folder end: in finish(), or in a failed assumption with its figure.
#include "relucover/learn.hpp"

namespace relucover {

/// What a method relies on in the inputs, tested when its answer could not be certified.
enum class InputAssumption { none, symmetric, gaussian };

void fail_assumption(Result& result, const std::string& which);
/// Finishes from a ReLU network; an uncertified answer on inputs that break the assumption becomes assumption_failed.
void conclude(const SampleSource& source, const Network& start, InputAssumption assumption, const LearnOptions& options,
              const Control& control, Result& result);

}  // namespace relucover
