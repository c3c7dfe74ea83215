#pragma once
// Networks whose units have dependent weight vectors, so that their signs can't be told from data.
#include "relucover/network.hpp"

namespace relucover {

/// Random unit weight vectors, more than inputs, no biases, and output weights a with Σ a_i w_i = 0: turning all units
/// around leaves the function as it is (ATV Claim 4.8).
Network dependent_network(Index inputs, Index units, std::uint64_t seed);

}  // namespace relucover
