#pragma once
#include <string>

#include "relucover/learn.hpp"

namespace relucover {

struct Choice {
  std::string method;
  std::string reason;
};

/// What `--method auto` means for these samples.
Choice choose_method(const SampleSource& source, const LearnOptions& options, const Control& control);

}  // namespace relucover
