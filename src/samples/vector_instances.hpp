#pragma once
// Planted networks with vector outputs and without biases, of given condition numbers, and labels made bad on purpose.
#include "relucover/samples.hpp"

namespace relucover {

struct VectorNetworkOptions {
  Index inputs = 0, units = 0, outputs = 0;
  /// Ratio of largest to least singular value of W and of A, singular values spaced evenly in logarithm (GKLW section 4.3);
  /// 1: orthonormal rows of W, columns (rows, if there are fewer outputs than units) of A.
  double weight_condition = 1, output_condition = 1;
  Activation activation = Activation::relu;
  std::uint64_t seed = 0;
};
Network vector_network(const VectorNetworkOptions& options);

/// W moved by Gaussian noise of the given standard deviation per entry: the smoothed setting of GKLW.
Network perturbed_weights(Network network, double deviation, std::uint64_t seed);

}  // namespace relucover
