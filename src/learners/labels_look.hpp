#pragma once
// What labels look like, from a short attempt to explain them: what `diagnose` says before anybody waits for `learn`.
#include <cstdint>
#include <string>

#include "relucover/progress.hpp"
#include "relucover/samples.hpp"

namespace relucover {

struct LookOptions {
  double seconds = 5;      // for the attempt
  Index samples = 20'000;  // looked at, at most
  std::uint64_t seed = 1;
  Observer* observer = nullptr;
};

/// Constant, class labels, steps, kinked (one hidden layer), deeper, smooth, noisy: in words, with the figure that shows it.
std::string labels_look_like(const SampleSource& source, const LookOptions& options, const Control& control);

}  // namespace relucover
