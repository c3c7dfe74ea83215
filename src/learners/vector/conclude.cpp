#include "learners/vector/conclude.hpp"

#include <fmt/format.h>

#include "learners/finish.hpp"
#include "verify/input_diagnostics.hpp"

namespace relucover {

void fail_assumption(Result& result, const std::string& which) {
  result.status = Status::assumption_failed;
  result.message = which;
}

void conclude(const SampleSource& source, const Network& start, InputAssumption assumption, const LearnOptions& options,
              const Control& control, Result& result) {
  finish(source, sign_free(start), options, control, result);
  if (result.certified() || assumption == InputAssumption::none || source.samples() < 2) return;
  const InputDiagnostics found = diagnose(source, {.seed = options.seed}, control);
  const bool symmetric = assumption == InputAssumption::symmetric;
  const Test& test = symmetric ? found.symmetric : found.gaussian;
  if (test.passed) return;
  fail_assumption(result, fmt::format("the inputs are not {}: {} is {:.1f} standard deviations off, {:.1f} would pass; {}",
                                      symmetric ? "symmetric about 0" : "Gaussian", test.worst, std::abs(test.worst_z),
                                      test.threshold, result.message));
}

}  // namespace relucover
