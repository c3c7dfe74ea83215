#pragma once
// Other networks of the same kind that might explain noisy samples as well.
#include <optional>
#include <string>

#include "relucover/progress.hpp"
#include "verify/leftover/judged_layers.hpp"

namespace relucover {

/// Each unit is left out on trial, and taken by its other side, and everything fitted again: the fit must become worse than noise excuses.
/// Else in words what could be otherwise.
std::optional<std::string> other_network(const JudgedLayers& judged, std::uint64_t seed, const Control& control);

}  // namespace relucover
