// Unions and intersections of halfspaces from 0/1 labels, thresholds unknown (GP section 2.3).
#include <fmt/format.h>

#include <cmath>

#include "learners/threshold/band_fit.hpp"
#include "learners/threshold/certificate.hpp"
#include "learners/threshold/task.hpp"
#include "reduce/reduce.hpp"

namespace relucover {

namespace {

struct CountOnes {
  using Scalar = double;
  Index zeros = 0, ones = 0, others = 0;
  void add(const Block<double>& block) {
    for (Index i = 0; i < block.rows(); ++i) {
      const double y = block.y(i, 0);
      ++(y == 0 ? zeros : y == 1 ? ones : others);
    }
  }
  void fields(auto& visit) { visit(zeros, ones, others); }
};

void fail_task(FirstLayerResult& result, const std::string& why) {
  result.status = Status::assumption_failed;
  result.message = why;
}

/// Expected number of active units: d Φ(-t) where the threshold is known, else from how often labels are active
/// (-log Pr[no unit active], which is Σ Φ(-t_i) for independent units).
double expected_active(const FirstLayerOptions& options, double active_share) {
  if (std::isfinite(options.threshold) && options.units > 0)
    return static_cast<double>(options.units) * 0.5 * std::erfc(options.threshold / std::sqrt(2.0));
  return -std::log1p(-active_share);
}

void halfspaces(const SampleSource& source, const FirstLayerOptions& options, FirstLayerResult& result, const Control& control) {
  TaskClock clock(result);
  const CountOnes counted = reduce(source, CountOnes{}, control);
  if (counted.others > 0) return fail_task(result, fmt::format("{} labels are neither 0 nor 1", counted.others));
  const bool intersection = counted.ones > counted.zeros;
  const double share = static_cast<double>(std::min(counted.ones, counted.zeros)) / static_cast<double>(source.samples());
  result.figures["active_share"] = share;
  result.figures["intersection"] = intersection;
  if (share == 0) return fail_task(result, "all labels are the same");
  const double active = expected_active(options, share);
  result.figures["expected_active_units"] = active;
  constexpr double reachable = 0.3;  // MATH section 3: beyond, the first step's directions are wrong
  // 1 is the more frequent label: that may be an intersection, or a union of halfspaces that overlap.
  const double as_union = -std::log(share);
  if (active > reachable && intersection && !std::isfinite(options.threshold)) {
    result.figures["expected_active_units"] = as_union;
    return fail_task(
        result,
        fmt::format(
            "d*Phi(-t) = {:.2f} > {} for a union of halfspaces with this many labels 1 (for an intersection {:.2f}): they overlap too "
            "much for their moments to tell them apart",
            as_union, reachable, active));
  }
  if (active > reachable)
    return fail_task(result, fmt::format("d*Phi(-t) = {:.2f} > {}: the halfspaces overlap too much for their moments to tell them apart",
                                         active, reachable));

  const HoldOut holdout(source.samples());
  const UnitFunction step_unit{UnitFunction::Kind::step};
  const FirstStep step = run_first_step(source, options, step_unit, intersection, holdout, result, control);
  if (step.W.rows() == 0) return fail_task(result, "no eigenvalue of T_2 stands out of its noise: no halfspace can be seen");
  clock.record("first step", 0, step.off_diagonal);
  result.model = {step_unit, step.W, step.t, {UpperPart::Kind::any, 0, {}, {}}};
  const LabelView label{.kind = LabelView::Kind::activity, .rest = 0, .tolerance = 0.5, .complement = intersection};
  if (options.refine) {
    const BandFit fit = band_fit(source, label, step.W, step.t, {.begin = 0, .end = holdout.begin}, control);
    result.model.W = fit.W;
    result.model.t = fit.t;
    clock.record("boundaries", static_cast<Index>(fit.band_samples.size()), fit.flips);
    certify_by_activity(source, label, holdout, result, control);
    clock.record("certificate");
    constexpr double no_boundary = 0.1;
    if (intersection && result.status == Status::approximate && !(result.direction_error <= no_boundary)) {
      result.figures["expected_active_units"] = as_union;
      return fail_task(
          result, fmt::format("d*Phi(-t) = {:.2f} > {} for a union of halfspaces with this many labels 1: they overlap too much for their "
                              "moments to tell them apart; and it is no intersection: {}",
                              as_union, reachable, result.message));
    }
  } else {
    judge_first_step(source, options, step_unit, intersection, holdout, step, result, control);
  }
  const ActivityCheck check = check_activity(source, label, result.model.W, result.model.t, 0, holdout.begin, holdout.end, control);
  result.holdout_samples = check.samples;
  result.holdout_error = check.error();
  if (intersection) result.notes.push_back("1 is the more frequent label: an intersection of w.x <= t; the model is its complement");
}

}  // namespace

FirstLayerResult learn_halfspaces(const SampleSource& source, const FirstLayerOptions& options) {
  return run_task("halfspaces", source, options, halfspaces);
}

}  // namespace relucover
