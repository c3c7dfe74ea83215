#include "relucover/population.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "learners/hermite/moment_methods.hpp"
#include "learners/stage_clock.hpp"
#include "learners/vector/pure_neuron_population.hpp"
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
  const bool pure = options.method == "auto" && truth.outputs() > 1;
  if (pure || has_exact_pure_neurons(options.method)) return learn_pure_neurons_from_network(truth, options);
  return learn_from_moments(options, "a network", {}, "exact moments of a given network", [&](const Control& control, Result& result) {
    const StageClock clock("moments");
    const ExactMoments moments(truth);
    const auto chosen = moment_options(options);
    const MomentAnswer answer =
        result.method == "hermite-printed" ? printed_units(moments, chosen, control) : pencil_units(moments, chosen, control);
    clock.file(result, 1, answer.risk / std::max(moments.label_variance(), 1e-300));
    result.figures["moment_risk"] = answer.risk;
    result.network = answer.network();
    // On exact moments the right units leave rounding; anything else is no answer, whatever its weights look like.
    constexpr double fits = 1e-3;
    const double left = answer.risk / std::max(moments.label_variance(), 1e-300);
    if (!(left <= fits) || !result.network.W.allFinite() || !result.network.A.allFinite() || !result.network.b.allFinite()) {
      result.status = Status::assumption_failed;
      result.message = fmt::format(
          "{} units from pencils of order {} leave {:.1e} of the moments: weight vectors are dependent in tuples of that order, or there "
          "are more units than tuples ({} inputs have room for {} at order 3); give --units or --set order=3",
          answer.units.count(), answer.tuple_order, left, truth.inputs(), packed_size(truth.inputs(), 3));
      return;
    }
    judge(truth, answer, result);
  });
}

}  // namespace relucover
