#pragma once
// How every ReLU learner ends: polish on the data, signs, certificate, status.
#include "relucover/learn.hpp"
#include "solve/sign_free.hpp"

namespace relucover {

/// `model` is a candidate in the coordinates of `source`; fills network, status, message, residuals and stages of `result`.
void finish(const SampleSource& source, SignFreeModel model, const LearnOptions& options, const Control& control, Result& result);

}  // namespace relucover
