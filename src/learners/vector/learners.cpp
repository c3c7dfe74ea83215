#include "learners/vector/learners.hpp"

#include "learners/vector/methods.hpp"

namespace relucover {

const std::vector<Learner>& vector_learners() {
  static const std::vector<Learner> all = {
      {{"pure-neuron",
        "inputs symmetric about 0, no biases, outputs >= units: pure-neuron detector from regression moments (GKLW, "
        "corrected)",
        {}},
       learn_pure_neurons},
      {{"pure-neuron-als", "the same by alternating least squares and gradient descent (GKLW section 4)", {}},
       learn_pure_neurons_als},
      {{"pure-neuron-printed", "as many outputs as units (GKLW Algorithm 2 as printed)", {}},
       learn_pure_neurons_printed},
      {{"pure-neuron-noise", "the same with label noise (GKLW Algorithm 3 as printed)", {}}, learn_pure_neurons_noise},
      {{"pure-neuron-wide", "the same with more outputs than units (GKLW Algorithm 4 as printed)", {}},
       learn_pure_neurons_wide},
      {{"single-neuron", "one unit per output (GKLW Algorithm 1)", {}}, learn_single_neurons},
  };
  return all;
}

}  // namespace relucover
