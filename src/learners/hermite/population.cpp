#include "relucover/population.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "learners/hermite/moment_methods.hpp"
#include "learners/stage_clock.hpp"
#include "verify/gate.hpp"

namespace relucover {

namespace {

void judge(const Network& truth, const MomentAnswer& answer, Result& result) {
  const Comparison errors = compare(truth, result.network);
  result.residual_relative = result.holdout_rms = errors.function_rms;
  result.figures["max_parameter_error"] = std::max({errors.max_weight_error, errors.max_bias_error, errors.max_output_error});
  result.sign_ambiguous = !answer.signs_unique;
  const Certificate certificate = Gate::judge_population(truth, result.network);
  result.status = certificate.status;
  result.message = certificate.reason;
  if (!answer.equivalent.empty())
    result.notes.push_back(fmt::format("{} other sign vectors give the same function", answer.equivalent.size()));
  if (!answer.signs_resolved)
    result.notes.push_back("signs unresolved: the affine part is kept as skip and offset, the function is the same");
}

}  // namespace

Result learn_from_network(const Network& truth, const LearnOptions& options) {
  return learn_from_moments(options, "a network", {}, "exact moments of a given network", [&](const Control& control, Result& result) {
    const StageClock clock("moments");
    const ExactMoments moments(truth);
    const auto chosen = moment_options(options);
    const MomentAnswer answer =
        result.method == "hermite-printed" ? printed_units(moments, chosen, control) : pencil_units(moments, chosen, control);
    clock.file(result, 1, answer.risk / std::max(moments.label_variance(), 1e-300));
    result.figures["moment_risk"] = answer.risk;
    result.network = answer.network();
    judge(truth, answer, result);
  });
}

}  // namespace relucover
