#pragma once
// Labels with noise: the search ends at the noise, not at rounding.
#include "learners/deep/deep_search.hpp"

namespace relucover {

/// Three starts or more came to the same cost: what is left is noise, as far as this search can tell.
bool at_a_floor(const std::vector<double>& costs_of_starts);

/// The best fits of starts that found nothing exact, taken to the widths they may have and written as plain networks fitted to all
/// samples, one after the other until one is: found, and noisy. None is where a unit more must stay for the fit to be as good.
bool look_through_noise(const DeepData& data, const Control& control, DeepSearchOutcome& outcome);

}  // namespace relucover
