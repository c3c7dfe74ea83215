#pragma once
// Which networks have the same function: units that can be turned around together without anybody noticing.
#include <vector>

#include "relucover/network.hpp"

namespace relucover {

struct SignIdentifiability {
  bool unique = false;    // the only way round, and this was established
  bool complete = false;  // every equivalent sign vector is listed
  /// Sign vectors ξ (+1 as it stands, -1 turned around) with the same function; the first is all +1.
  std::vector<std::vector<int>> signs;
};

/// relu(t) = (|t| + t)/2, so turning the units of a set S around changes f by -Σ_{S} a_i (w_i·x + b_i): the functions are
/// equal exactly if Σ ξ_i a_i (w_i, b_i) = Σ a_i (w_i, b_i), which for one output is ATV (2). Lists at most `limit`.
SignIdentifiability sign_identifiability(const Network& network, Index limit = 4096);

struct Equivalence {
  bool same = false;  // the same function, whatever the inputs
  Index turned = 0;   // units that stand the other way round
};
/// Units that add up to affine parts are left out; the others are paired and may be turned around; the functions are the same if the linear
/// parts of turned units add up to the difference of the affine parts. Tolerance relative to the size of the weights.
Equivalence equivalence(const Network& one, const Network& other, double tolerance = 1e-9);

/// The network with the units turned around where ξ is -1.
Network turned_around(const Network& network, const std::vector<int>& signs);

}  // namespace relucover
