#pragma once
// How every ReLU learner ends: polish on the data, signs, certificate, status.
#include <optional>

#include "relucover/learn.hpp"
#include "solve/sign_free.hpp"
#include "verify/gate.hpp"

namespace relucover {

/// `model` is a candidate in the coordinates of `source`; fills network, status, message, residuals and stages of `result`.
/// `partly`: the samples that `source` was taken from, where others were left out.
void finish(const SampleSource& source, SignFreeModel model, const LearnOptions& options, const Control& control, Result& result,
            std::optional<PartlyExplained> partly = std::nullopt);

}  // namespace relucover
