// Learning from sums of powers that were made elsewhere.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/blas.hpp"
#include "core/check.hpp"
#include "learners/hermite/hermite.hpp"
#include "learners/hermite/moment_methods.hpp"
#include "learners/stage_clock.hpp"
#include "moments/summed_moments.hpp"
#include "relucover/power_sums.hpp"

namespace relucover {

namespace {

void report_gaussianity(const SummedMoments& moments, Result& result) {
  const double score = moments.fourth_moment_score();
  result.figures["fourth_moment_score"] = score;
  if (std::abs(score) > 6)
    result.notes.push_back(fmt::format("the inputs are not Gaussian: their fourth moment is {:.0f} standard deviations off", score));
}

void answer_from_moments(const SummedMoments& moments, const LearnOptions& options, const Control& control, Result& result) {
  const StageClock clock("moments");
  const MomentMethodOptions chosen = moment_options(options);
  const MomentAnswer answer =
      options.method == "hermite-printed" ? printed_units(moments, chosen, control) : pencil_units(moments, chosen, control);
  result.network = on_inputs(answer, moments.whitening());
  result.figures["moment_risk"] = answer.risk;
  clock.file(result, 1, answer.risk / std::max(moments.label_variance(), 1e-300));
  result.status = Status::approximate;
  result.message = fmt::format("moments alone: {} units from {} samples; no certificate: give samples too (learn DATA --moments FILE)",
                               result.network.units(), moments.samples());
}

}  // namespace

Result learn_from_power_sums(const PowerSums& sums, const LearnOptions& options, const SampleSource* samples) {
  auto problems = options.problems();
  if (options.method != "hermite-printed" && options.method != "hermite" && options.method != "auto")
    problems.push_back(fmt::format("method {} needs samples; from moments there are hermite and hermite-printed", options.method));
  if (sums.outputs != 1)
    problems.push_back(fmt::format("the moments are of {} labels, expected one: make moments of one label", sums.outputs));
  if (samples && samples->inputs() != sums.inputs)
    problems.push_back(fmt::format("the samples have {} inputs, the moments {}", samples->inputs(), sums.inputs));
  if (samples && samples->outputs() != sums.outputs)
    problems.push_back(fmt::format("the samples have {} labels, the moments {}", samples->outputs(), sums.outputs));
  check_no_problems("learn from moments", problems);
  const Control control(options.threads, options.time_limit, options.observer);
  const SingleThreadedBlas single_threaded;
  Result result;
  result.method = options.method == "hermite-printed" ? options.method : "hermite";
  result.method_asked = options.method;
  result.method_reason = "moments of samples";
  result.units_asked = options.units;
  result.samples = samples ? samples->samples() : sums.samples;
  const StageClock clock("learn");
  try {
    const SummedMoments moments(sums);
    report_gaussianity(moments, result);
    if (samples && options.method != "hermite-printed")
      learn_from_start(*samples, moment_start(moments, *samples, options, control, result), options, control, result);
    else
      answer_from_moments(moments, options, control, result);
  } catch (const Interrupted& interrupted) {
    result.status = Status::budget_exhausted;
    result.message = interrupted.what();
  }
  result.seconds = clock.seconds();
  return result;
}

}  // namespace relucover
