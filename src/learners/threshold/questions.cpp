#include "learners/threshold/questions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/random.hpp"
#include "learners/threshold/refine_estimate.hpp"

namespace relucover {

namespace {

constexpr std::uint64_t rest_stream = (std::uint64_t{1} << 40) - 3;  // beside those of refine_estimate

/// The model's own value at rest and what counts as it: its answers need not be the labels (rounding, noise).
constexpr Index asked_for_rest = 4000;
RestValue rest_of(const FirstLayerOptions& options, RefineEstimateOptions& refine, const Control& control) {
  RandomStream random(options.seed, purpose::queries, rest_stream);
  RowMatrix x(asked_for_rest, options.oracle->inputs());
  for (double& value : x.reshaped()) value = random.normal();
  const RowMatrix y = options.oracle->answer(x);
  const MemorySource<double> answers(std::move(x), y);
  const double rounding = label_rounding(answers, control);
  const RestValue rest = rest_value(answers, rounding, control);
  refine.rest = rest.value;
  refine.tolerance = std::max(1e-12 * std::max(1.0, std::abs(rest.value)), 1.5 * rounding);
  return rest;
}

}  // namespace

void refine_by_questions(const SampleSource& source, const FirstLayerOptions& options, const FirstStep& step, const HoldOut& holdout,
                         FirstLayerResult& result, const Control& control) {
  RefineEstimateOptions refine{.iterations = options.rounds, .band_samples = options.questions_per_band, .seed = options.seed};
  const RestValue rest = rest_of(options, refine, control);
  if (rest.noisy()) {
    result.status = Status::approximate;
    result.message = fmt::format(
        "first step only: no answer of the model that is asked is frequent ({:.1f}% at {:.3g}), so it can't be seen whether a unit is "
        "active",
        100 * rest.share, rest.value);
    return;
  }
  double queries = asked_for_rest, worst = 0;
  for (Index i = 0; i < step.W.rows(); ++i) {
    control.progress("questions", static_cast<double>(i) / static_cast<double>(step.W.rows()), fmt::format("unit {}", i));
    refine.seed = options.seed + static_cast<std::uint64_t>(i);
    const RefineEstimate refined = refine_estimate(*options.oracle, step.W.row(i).transpose(), refine, control);
    result.model.W.row(i) = refined.w.transpose();
    result.model.t[i] = refined.threshold;
    queries += static_cast<double>(refined.queries);
    if (refined.lost) {
      result.status = Status::approximate;
      result.message = fmt::format("first step only: questions find no boundary along unit {} at a threshold from 0 to {:g}", i,
                                   refine.highest_threshold);
      result.model.W = step.W;
      result.model.t = step.t;
      return;
    }
    worst = std::max(worst, refined.angle);
  }
  result.method += ", questions";
  result.figures["questions"] = queries;
  result.figures["angle_by_questions"] = worst;
  LabelView activity = step.view;
  activity.kind = LabelView::Kind::activity;
  certify_by_activity(source, activity, holdout, result, control);
  result.direction_error = worst;
  result.message =
      fmt::format("{:.0f} questions, after which directions are off by about {:.1e} rad (Algorithm 2); {}", queries, worst, result.message);
}

}  // namespace relucover
