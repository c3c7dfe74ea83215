#pragma once
// Do residuals gather at the kinks of the units? Two nearly parallel units that were taken for one differ from it only
// between their kinks, where hardly any sample lies: averages over all samples do not see it.
#include "moments/whitening.hpp"
#include "relucover/progress.hpp"
#include "solve/sign_free.hpp"

namespace relucover {

struct KinkLeftover {
  Index unit = -1;       // where it is worst
  double score = 0;      // (mean r² near the kink - mean r²) / its standard error
  double distance = 0;   // "near": within this many standard deviations of w·x
};
KinkLeftover kink_leftover(const SampleSource& source, const SignFreeModel& model, const Whitening& whitening, const Control& control);

}  // namespace relucover
