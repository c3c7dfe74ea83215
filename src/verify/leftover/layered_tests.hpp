#pragma once
// Is there anything left to explain by a network of several layers? As for one hidden layer, and: a further unit or a linear path anywhere
// in it, other shapes of its units.
#include "verify/leftover/judged_layers.hpp"
#include "verify/leftover/leftover_tests.hpp"

namespace relucover {

/// The detection limit is that of the layer where a further unit shows least: beside each unit, with its slope and its weights above.
LeftoverVerdict nothing_left(const JudgedLayers& judged, const LabelGrid& grid, std::uint64_t seed, const Control& control);

}  // namespace relucover
