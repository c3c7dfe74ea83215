#pragma once
// Deep networks layer by layer: the output is the last affine map, so that loops need no special case for it.
#include <vector>

#include "relucover/network.hpp"

namespace relucover {

/// Map l takes the values of level l (level 0: the inputs) and, by `around`, those of level l - 1 to level l + 1.
struct AffineMap {
  Matrix W;
  Vector b;
  Matrix around;  // empty: none
};
/// One map for each hidden layer and one for the output.
std::vector<AffineMap> maps_of(const Network& network);
/// The network of these maps; skip and activation as in `like`.
Network network_of(const std::vector<AffineMap>& maps, const Network& like);

/// canonical() of a deep network.
Network canonical_layers(const Network& network);

/// compare() of networks of which one is deep.
Comparison compare_layers(const Network& truth, const Network& answer);

}  // namespace relucover
