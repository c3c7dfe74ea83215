#pragma once
// Directions from score tensors of order 3 and 4 (BJW Algorithm 4). Order 3 is printed for ReLU, but E[relu(z) He_3(z)] = 0:
// the tensor has no signal, which is measured here. Order 4 has (-φ(0)) and is for one output.
#include "relucover/network.hpp"
#include "relucover/progress.hpp"
#include "relucover/samples.hpp"

namespace relucover {

struct HigherOrderStart {
  Matrix directions;  // rows in the inputs' coordinates, up to sign; empty if there is a problem
  std::string problem;
  double norm = 0;   // of the tensor
  double noise = 0;  // its expected norm if there were no signal
};
HigherOrderStart order_three_directions(const SampleSource& source, Index units, std::uint64_t seed, const Control& control);
HigherOrderStart order_four_directions(const SampleSource& source, Index units, std::uint64_t seed, const Control& control);

}  // namespace relucover
