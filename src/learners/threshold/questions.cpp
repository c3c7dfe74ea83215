#include "learners/threshold/questions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "learners/threshold/refine_estimate.hpp"

namespace relucover {

void refine_by_questions(const SampleSource& source, const FirstLayerOptions& options, const FirstStep& step, const HoldOut& holdout,
                         FirstLayerResult& result, const Control& control) {
  RefineEstimateOptions refine{.iterations = options.rounds, .band_samples = options.questions_per_band, .rest = step.view.rest, .seed = options.seed};
  double queries = 0, worst = 0;
  for (Index i = 0; i < step.W.rows(); ++i) {
    control.progress("questions", static_cast<double>(i) / static_cast<double>(step.W.rows()), fmt::format("unit {}", i));
    refine.seed = options.seed + static_cast<std::uint64_t>(i);
    const RefineEstimate refined = refine_estimate(*options.oracle, step.W.row(i).transpose(), refine, control);
    result.model.W.row(i) = refined.w.transpose();
    result.model.t[i] = refined.threshold;
    queries += static_cast<double>(refined.queries);
    worst = std::max(worst, refined.angle);
  }
  result.method += ", questions";
  result.figures["questions"] = queries;
  result.figures["angle_by_questions"] = worst;
  LabelView activity = step.view;
  activity.kind = LabelView::Kind::activity;
  certify_by_activity(source, activity, holdout, result, control);
  result.direction_error = worst;
  result.message = fmt::format("{:.0f} questions place directions within {:.1e} rad; {}", queries, worst, result.message);
}

}  // namespace relucover
