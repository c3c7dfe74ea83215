#pragma once
// The same function with as many units as it has kinks.
#include "relucover/network.hpp"

namespace relucover {

/// ReLU units that bend along one hyperplane are made one; those without a bend, and those that add up to an affine part
/// (relu(t) - relu(-t) = t, say), go into skip and offset. Other activations: as given.
Network reduced(const Network& network, double tolerance = 1e-9);

}  // namespace relucover
