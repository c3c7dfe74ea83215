#pragma once
// Learning from the exact moments of a network instead of samples: algorithm without sampling error.
#include "relucover/learn.hpp"
#include "relucover/network.hpp"

namespace relucover {

/// One output: methods "auto" and "hermite" (pencils) and "hermite-printed". Several, without biases: "auto" and "pure-neuron",
/// "single-neuron" and the printed forms of pure neurons. ReLU, standard normal inputs. The status
/// compares with the given network: exact if all units are found to 1e-8 and the functions agree to 1e-8.
Result learn_from_network(const Network& truth, const LearnOptions& options = {});

}  // namespace relucover
