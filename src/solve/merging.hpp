#pragma once
// Two units that bend at nearly the same samples may share the work of one: each is then free to move, and no
// elimination of a single unit sees it. Their sum is one unit on all samples where they agree.
#include "relucover/progress.hpp"
#include "relucover/samples.hpp"
#include "solve/sums.hpp"

namespace relucover {

struct Merged {
  SignFreeModel model;
  /// Part of the samples on whose side of the kink the two units agree (up to turning one around); 0: there was no pair.
  double agreement = 0;
};

/// Puts the two units that agree on most samples together as one; a start for a solve, not an answer.
Merged merge_closest_units(const SampleSource& source, const SignFreeModel& model, const Control& control);

}  // namespace relucover
