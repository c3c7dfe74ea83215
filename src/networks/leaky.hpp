#pragma once
// Leaky units: a(u) = max(u, 0) + s min(u, 0) = (1 - s) relu(u) + s u.
#include <optional>

#include "relucover/network.hpp"

namespace relucover {

/// The leaky network with one slope for all units that is this network of ReLUs with a linear term, if there is one and the weights
/// determine it (at most as many units as inputs times outputs). `precision`: how well the weights are known, relative.
std::optional<Network> as_leaky(const Network& network, double precision);

}  // namespace relucover
