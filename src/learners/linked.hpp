#pragma once
#include "relucover/learn.hpp"
#include "verify/unlinked.hpp"

namespace relucover {

/// Notes on the link that labels were taken back through, and on samples that were too near its ends to carry digits.
void say_link(const Unlink& unlink, Index saturated, Index samples, Result& result);

}  // namespace relucover
