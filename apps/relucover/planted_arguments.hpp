#pragma once
// A planted problem on the command line: the network, how its inputs are drawn, how many and how noisy.
#include <memory>
#include <string>

#include "relucover/arguments.hpp"
#include "relucover/samples.hpp"

namespace relucover::cli {

struct PlantedArguments {
  PlantedOptions options;
  std::string weights = "gaussian";
  std::string distribution = "gaussian";
  std::string activation = "relu";
  Index count = 0;
  double noise = 0;
  /// Widths of hidden layers; empty: one of options.units.
  std::vector<Index> layers = {};

  void add_to(Command& command);
  Network network() const;
  std::unique_ptr<SampleSource> samples(const Network& network) const;
};

}  // namespace relucover::cli
