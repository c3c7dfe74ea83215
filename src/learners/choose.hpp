#pragma once
#include <string>
#include <vector>

#include "relucover/learn.hpp"

namespace relucover {

struct Choice {
  std::string method;
  std::string reason;
  /// Where the number of units was not given: this many; 0: the method finds out.
  Index units = 0;
};

/// What `--method auto` means for these samples: methods in the order to try them, until one has a certificate. The last
/// one takes any data.
std::vector<Choice> choose_methods(const SampleSource& source, const LearnOptions& options, const Control& control);

}  // namespace relucover
