#include "learners/threshold/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "learners/threshold/certificate.hpp"

namespace relucover {

void settle(FirstLayerResult& result, Status status, const Claim& claim) {
  settle(result, status, {{claim.given, claim.reason}}, claim.reason);
}

Claim first_layer_is_exact(const SampleSource& source, const LabelView& view, const CellFit& fit, double rounding, const HoldOut& holdout,
                           FirstLayerResult& result, const Control& control) {
  constexpr double nothing = 1e-9;  // of a label, beyond its rounding
  const CellCheck check = check_cells(source, view, fit.W, fit.t, fit.curve, rounding, holdout.begin, holdout.end, control);
  const Index fewest = *std::min_element(check.samples.begin(), check.samples.end());
  const double largest = check.largest.maxCoeff();
  const Index needed = source.inputs() + fit.curve.cols();
  result.holdout_samples = holdout.end - holdout.begin;
  result.figures["holdout_cell_residual"] = largest;
  result.figures["holdout_smallest_cell"] = static_cast<double>(fewest);
  result.figures["holdout_rest_wrong"] = static_cast<double>(check.rest_wrong);
  if (check.rest_wrong > 0)
    return {false, fmt::format("{} of {} held-out samples where no unit is active are not at rest: a unit is missing", check.rest_wrong,
                               check.rest_samples)};
  if (fewest < needed)
    return {false, fmt::format("a unit is alone on only {} held-out samples, {} are needed to certify it", fewest, needed)};
  if (largest > nothing) return {false, fmt::format("held-out samples leave {:.1e} in a unit's cell", largest)};
  return {true, fmt::format("every unit explains its cell on held-out data to {:.1e}, and nothing is active where no unit is",
                            std::max(largest, rounding))};
}

Claim noisy_first_layer_is_recovered(const SampleSource& source, const LabelView& view, const CellFit& fit, const HoldOut& holdout,
                                     FirstLayerResult& result, const Control& control) {
  CellRegressionOptions half{.degree = 1, .margins = {0.15}, .noisy = true, .begin = 0, .end = holdout.begin / 2};
  const CellFit a = cell_regression(source, view, fit.W, fit.t, half, control);
  half.begin = holdout.begin / 2;
  half.end = holdout.begin;
  const CellFit b = cell_regression(source, view, fit.W, fit.t, half, control);
  result.direction_error = fit.direction_error.maxCoeff();
  const double noise = fit.residual_rms.maxCoeff();
  const double at_rest = noise_at_rest(source, view, fit.W, fit.t, 0.15, 5 * noise, holdout.begin, holdout.end, control);
  result.figures["noise_estimate"] = noise;
  result.figures["noise_at_rest"] = at_rest;
  double worst = 0;
  for (Index i = 0; i < fit.W.rows(); ++i)
    worst = std::max(worst, (a.W.row(i) - b.W.row(i)).norm() / std::hypot(a.direction_error[i], b.direction_error[i]));
  result.figures["halves_ratio"] = worst;
  const LabelView outlier{.kind = LabelView::Kind::activity, .rest = view.rest, .tolerance = 5 * noise};
  const ActivityCheck rest = check_activity(source, outlier, fit.W, fit.t, 0.1, holdout.begin, holdout.end, control);
  result.holdout_samples = rest.samples;
  const double outliers = static_cast<double>(rest.far_rest_wrong) / static_cast<double>(std::max<Index>(rest.far_rest, 1));
  result.figures["rest_outliers"] = outliers;
  const Index fewest = *std::min_element(fit.cell_samples.begin(), fit.cell_samples.end());
  // The rms of n residuals is known to one part in √(2n); trimming at six medians takes a few percent.
  const double most = 1.05 + 5 / std::sqrt(2.0 * static_cast<double>(std::max<Index>(fewest, 1)));
  std::vector<std::string> reasons;
  if (!a.skipped.empty() || !b.skipped.empty()) reasons.push_back("a half has too few samples in a cell");
  if (!(worst <= 3)) reasons.push_back(fmt::format("halves differ by {:.1f} predicted standard errors", worst));
  if (outliers > 1e-4)
    reasons.push_back(fmt::format("{:.3f}% of held-out samples where no unit is active are far from rest", 100 * outliers));
  if (noise > most * at_rest)
    reasons.push_back(
        fmt::format("a unit's cell leaves {:.2g} where labels at rest have noise {:.2g}: f is no line in a unit alone", noise, at_rest));
  if (result.direction_error > 0.05)
    reasons.push_back(fmt::format("the predicted error of a direction is {:.3f} rad", result.direction_error));
  if (!reasons.empty()) return {false, fmt::format("{}", fmt::join(reasons, "; "))};
  return {true,
          fmt::format("halves agree within {:.1f} predicted standard errors; directions to {:.1e} rad", worst, result.direction_error)};
}

Claim upper_part_is_exact(const SampleSource& source, const ThresholdModel& model, const Products& unseen, double rounding,
                          const HoldOut& holdout, FirstLayerResult& result, const Control& control) {
  constexpr double nothing = 1e-9, most_uncovered = 0.02;
  const UpperCheck check = check_upper(source, model, unseen, holdout.begin, holdout.end, control);
  const Index uncovered = check.samples - check.covered;
  result.figures["holdout_upper_error"] = check.error / std::max(check.spread, 1e-300);
  result.figures["holdout_uncovered"] = static_cast<double>(uncovered);
  const double relative = check.error / std::max(check.spread, 1e-300);
  if (check.error > nothing * check.spread + 3 * rounding)
    return {
        false,
        fmt::format("the upper part leaves {:.2g} of held-out labels: its products have more units (--degree) or higher powers (--power)",
                    relative)};
  if (static_cast<double>(uncovered) > most_uncovered * static_cast<double>(check.samples))
    return {
        false,
        fmt::format("on {} of {} held-out samples units are active together that hardly ever were in the samples used: give more samples",
                    uncovered, check.samples)};
  if (uncovered == 0) return {true, fmt::format("held-out labels come out to {:.1e}", relative)};
  return {true, fmt::format("held-out labels come out to {:.1e} ({} of {} have units active together that hardly ever were before; nothing "
                            "is said about such inputs)",
                            relative, uncovered, check.samples)};
}

Claim smooth_model_is_exact(const SampleSource& source, const ProductFit& fit, double rounding, const HoldOut& holdout,
                            FirstLayerResult& result, const Control& control) {
  const UpperCheck check = check_upper(source, fit.model, {}, holdout.begin, holdout.end, control);
  result.figures["fit_condition"] = fit.condition;
  result.figures["fit_residual"] = fit.residual_relative;
  result.holdout_samples = check.samples;
  result.holdout_error = check.error / std::max(check.spread, 1e-300);
  result.direction_error = result.holdout_error * std::sqrt(std::min(fit.condition, 1e30));
  // Rounding: the products' coefficients are ill conditioned for high thresholds, the function is not.
  constexpr double exact_residual = 1e-11, most_condition = 1e14, most_error = 1e-3;
  if (fit.samples <= fit.unknowns) return {false, "fewer samples than unknowns"};
  if (!(check.error <= exact_residual * check.spread + rounding))
    return {false, fmt::format("held-out labels are explained to {:.1e} (condition {:.1e}): the degree of the upper part may be higher",
                               result.holdout_error, fit.condition)};
  if (fit.condition > most_condition || !(result.direction_error <= most_error))
    return {false, fmt::format("held-out labels are explained to their rounding, but condition {:.1e} leaves directions open by {:.1e} rad",
                               fit.condition, result.direction_error)};
  return {true, fmt::format("held-out labels are explained to {:.1e}", result.holdout_error)};
}

}  // namespace relucover
