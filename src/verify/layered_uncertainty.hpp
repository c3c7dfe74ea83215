#pragma once
// How well noise lets samples determine a network of several layers.
#include <vector>

#include "relucover/progress.hpp"
#include "verify/leftover/judged_layers.hpp"

namespace relucover {

struct LayeredUncertainty {
  bool determined = false;  // no weight can change, up to the scalings of units
  /// Of every unit, layer by layer: what noise leaves of w·h + b that is not its scale, over its spread; lower layers' errors included.
  Vector unit_error;
  /// Of every unit: χ² by which the weights that see it differ from zero, and how many these are.
  Vector strength, freedom;
  /// Chance of so different answers from the two halves of the samples.
  double halves_chance = 1;
  Vector all_errors() const;  // of units: the larger of unit_error and what strength says of the weights that see it
};

/// The noise is as large at every sample as the residual there says.
LayeredUncertainty layered_uncertainty(const JudgedLayers& judged, std::uint64_t seed, const Control& control);

}  // namespace relucover
