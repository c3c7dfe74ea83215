#include "learners/finish/give_up.hpp"

#include <fmt/format.h>

#include <cmath>

#include "learners/best_so_far.hpp"
#include "learners/registry.hpp"

namespace relucover {

bool leaves_more_than_rounding(double relative_cost, double variance, Index outputs, const LabelGrid& grid) {
  constexpr double far = 1e-11, roundings = 10;
  if (relative_cost < far || grid.binary != LabelGrid::no_grid) return false;  // half precision is rounded by more than its last bit
  const double rms = std::sqrt(relative_cost * variance / static_cast<double>(outputs));
  return (!grid.float32 && !grid.rounded()) || rms > roundings * grid.rounding();
}

void give_up_unexplained(const SampleSource& source, const SignFreeModel& model, Result& result) {
  keep_as_best_so_far(source, model, result);
  fail(result, Status::approximate,
       fmt::format("not certified: labels without noise are not explained (relative residual {:.1e}): more samples, or more starts",
                   result.residual_relative));
}

}  // namespace relucover
