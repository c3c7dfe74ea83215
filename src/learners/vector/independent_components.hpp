#pragma once
// Orthonormal W and Gaussian inputs: relu(W x) has independent entries, so A is found by independent component analysis
// (BJW Algorithm 3). A rectified Gaussian is skew, so third cumulants do: one pass, then orthogonal joint diagonalisation.
#include "relucover/network.hpp"
#include "relucover/progress.hpp"
#include "relucover/samples.hpp"

namespace relucover {

struct IndependentStart {
  Network network;
  Matrix sketch;  // outputs by units: Tᵀ
  std::string problem;
  double off_diagonal = 0;  // share of the third cumulant that no rotation makes diagonal: 0 for independent entries
};
IndependentStart independent_component_start(const SampleSource& source, Index units, std::uint64_t seed, const Control& control);

}  // namespace relucover
