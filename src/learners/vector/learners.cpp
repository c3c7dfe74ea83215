#include "learners/vector/learners.hpp"

#include "learners/vector/methods.hpp"

namespace relucover {

namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

const std::pair<std::string, std::string> refine = {"refine",
                                                    "1: the engine finishes and certifies; 0: the method's own answer, with its error"};
const Settings own_answer = {refine};

}  // namespace

const std::vector<Learner>& vector_learners() {
  static const std::vector<Learner> all = {
      {{"pure-neuron",
        "inputs symmetric about 0, no biases, outputs >= units: pure-neuron detector from regression moments (GKLW, "
        "corrected)",
        own_answer},
       learn_pure_neurons},
      {{"pure-neuron-als", "the same by alternating least squares and gradient descent (GKLW section 4)", own_answer},
       learn_pure_neurons_als},
      {{"pure-neuron-printed", "as many outputs as units (GKLW Algorithm 2 as printed)", own_answer}, learn_pure_neurons_printed},
      {{"pure-neuron-noise", "the same with label noise (GKLW Algorithm 3 as printed)", own_answer}, learn_pure_neurons_noise},
      {{"pure-neuron-wide", "the same with more outputs than units (GKLW Algorithm 4 as printed)", own_answer}, learn_pure_neurons_wide},
      {{"single-neuron", "one unit per output (GKLW Algorithm 1)", own_answer}, learn_single_neurons},
      {{"order-two",
        "Gaussian inputs of any covariance, biases, 2 outputs or more, units <= inputs: tensor of order 2 (BJW, "
        "corrected)",
        own_answer},
       learn_order_two_tensor},
      {{"order-three", "Gaussian inputs, tensor of order 3 (BJW Algorithm 4 as printed): says why it has no signal for ReLU", own_answer},
       learn_order_three_tensor},
      {{"order-four", "Gaussian inputs, one output, no biases: tensor of order 4 (BJW)", own_answer}, learn_order_four_tensor},
      {{"independent-components", "Gaussian inputs, orthonormal weights, outputs >= units (BJW Algorithm 3)", own_answer},
       learn_independent_components},
      {{"proportional-labels", "any inputs, outputs >= 2, exact labels: samples where one unit is active (BJW Algorithm 7)", own_answer},
       learn_proportional_labels},
      {{"cells", "any inputs, exact labels of rank = units, few units: cells of the arrangement (BJW Theorem 1)", own_answer}, learn_cells},
      {{"cells-linear-programs", "the same by linear programs (BJW Algorithms 1 and 2 as printed)", own_answer},
       learn_cells_by_linear_programs},
      {{"dead-band",
        "Gaussian inputs, exact labels, outputs >= units: signs by zero conditions with a dead band (BJW Algorithm 5, corrected)",
        {refine, {"error", "how far the tensor's directions may be off (0.1)"}}},
       learn_dead_band},
      {{"dead-band-printed",
        "the same with a one-sided threshold (BJW Algorithm 5 as printed): needs directions that are exact",
        {refine, {"tau", "the threshold (0)"}, {"tolerance", "of the linear system, relative (1e-7)"}}},
       learn_dead_band_printed},
      {{"direction-net", "Gaussian inputs, noise of any kind, one or two units (BJW Algorithm 8)", own_answer}, learn_direction_net},
      {{"corrupted-labels", "some label entries replaced by anything, outputs > units (BJW Theorem 14)", own_answer},
       learn_corrupted_labels},
      {{"rectified-square", "activation max(t, 0)², Gaussian inputs, no biases, units <= inputs; label noise or none (BJW)", own_answer},
       learn_rectified_square},
      {{"rectified-cube", "activation max(t, 0)³, Gaussian inputs, no biases, units <= inputs; label noise or none (BJW)", own_answer},
       learn_rectified_cube},
      {{"rectified-exponential", "activation exp(max(t, 0)) - 1, Gaussian inputs, no biases, units <= inputs; label noise or none (BJW)",
        own_answer},
       learn_rectified_exponential},
  };
  return all;
}

}  // namespace relucover
