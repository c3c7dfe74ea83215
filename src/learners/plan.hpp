#pragma once
// `--method auto`: one method after the other until an answer is certified.
#include "relucover/learn.hpp"

namespace relucover {

/// Name of a setting that the plan gives to method deep where nobody asked for several layers: the relative residual of one. The look is
/// short, with few units, and given up where it does not leave far less.
/// For `prune` where the number of units is free: end where more units than a first look at the samples allows would gain (1), or go on
/// from there with this many.
inline constexpr const char* few_units_setting = "few_units";
inline constexpr const char* least_width_setting = "least_width";
inline constexpr const char* unasked_setting = "unasked";

/// The best answer stays, with the stages of all that were tried.
void learn_by_plan(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result);

}  // namespace relucover
