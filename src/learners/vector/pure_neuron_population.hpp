#pragma once
// GKLW from the exact moments of a network instead of samples.
#include "relucover/learn.hpp"

namespace relucover {

/// Methods single-neuron, pure-neuron, pure-neuron-printed, pure-neuron-als (Algorithm 2 and its variants), pure-neuron-noise
/// (Algorithm 3) and pure-neuron-wide (Algorithm 4).
bool has_exact_pure_neurons(const std::string& method);
Result learn_pure_neurons_from_network(const Network& truth, const LearnOptions& options);

}  // namespace relucover
