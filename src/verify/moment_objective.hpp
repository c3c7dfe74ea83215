#pragma once
// The training objective seen through moments (ATV Proposition B.1): for standard normal inputs
//   E (y - f(x))² = Σ_k |T_k of the labels - T_k of the network|² / k!, plus label noise.
#include <vector>

#include "relucover/network.hpp"
#include "relucover/progress.hpp"
#include "relucover/samples.hpp"

namespace relucover {

struct MomentObjective {
  std::vector<double> by_order;  // |T̂_k - T_k|²/k!, k = 0, 1, ...
  /// What sampling error alone is expected to make of each: a term near this is no evidence.
  std::vector<double> by_chance;
  double total = 0, label_variance = 0;
};

/// Inputs are whitened first, and the network with them. One output, ReLU.
MomentObjective moment_objective(const Network& network, const SampleSource& source, Index max_order, const Control& control);

}  // namespace relucover
