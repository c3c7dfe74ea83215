#pragma once
// Labels with noise: the search ends at the noise, not at rounding.
#include "learners/deep/deep_search.hpp"

namespace relucover {

/// Three starts or more came to the same cost: what is left is noise, as far as this search can tell.
bool at_a_floor(const std::vector<double>& costs_of_starts);

/// The best fit of a search that found nothing exact, taken to the widths it may have and written as a plain network fitted to all
/// samples: found, and noisy. The outcome stays as it is where a unit more must stay for the fit to be as good.
void look_through_noise(const DeepData& data, const Control& control, DeepSearchOutcome& outcome);

}  // namespace relucover
