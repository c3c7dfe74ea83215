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
      {{"order-two",
        "Gaussian inputs of any covariance, biases, 2 outputs or more, units <= inputs: tensor of order 2 (BJW, "
        "corrected)",
        {}},
       learn_order_two_tensor},
      {{"order-three",
        "Gaussian inputs, tensor of order 3 (BJW Algorithm 4 as printed): says why it has no signal for ReLU",
        {}},
       learn_order_three_tensor},
      {{"order-four", "Gaussian inputs, one output, no biases: tensor of order 4 (BJW)", {}}, learn_order_four_tensor},
      {{"independent-components", "Gaussian inputs, orthonormal weights, outputs >= units (BJW Algorithm 3)", {}},
       learn_independent_components},
      {{"proportional-labels",
        "any inputs, outputs >= 2, exact labels: samples where one unit is active (BJW Algorithm 7)",
        {}},
       learn_proportional_labels},
      {{"cells", "any inputs, exact labels of rank = units, few units: cells of the arrangement (BJW Theorem 1)", {}},
       learn_cells},
      {{"cells-linear-programs", "the same by linear programs (BJW Algorithms 1 and 2 as printed)", {}},
       learn_cells_by_linear_programs},
      {{"direction-net", "Gaussian inputs, noise of any kind, one or two units (BJW Algorithm 8)", {}},
       learn_direction_net},
      {{"corrupted-labels", "some label entries replaced by anything, outputs > units (BJW Theorem 14)", {}},
       learn_corrupted_labels},
      {{"rectified-square", "activation max(t, 0)², Gaussian inputs, outputs >= units (BJW)", {}},
       learn_rectified_square},
      {{"rectified-cube", "activation max(t, 0)³, Gaussian inputs, outputs >= units (BJW)", {}}, learn_rectified_cube},
      {{"rectified-exponential", "activation exp(max(t, 0)) - 1, Gaussian inputs, outputs >= units (BJW)", {}},
       learn_rectified_exponential},
  };
  return all;
}

}  // namespace relucover
