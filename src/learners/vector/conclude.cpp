#include "learners/vector/conclude.hpp"

#include <fmt/format.h>

#include "learners/finish/finish.hpp"
#include "verify/input_diagnostics.hpp"
#include "verify/network_error.hpp"

namespace relucover {

void fail_assumption(Result& result, const std::string& which) {
  result.status = Status::assumption_failed;
  result.message = which;
}

bool wants_own_answer(const LearnOptions& options) { return setting(options, "refine", 1) == 0; }

namespace {

void take_own_answer(const SampleSource& source, const Network& answer, const Control& control, Result& result) {
  const NetworkError error = network_error(answer, source, control);
  result.network = canonical(answer);
  result.samples = source.samples();
  result.residual_rms = result.holdout_rms = result.noise_estimate = error.rms;
  result.residual_relative = error.relative;
  result.status = Status::approximate;
  result.message = fmt::format("the method's own answer (refine=0): {} units, relative error {:.2e} on the samples; no certificate",
                               answer.units(), error.relative);
}

}  // namespace

void conclude(const SampleSource& source, const Network& start, InputAssumption assumption, const LearnOptions& options,
              const Control& control, Result& result) {
  if (wants_own_answer(options)) return take_own_answer(source, start, control, result);
  finish(source, sign_free(start), options, control, result);
  if (result.certified() || assumption == InputAssumption::none || source.samples() < 2) return;
  const InputDiagnostics found = diagnose(source, {.seed = options.seed}, control);
  const bool symmetric = assumption == InputAssumption::symmetric;
  const Test& test = symmetric ? found.symmetric : found.gaussian;
  if (test.passed) return;
  fail_assumption(result, fmt::format("the inputs are not {}: {} is {:.1f} standard deviations off, {:.1f} would pass; {}",
                                      symmetric ? "symmetric about 0" : "Gaussian", test.worst, std::abs(test.worst_z), test.threshold,
                                      result.message));
}

}  // namespace relucover
