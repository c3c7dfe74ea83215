#pragma once
#include "learners/deep/deep_search.hpp"

namespace relucover {

/// Name of a setting that the plan gives where nobody asked for several layers: the relative residual of one. The look is short, with few
/// units, and given up where it does not leave far less.
inline constexpr const char* unasked_setting = "unasked";

/// Widths as the options have them; those that are not known, and the depth, are found by searches from few units upwards. An exact fit
/// with units to spare is shrunk, so the first widths that fit are enough.
DeepSearchOutcome search_for_widths(const DeepData& data, const LearnOptions& options, const Control& control);

}  // namespace relucover
