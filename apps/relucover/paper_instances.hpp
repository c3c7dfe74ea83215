#pragma once
// Data of the papers' own making on the command line of `sample`: hard instances, pairs that few samples can't tell apart,
// perturbed inputs, corrupted labels, other activations.
#include <functional>
#include <memory>
#include <string>

#include "relucover/planted_arguments.hpp"

namespace relucover::cli {

/// Samples, and the network behind them where there is one.
struct Instance {
  std::unique_ptr<SampleSource> samples;
  Network truth;  // without inputs if no network explains the samples
  std::string remark;
};

struct InstanceArguments {
  std::string instance;
  double corrupt = 0, corrupt_size = 10;

  void add_to(Command& command);
  /// --instance was given: --inputs and --units are its own.
  bool complete() const { return !instance.empty(); }
  Instance make(const PlantedArguments& planted) const;
};

}  // namespace relucover::cli
