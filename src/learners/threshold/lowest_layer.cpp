// The lowest layer under a polynomial or deep upper part (GP section 2, Appendices B and E).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "learners/threshold/band_fit.hpp"
#include "learners/threshold/cell_regression.hpp"
#include "learners/threshold/certificate.hpp"
#include "learners/threshold/claims.hpp"
#include "learners/threshold/low_dimension.hpp"
#include "learners/threshold/product_fit.hpp"
#include "learners/threshold/questions.hpp"
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

bool certain(const FirstLayerResult& result) { return result.status.certified(); }

/// Nothing is left in any cell but rounding: of float64, or of the labels.
bool to_rounding(const CellFit& fit, double label_rounding) {
  return fit.skipped.empty() && (fit.residual.array() <= rounding || fit.residual_median.array() <= 0.8 * label_rounding).all();
}

/// P as a polynomial in the first layer's values, from the samples not held out; `power` of one unit at least.
Products fit_upper(const SampleSource& source, const FirstLayerOptions& options, int power, const HoldOut& holdout,
                   FirstLayerResult& result, const Control& control) {
  constexpr Index most_columns = 2000, most_samples = 60'000;
  Products products = power > 1 ? monomials_of_units(result.model.units(), std::max(options.degree, power))
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
  return fit.unseen;
}

/// The upper part, and what it means for the claim: `exact` is about the whole model, `recovered` about the first layer.
void conclude_upper(const SampleSource& source, const FirstLayerOptions& options, const FirstStep& step, const HoldOut& holdout,
                    FirstLayerResult& result, const Control& control) {
  if (options.degree == 0) {
    result.message += "; nothing is said about the upper part (degree 0)";
    return;
  }
  const auto detected = result.figures.find("detected_power");
  const int power = std::max(options.power, detected == result.figures.end() ? 1 : static_cast<int>(detected->second));
  const Products unseen = fit_upper(source, options, power, holdout, result, control);
  result.holdout_error = relative_error(source, result.model, holdout.begin, holdout.end, control);
  if (result.status == Status::exact) {
    const Claim upper = upper_part_is_exact(source, result.model, unseen, step.rounding, holdout, result, control);
    const std::string first_layer = result.message;
    settle(result, Status::exact, upper);
    if (upper.given) result.holdout_error = result.figures["holdout_upper_error"];  // of the inputs that the claim is about
    result.message = fmt::format("{}; the first layer: {}", result.message, first_layer);
  } else if (result.status == Status::recovered) {
    result.message += fmt::format("; this is about the first layer: the upper part as a polynomial leaves {:.2g} of held-out labels",
                                  result.holdout_error);
  }
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

void refine_relu(const SampleSource& source, const FirstStep& step, const HoldOut& holdout, FirstLayerResult& result,
                 const Control& control) {
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
    const Claim claim = noisy_first_layer_is_recovered(source, value, fit, holdout, result, control);
    return settle(result, Status::recovered, claim);
  }
  for (const int degree : {2, 3, 4}) {  // powers of one unit: GP B.7
    if (to_rounding(fit, step.rounding)) break;
    cells.degree = degree;
    cells.margins = {0.5, 0.3, 0.2, 0.15};
    cells.most_per_unit = 1500 + 20 * source.inputs();  // noise-free: few samples settle whether the degree fits
    const CellFit higher = cell_regression(source, value, step.W, step.t, cells, control);
    if (to_rounding(higher, step.rounding)) fit = higher;
  }
  if (to_rounding(fit, step.rounding)) {
    take(result, fit);
    result.figures["detected_power"] = static_cast<double>(fit.curve.cols() - 1);
    result.direction_error = std::max(fit.residual.maxCoeff(), step.rounding);
    result.notes.push_back(fmt::format("f is a polynomial of degree {} in each unit alone", fit.curve.cols() - 1));
    if (step.rounding > rounding * std::abs(step.view.rest))
      result.notes.push_back(fmt::format("labels carry rounding of {:.1e}", step.rounding));
    for (Index i = 0; i < fit.slope.size(); ++i) result.figures[fmt::format("linear_coefficient_{}", i)] = fit.slope[i];
    const Claim claim = first_layer_is_exact(source, value, fit, step.rounding, holdout, result, control);
    return settle(result, Status::exact, claim);
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
  const Claim claim = smooth_model_is_exact(source, fit, step.rounding, holdout, result, control);
  settle(result, Status::exact, claim);
}

void lowest_layer(const SampleSource& source, const FirstLayerOptions& options, FirstLayerResult& result, const Control& control) {
  if (options.unit.even() || options.unit.kind == Kind::exponential) return structured_layer(source, options, result, control);
  TaskClock clock(result);
  const HoldOut holdout(source.samples());
  if (options.method == "directions") {
    if (!direction_test_applies(source, options))
      return finish_with(result, Status::assumption_failed, "the direction test is for relu and step units in two or three inputs");
    learn_by_directions(source, options, holdout, result, control);
    clock.record("direction test", 0, result.direction_error);
    if (!certain(result)) {
      FirstStep known;
      known.rounding = label_rounding(source, control);
      conclude_upper(source, options, known, holdout, result, control);
    }
    return;
  }
  const FirstStep step = run_first_step(source, options, options.unit, false, holdout, result, control);
  clock.record("first step", 0, step.off_diagonal);
  if (step.W.rows() < std::max<Index>(options.units, 1))
    return finish_with(
        result, Status::assumption_failed,
        fmt::format(
            "{} of {} directions were found: {}", step.W.rows(), options.units,
            std::abs(step.u4) < vanishing_share * std::abs(step.u2)
                ? fmt::format("the fourth Hermite coefficient {:.1e} nearly vanishes at this threshold, which the landscape needs", step.u4)
                : "no more eigenvalues or minima stand out"));
  result.model = {options.unit, step.W, step.t, {}};
  const double smallest = result.figures["t2_smallest"];
  const bool smooth = options.unit.kind == Kind::sigmoid;
  if (smooth && (!options.refine || options.degree == 0)) {
    const double t = step.t.minCoeff();
    if (t <= 3)
      return finish_with(
          result, Status::assumption_failed,
          fmt::format(
              "threshold {:.2f} <= 3: a sigmoid's products are too large there for the first step alone; give the degree of the upper part",
              t));
  }
  if (smallest < step.noise_level)
    result.notes.push_back(
        fmt::format("the smallest eigenvalue of T_2 used, {:.1e}, is below its noise {:.1e}", smallest, step.noise_level));
  if (options.biased) {
    result.notes.push_back("inputs are drawn in proportion to f, every label is 1 (GP B.6): moments of the inputs are those of f");
    return judge_first_step(source, options, options.unit, false, holdout, step, result, control);
  }
  if (!options.refine || (smooth && options.degree == 0)) {
    judge_first_step(source, options, options.unit, false, holdout, step, result, control);
  } else if (smooth) {
    return refine_smooth(source, options, step, holdout, result, control);
  } else if (options.oracle) {
    refine_by_questions(source, options, step, holdout, result, control);
  } else if (options.unit.kind == Kind::relu) {
    refine_relu(source, step, holdout, result, control);
  } else {
    refine_step(source, step, holdout, result, control);
  }
  clock.record("second step", 0, result.direction_error);
  if (!certain(result) && options.refine && direction_test_applies(source, options)) {
    learn_by_directions(source, options, holdout, result, control);
    clock.record("direction test", 0, result.direction_error);
    if (certain(result)) return;
  }
  if (!result.usable()) return;
  conclude_upper(source, options, step, holdout, result, control);
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
