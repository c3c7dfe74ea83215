#pragma once
#include "relucover/learn.hpp"
#include "solve/sign_free.hpp"

namespace relucover {

/// Labels of which some are wrong, or whose noise has heavy tails. The search sees the samples without the grossest
/// outliers; c² log(1 + |r|²/c²) with c from the median residual then takes all of them; the samples whose residual lies
/// within a few medians are what the answer is fitted to and judged by. More than half of the samples must be such.
void learn_robustly(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result);

/// The same from a start that another method found.
void finish_robustly(const MemorySource<double>& data, const SignFreeModel& start, const LearnOptions& options, const Control& control,
                     Result& result);

}  // namespace relucover
