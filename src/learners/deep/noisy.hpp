#pragma once
// Labels with noise: the search ends at the noise, not at rounding.
#include <optional>

#include "learners/deep/deep_data.hpp"
#include "learners/deep/plain_form.hpp"

namespace relucover {

/// Three starts or more came to the same cost: what is left is noise, as far as this search can tell.
bool at_a_floor(const std::vector<double>& costs_of_starts);

/// A fit that stands at the noise, with as many units as `widths` (empty: as few as there can be), as a plain network fitted to all
/// samples. None: a unit must stay for the fit to be as good.
std::optional<PlainForm> fitted_through_noise(const LayeredModel& sign_free, const DeepData& data, const std::vector<Index>& widths,
                                              const Control& control);

}  // namespace relucover
