// Learning from sums of powers that were made elsewhere.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "learners/hermite/hermite.hpp"
#include "learners/hermite/moment_methods.hpp"
#include "learners/stage_clock.hpp"
#include "moments/summed_moments.hpp"
#include "relucover/power_sums.hpp"

namespace relucover {

namespace {

void report_gaussianity_of_sums(const SummedMoments& moments, Result& result) {
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
  // Without samples nobody knows what is left.
  result.residual_rms = result.residual_relative = result.holdout_rms = result.noise_estimate = std::numeric_limits<double>::quiet_NaN();
  result.status = Status::approximate;
  result.message = fmt::format("moments alone: {} units from {} samples; no certificate: give samples too (learn DATA --moments FILE)",
                               result.network.units(), moments.samples());
}

}  // namespace

Result learn_from_power_sums(const PowerSums& sums, const LearnOptions& options, const SampleSource* samples) {
  std::vector<std::string> problems;
  if (!options.checkpoint.empty() || !options.resume.empty()) problems.push_back("there is no long work to keep a checkpoint of");
  if (sums.outputs != 1)
    problems.push_back(fmt::format("the moments are of {} labels, expected one: make moments of one label", sums.outputs));
  if (samples && samples->inputs() != sums.inputs)
    problems.push_back(fmt::format("the samples have {} inputs, the moments {}", samples->inputs(), sums.inputs));
  if (samples && samples->outputs() != sums.outputs)
    problems.push_back(fmt::format("the samples have {} labels, the moments {}", samples->outputs(), sums.outputs));
  return learn_from_moments(options, "moments", problems, "moments of samples", [&](const Control& control, Result& result) {
    result.samples = samples ? samples->samples() : sums.samples;
    const SummedMoments moments(sums);
    report_gaussianity_of_sums(moments, result);
    if (samples && options.method != "hermite-printed")
      learn_from_start(*samples, moment_start(moments, *samples, options, control, result), options, control, result);
    else
      answer_from_moments(moments, options, control, result);
  });
}

}  // namespace relucover
