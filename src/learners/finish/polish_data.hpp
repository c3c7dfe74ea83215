#pragma once
#include <memory>

#include "relucover/progress.hpp"
#include "relucover/samples.hpp"
#include "solve/sign_free.hpp"

namespace relucover {

/// Rows to polish on and rows to judge by, none in both.
struct PolishData {
  std::unique_ptr<SampleSource> fit, judge;
};
PolishData polish_data(const SampleSource& source, const SignFreeModel& model, const Control& control);

}  // namespace relucover
