#pragma once
#include "relucover/network.hpp"

namespace relucover {

/// Summed squared distances after normalising rows of W and columns of A and pairing units (GKLW section 4.1): at most 4 a unit.
struct SquaredErrors {
  double weights = 0, outputs = 0;
  double worst() const { return weights > outputs ? weights : outputs; }
};
/// `up_to_sign`: rows of W may be turned around (a stage before the signs are known); outputs are then left out.
SquaredErrors squared_errors(const Network& truth, const Network& answer, bool up_to_sign = false);

}  // namespace relucover
