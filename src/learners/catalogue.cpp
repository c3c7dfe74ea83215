#include "learners/catalogue.hpp"

namespace relucover {

const std::vector<PaperMethods>& catalogue() {
  static const std::vector<PaperMethods> all = {
      {"", "relucover's own", "",
       {{"auto", "", "nothing: looks at the data and says why it chose what it chose"},
        {"prune", "", "labels of a ReLU network of one hidden layer; any inputs, any outputs, noise of bounded variance"},
        {"deep", "", "labels of a ReLU network of given depth or widths (`--layers`, `--depth`); many samples, little or no noise"},
        {"robust", "", "the same with less than half of the samples wrong, or noise of heavy tails"}}},
      {"ATV", "Awasthi, Tang, Vijayaraghavan 2021: ReLU with biases, one output", "",
       {{"hermite", "Theorems 3.1 and 3.2, corrected", "Gaussian inputs of any covariance"},
        {"hermite-printed", "Algorithms 1 to 4 and 6", "Gaussian inputs, one output; moments alone, so no certificate"},
        {"hermite-regression", "Algorithm 5, Claim D.14", "Gaussian inputs, one output"}}},
      {"GKLW", "Ge, Kuditipudi, Li, Wang 2019: vector outputs, symmetric inputs, no biases", "",
       {{"pure-neuron", "Algorithms 2 to 4, corrected", "inputs symmetric about 0, no biases, outputs >= units"},
        {"single-neuron", "Algorithm 1", "inputs symmetric about 0, one unit for each output"},
        {"pure-neuron-printed", "Algorithm 2", "inputs symmetric about 0, no noise, outputs = units"},
        {"pure-neuron-noise", "Algorithm 3", "inputs symmetric about 0, outputs = units, label noise"},
        {"pure-neuron-wide", "Algorithm 4", "inputs symmetric about 0, outputs >= units, label noise"},
        {"pure-neuron-als", "section 4", "inputs symmetric about 0, outputs = units"}}},
      {"BJW", "Bakshi, Jayaram, Woodruff 2019: vector outputs", "",
       {{"order-two", "Theorems 5, 7 and 10 with order 2 for 3", "Gaussian inputs of any covariance, 2 outputs or more, units <= inputs"},
        {"order-three", "Algorithm 4", "as printed; has no signal for ReLU, and says so"},
        {"order-four", "Algorithms 4 and 6 with order 4", "Gaussian inputs, one output, no biases"},
        {"dead-band", "Algorithm 5, corrected", "Gaussian inputs, exact labels, outputs >= units, no biases"},
        {"dead-band-printed", "Algorithm 5", "the same, and directions that are exact already"},
        {"independent-components", "Algorithm 3, Theorem 4", "Gaussian inputs, orthonormal weights, outputs >= units"},
        {"proportional-labels", "Algorithm 7, Theorem 11", "exact labels, 2 outputs or more, samples where one unit is active alone"},
        {"cells", "Theorem 1, corrected", "any inputs, exact labels of rank = units, few units and samples"},
        {"cells-linear-programs", "Algorithms 1 and 2, Remark 1", "the same"},
        {"direction-net", "Algorithm 8, Theorem 13", "Gaussian inputs, noise independent of them, one or two units"},
        {"corrupted-labels", "Theorem 14, Corollary 8", "a share of the label entries replaced by anything, the others exact; outputs >= units + 2"},
        {"rectified-square", "section 1, rectified activations", "max(t, 0)², Gaussian inputs, no biases, units <= inputs; label noise or none"},
        {"rectified-cube", "section 1, rectified activations", "max(t, 0)³, Gaussian inputs, no biases, units <= inputs; label noise or none"},
        {"rectified-exponential", "section 1, rectified activations", "exp(max(t, 0)) - 1, Gaussian inputs, no biases, units <= inputs; label noise or none"}}},
      {"GP", "Goel, Panigrahy 2018: first layers with high thresholds", "lowest-layer",
       {{"joint", "Theorems 1, 12 and 13, corrected", "inputs N(0, I), units <= inputs, thresholds of 1 or more"},
        {"landscape", "section 2, B.3", "the same, threshold given"},
        {"simultaneous", "B.4", "the same"},
        {"directions", "Theorems 3 and 7, C.1", "two or three inputs, step or ReLU units, threshold and number of units given"}}},
  };
  return all;
}

}  // namespace relucover
