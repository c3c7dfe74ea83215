// The lowest layer under a polynomial or deep upper part (GP section 2, Appendices B and E).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "learners/threshold/band_fit.hpp"
#include "learners/threshold/cell_regression.hpp"
#include "learners/threshold/certificate.hpp"
#include "learners/threshold/product_fit.hpp"
#include "learners/threshold/structured.hpp"
#include "learners/threshold/task.hpp"

namespace relucover {

namespace {

using Kind = UnitFunction::Kind;

constexpr double rounding = 1e-9;  // a cell whose residual is below this share of its labels is explained to rounding

void finish_with(FirstLayerResult& result, AnswerStatus status, const std::string& message) {
  result.status = status;
  result.message = message;
}

void take(FirstLayerResult& result, const CellFit& fit) {
  result.model.W = fit.W;
  result.model.t = fit.t;
  result.figures["cell_residual"] = fit.residual.maxCoeff();
  result.figures["smallest_cell"] = static_cast<double>(*std::min_element(fit.cell_samples.begin(), fit.cell_samples.end()));
}

bool to_rounding(const CellFit& fit) { return fit.skipped.empty() && fit.residual.maxCoeff() <= rounding; }

/// Every unit's own curve holds on held-out samples to rounding, and labels are at rest exactly where all units are.
void certify_cells(const SampleSource& source, const LabelView& view, const CellFit& fit, const HoldOut& holdout,
                   FirstLayerResult& result, const Control& control) {
  const CellCheck check = check_cells(source, view, fit.W, fit.t, fit.curve, holdout.begin, holdout.end, control);
  const Index fewest = *std::min_element(check.samples.begin(), check.samples.end());
  const double largest = check.largest.maxCoeff();
  const Index needed = source.inputs() + fit.curve.cols();
  result.holdout_samples = holdout.end - holdout.begin;
  result.figures["holdout_cell_residual"] = largest;
  result.figures["holdout_smallest_cell"] = static_cast<double>(fewest);
  result.figures["holdout_rest_wrong"] = static_cast<double>(check.rest_wrong);
  result.direction_error = fit.residual.maxCoeff();
  settle(result, Status::exact,
         {{check.rest_wrong == 0, fmt::format("{} of {} held-out samples where no unit is active are not at rest: a unit is missing", check.rest_wrong, check.rest_samples)},
          {fewest >= needed, fmt::format("a unit is alone on only {} held-out samples, {} are needed to certify it", fewest, needed)},
          {largest <= rounding, fmt::format("held-out samples leave {:.1e} in a unit's cell", largest)}},
         fmt::format("every unit explains its cell on held-out data to {:.1e}, and nothing is active where no unit is", largest));
}

/// Noisy labels: halves agree within their predicted errors, cells have the noise of the labels at rest, no outliers there.
void certify_noisy(const SampleSource& source, const LabelView& view, const CellFit& fit, const HoldOut& holdout,
                   FirstLayerResult& result, const Control& control) {
  CellRegressionOptions half{.degree = 1, .margins = {0.15}, .noisy = true, .begin = 0, .end = holdout.begin / 2};
  const CellFit a = cell_regression(source, view, fit.W, fit.t, half, control);
  half.begin = holdout.begin / 2;
  half.end = holdout.begin;
  const CellFit b = cell_regression(source, view, fit.W, fit.t, half, control);
  result.direction_error = fit.direction_error.maxCoeff();
  const double noise = fit.residual_rms.maxCoeff();
  result.figures["noise_estimate"] = noise;
  double worst = 0;
  for (Index i = 0; i < fit.W.rows(); ++i)
    worst = std::max(worst, (a.W.row(i) - b.W.row(i)).norm() / std::hypot(a.direction_error[i], b.direction_error[i]));
  result.figures["halves_ratio"] = worst;
  const LabelView outlier{.kind = LabelView::Kind::activity, .rest = view.rest, .tolerance = 5 * noise};
  const ActivityCheck rest = check_activity(source, outlier, fit.W, fit.t, 0.1, holdout.begin, holdout.end, control);
  result.holdout_samples = rest.samples;
  const double outliers = static_cast<double>(rest.far_rest_wrong) / static_cast<double>(std::max<Index>(rest.far_rest, 1));
  result.figures["rest_outliers"] = outliers;
  settle(result, Status::recovered,
         {{a.skipped.empty() && b.skipped.empty(), "a half has too few samples in a cell"},
          {worst <= 3, fmt::format("halves differ by {:.1f} predicted standard errors", worst)},
          {outliers <= 1e-4, fmt::format("{:.3f}% of held-out samples where no unit is active are far from rest", 100 * outliers)},
          {fit.residual_rms.maxCoeff() <= 1.5 * fit.residual_rms.minCoeff(), "cells have different noise: the curve is not a line"},
          {result.direction_error <= 0.05, fmt::format("the predicted error of a direction is {:.3f} rad", result.direction_error)}},
         fmt::format("halves agree within {:.1f} predicted standard errors; directions to {:.1e} rad", worst, result.direction_error));
}

/// P as a polynomial in the first layer's values, from the samples not held out.
void fit_upper(const SampleSource& source, const FirstLayerOptions& options, const HoldOut& holdout, FirstLayerResult& result,
               const Control& control) {
  if (options.degree == 0) return;
  constexpr Index most_columns = 2000, most_samples = 60'000;
  Products products = options.power > 1 ? monomials_of_units(result.model.units(), std::max(options.degree, options.power))
                                        : products_of_units(result.model.units(), options.degree);
  if (static_cast<Index>(products.size()) > most_columns) {
    result.notes.push_back(fmt::format("{} products are too many for the upper polynomial: pairs only", products.size()));
    products = products_of_units(result.model.units(), 2);
  }
  const UpperFit fit = fit_upper_polynomial(source, result.model, products, 0, std::min(holdout.begin, most_samples), control);
  result.model.upper = fit.upper;
  result.figures["upper_residual"] = fit.residual_relative;
  result.figures["upper_undetermined"] = static_cast<double>(fit.undetermined);
  if (fit.undetermined > 0)
    result.notes.push_back(fmt::format("{} of {} products are never active together in the samples: their coefficients are not determined",
                                       fit.undetermined, products.size()));
}

/// Deep upper part: boundaries from whether labels are at rest, then each unit's own curve as a polynomial.
void refine_deep(const SampleSource& source, const FirstStep& step, const HoldOut& holdout, FirstLayerResult& result,
                 const Control& control) {
  LabelView activity = step.view;
  activity.kind = LabelView::Kind::activity;
  const BandFit fit = band_fit(source, activity, step.W, step.t, {.begin = 0, .end = holdout.begin}, control);
  result.model.W = fit.W;
  result.model.t = fit.t;
  certify_by_activity(source, activity, holdout, result, control);
}

void refine_relu(const SampleSource& source, const FirstLayerOptions& options, const FirstStep& step, const HoldOut& holdout,
                 FirstLayerResult& result, const Control& control) {
  LabelView value = step.view;
  value.kind = LabelView::Kind::value;
  CellRegressionOptions cells{.degree = 1, .noisy = step.rest.noisy(), .begin = 0, .end = holdout.begin};
  if (step.rest.noisy()) {
    cells.margins = {0.3, 0.2, 0.15};
    cells.most_per_unit = 200'000;
  }
  CellFit fit = cell_regression(source, value, step.W, step.t, cells, control);
  if (step.rest.noisy()) {
    take(result, fit);
    return certify_noisy(source, value, fit, holdout, result, control);
  }
  for (const int degree : {2, 3, 4}) {  // powers of one unit: GP B.7
    if (to_rounding(fit) || (options.power > 1 && degree > options.power)) break;
    cells.degree = degree;
    cells.margins = {0.5, 0.3, 0.2, 0.15};
    cells.most_per_unit = 1500 + 20 * source.inputs();  // noise-free: few samples settle whether the degree fits
    const CellFit higher = cell_regression(source, value, step.W, step.t, cells, control);
    if (to_rounding(higher)) fit = higher;
  }
  if (to_rounding(fit)) {
    take(result, fit);
    result.notes.push_back(fmt::format("f is a polynomial of degree {} in each unit alone", fit.curve.cols() - 1));
    for (Index i = 0; i < fit.slope.size(); ++i) result.figures[fmt::format("linear_coefficient_{}", i)] = fit.slope[i];
    return certify_cells(source, value, fit, holdout, result, control);
  }
  result.notes.push_back("f is no polynomial in a unit alone: boundaries from whether labels are at rest");
  refine_deep(source, step, holdout, result, control);
}

void refine_step(const SampleSource& source, const FirstStep& step, const HoldOut& holdout, FirstLayerResult& result,
                 const Control& control) {
  if (step.rest.noisy())
    return finish_with(result, Status::approximate, "first step only: labels carry noise, so it can't be seen whether a step is active");
  refine_deep(source, step, holdout, result, control);
}

void refine_smooth(const SampleSource& source, const FirstLayerOptions& options, const FirstStep& step, const HoldOut& holdout,
                   FirstLayerResult& result, const Control& control) {
  const ProductFit fit = product_fit(source, options.unit, step.W, step.t,
                                     {.degree = options.degree, .samples = std::min<Index>(20'000, holdout.begin)}, control);
  result.model = fit.model;
  result.figures["fit_condition"] = fit.condition;
  result.figures["fit_residual"] = fit.residual_relative;
  result.holdout_samples = holdout.end - holdout.begin;
  result.holdout_error = relative_error(source, fit.model, holdout.begin, holdout.end, control);
  result.direction_error = result.holdout_error * std::sqrt(std::min(fit.condition, 1e30));
  // Rounding: the products' coefficients are ill conditioned for high thresholds, the function is not.
  constexpr double exact_residual = 1e-11, most_condition = 1e14;
  if (fit.samples <= fit.unknowns) return finish_with(result, Status::approximate, "fewer samples than unknowns");
  settle(result, Status::exact,
         {{result.holdout_error <= exact_residual && fit.condition <= most_condition,
           fmt::format("held-out labels are explained to {:.1e} (condition {:.1e}): the degree of the upper part may be higher than {}", result.holdout_error,
                       fit.condition, options.degree)}},
         fmt::format("held-out labels are explained to {:.1e}", result.holdout_error));
}

void lowest_layer(const SampleSource& source, const FirstLayerOptions& options, FirstLayerResult& result, const Control& control) {
  if (options.unit.even() || options.unit.kind == Kind::exponential) return structured_layer(source, options, result, control);
  StageClock clock(result);
  const HoldOut holdout(source.samples());
  const FirstStep step = run_first_step(source, options, options.unit, false, holdout, result, control);
  clock.record("first step", 0, step.off_diagonal);
  if (step.W.rows() < std::max<Index>(options.units, 1))
    return finish_with(result, Status::assumption_failed,
                       fmt::format("{} of {} directions were found: {}", step.W.rows(), options.units,
                                   std::abs(step.u4) < vanishing_share * std::abs(step.u2)
                                       ? fmt::format("the fourth Hermite coefficient {:.1e} nearly vanishes at this threshold, which the landscape needs", step.u4)
                                       : "no more eigenvalues or minima stand out"));
  result.model = {options.unit, step.W, step.t, {}};
  const double smallest = result.figures["t2_smallest"];
  const bool smooth = options.unit.kind == Kind::sigmoid;
  if (smooth && (!options.refine || options.degree == 0)) {
    const double t = step.t.minCoeff();
    if (t <= 3)
      return finish_with(result, Status::assumption_failed,
                         fmt::format("threshold {:.2f} <= 3: a sigmoid's products are too large there for the first step alone; give the degree of the upper part", t));
  }
  if (smallest < step.noise_level)
    result.notes.push_back(fmt::format("the smallest eigenvalue of T_2 used, {:.1e}, is below its noise {:.1e}", smallest, step.noise_level));
  if (!options.refine || (smooth && options.degree == 0)) {
    finish_with(result, Status::approximate, "first step only: directions to a few hundredths");
  } else if (options.unit.kind == Kind::relu) {
    refine_relu(source, options, step, holdout, result, control);
  } else if (options.unit.kind == Kind::step) {
    refine_step(source, step, holdout, result, control);
  } else {
    return refine_smooth(source, options, step, holdout, result, control);
  }
  clock.record("second step", 0, result.direction_error);
  fit_upper(source, options, holdout, result, control);
  result.holdout_error = relative_error(source, result.model, holdout.begin, holdout.end, control);
  clock.record("upper part", 0, result.holdout_error);
}

class HandedOnSource : public SampleSource {
 public:
  HandedOnSource(const SampleSource& source, ThresholdModel model) : source_(source), model_(std::move(model)) {}
  Index samples() const override { return source_.samples(); }
  Index inputs() const override { return model_.units(); }
  Index outputs() const override { return source_.outputs(); }
  std::string name() const override { return "first layer of " + source_.name(); }
  Block<double> read(Index first, Index rows, BlockBuffer<double>& buffer) const override {
    BlockBuffer<double> inner;
    const Block<double> block = source_.read(first, rows, inner);
    buffer.x = model_.first_layer(block.x);
    buffer.y = block.y;
    return view_of(first, buffer);
  }
  using SampleSource::read;

 private:
  const SampleSource& source_;
  ThresholdModel model_;
};

}  // namespace

FirstLayerResult learn_lowest_layer(const SampleSource& source, const FirstLayerOptions& options) {
  return run_task("lowest-layer", source, options, lowest_layer);
}

std::unique_ptr<SampleSource> handed_on_samples(const SampleSource& source, ThresholdModel first_layer) {
  if (first_layer.inputs() != source.inputs())
    throw std::invalid_argument(fmt::format("the first layer has {} inputs, the data {}", first_layer.inputs(), source.inputs()));
  return std::make_unique<HandedOnSource>(source, std::move(first_layer));
}

}  // namespace relucover
