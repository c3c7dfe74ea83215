#pragma once
// An answer to labels without noise that leaves more than their rounding is wrong somewhere: no certificate is worth the time.
#include "relucover/learn.hpp"
#include "solve/sign_free.hpp"
#include "verify/label_grid.hpp"

namespace relucover {

/// `relative_cost`: of the variance of the labels, on samples that were not fitted.
bool leaves_more_than_rounding(double relative_cost, double variance, Index outputs, const LabelGrid& grid);

/// The model as it is, with words that say why nothing is claimed.
void give_up_unexplained(const SampleSource& source, const SignFreeModel& model, Result& result);

}  // namespace relucover
