#include "relucover/population.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/blas.hpp"
#include "core/check.hpp"
#include "learners/hermite/moment_methods.hpp"
#include "learners/stage_clock.hpp"

namespace relucover {

namespace {

void judge(const Network& truth, const MomentAnswer& answer, Result& result) {
  constexpr double same = 1e-8;
  const Comparison errors = compare(truth, result.network);
  result.residual_relative = result.holdout_rms = errors.function_rms;
  const double worst = std::max({errors.max_weight_error, errors.max_bias_error, errors.max_output_error});
  result.figures["max_parameter_error"] = worst;
  const bool all = errors.units_matched == errors.units_truth && result.network.units() == errors.units_truth;
  result.sign_ambiguous = !answer.signs_unique;
  if (all && worst <= same && errors.function_rms <= same) {
    result.status = Status::exact;
    result.message = fmt::format("{} units from exact moments, parameters within {:.1e} of the given network{}",
                                 result.network.units(), worst, errors.up_to_sign ? " up to sign" : "");
  } else {
    result.status = Status::approximate;
    result.message = fmt::format("{} of {} units from exact moments, relative error of the function {:.1e}", errors.units_matched,
                                 errors.units_truth, errors.function_rms);
  }
  if (!answer.equivalent.empty())
    result.notes.push_back(fmt::format("{} other sign vectors give the same function", answer.equivalent.size()));
  if (!answer.signs_resolved)
    result.notes.push_back("signs unresolved: the affine part is kept as skip and offset, the function is the same");
}

}  // namespace

Result learn_from_network(const Network& truth, const LearnOptions& options) {
  auto problems = options.problems();
  const bool printed = options.method == "hermite-printed";
  if (!printed && options.method != "hermite" && options.method != "auto")
    problems.push_back(fmt::format("method {} needs samples; from a network there are hermite and hermite-printed", options.method));
  check_no_problems("learn from a network", problems);
  const Control control(options.threads, options.time_limit, options.observer);
  const SingleThreadedBlas single_threaded;
  Result result;
  result.method = printed ? "hermite-printed" : "hermite";
  result.method_asked = options.method;
  result.method_reason = "exact moments of a given network";
  result.units_asked = options.units;
  const StageClock clock("learn");
  try {
    const ExactMoments moments(truth);
    const auto chosen = moment_options(options);
    const MomentAnswer answer =
        printed ? printed_units(moments, chosen, control) : pencil_units(moments, chosen, control);
    clock.file(result, 1, answer.risk / std::max(moments.label_variance(), 1e-300));
    result.figures["moment_risk"] = answer.risk;
    result.network = answer.network();
    judge(truth, answer, result);
  } catch (const Interrupted& interrupted) {
    result.status = Status::budget_exhausted;
    result.message = interrupted.what();
  }
  result.seconds = clock.seconds();
  return result;
}

}  // namespace relucover
