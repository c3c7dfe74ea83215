#pragma once
#include "learners/deep/deep_search.hpp"

namespace relucover {

/// Widths as the options have them; those that are not known, and the depth, are found by searches from few units upwards. An exact fit
/// with units to spare is shrunk, so the first widths that fit are enough.
/// `asked`: what queries have shown; `fits`: told of them, as in DeepSearchOptions.
DeepSearchOutcome search_for_widths(const DeepData& data, const LearnOptions& options, const Control& control,
                                    const AskedLayers& asked = {}, std::function<void(const LayeredModel&, double)> fits = {});

}  // namespace relucover
