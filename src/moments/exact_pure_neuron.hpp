#pragma once
// The moments of the pure-neuron detector of a given network on standard normal inputs, without sampling error (GKLW).
#include "moments/pure_neuron.hpp"
#include "relucover/network.hpp"

namespace relucover {

struct ExactPureNeuronMoments {
  Matrix linear;         // E[y xᵀ] = A W / 2, outputs by inputs
  PureNeuronMoments of;  // of compressᵀ y; without the Gram matrix over samples
};

/// A ReLU network without biases, skip and offset. `compress`: outputs by units.
ExactPureNeuronMoments exact_pure_neuron_moments(const Network& network, const Matrix& compress);

}  // namespace relucover
