#include "learners/threshold/low_dimension.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "learners/threshold/certificate.hpp"
#include "learners/threshold/claims.hpp"
#include "learners/threshold/direction_test.hpp"
#include "samples/views.hpp"

namespace relucover {

namespace {

using Kind = UnitFunction::Kind;

double width_of(const UnitFunction& unit) { return unit.kind == Kind::step ? 0.1 : 0.15; }

/// Halves of the data, each with the test of its own; half the largest angle between them.
double halves_of_test(const SampleSource& source, const FirstLayerOptions& options, const Matrix& W, const Control& control) {
  const auto on = [&](Index begin, Index end) {
    const RowRange half(source, begin, end);
    const Matrix found =
        find_directions(half, options.unit, {.units = W.rows(), .threshold = options.threshold, .seed = options.seed}, control).W;
    Matrix paired(W.rows(), W.cols());
    for (Index i = 0; i < W.rows(); ++i) {
      Index best = 0;
      (found * W.row(i).transpose()).maxCoeff(&best);
      paired.row(i) = found.row(best);
    }
    return paired;
  };
  const Index middle = source.samples() / 2;
  return largest_angle(on(0, middle), on(middle, source.samples())) / 2;
}

}  // namespace

bool direction_test_applies(const SampleSource& source, const FirstLayerOptions& options) {
  const bool inputs = source.inputs() == 2 || source.inputs() == 3;
  return inputs && options.units > 0 && std::isfinite(options.threshold) && !options.biased &&
         (options.unit.kind == Kind::step || options.unit.kind == Kind::relu);
}

void learn_by_directions(const SampleSource& source, const FirstLayerOptions& options, const HoldOut& holdout, FirstLayerResult& result,
                         const Control& control) {
  const RowRange used(source, 0, holdout.begin);
  const DirectionTest test =
      find_directions(used, options.unit, {.units = options.units, .threshold = options.threshold, .seed = options.seed}, control);
  const bool asked = options.method == "directions";
  if (!asked && result.model.units() > 0) {
    const double there = direction_scores(used, options.unit, result.model.W, options.threshold, width_of(options.unit), control).mean();
    result.figures["direction_correlation_moments"] = there;
    result.figures["direction_correlation_test"] = test.score.mean();
    if (there >= test.score.mean()) return;
    result.notes.push_back(fmt::format(
        "directions by their correlations (GP section 3): {:.3g} on average, {:.3g} for those of the moments", test.score.mean(), there));
  }
  result.method = "directions";
  result.first_step_W = test.W;
  result.model = {options.unit, test.W, Vector::Constant(test.W.rows(), options.threshold), {}};
  result.direction_error = halves_of_test(used, options, test.W, control);
  result.status = Status::approximate;
  result.message =
      fmt::format("directions by their correlations with f: halves of the data differ by {:.3f} rad", 2 * result.direction_error);
  if (options.unit.kind != Kind::relu || !options.refine || options.degree == 0) return;
  const double rounding = label_rounding(source, control);
  const ProductFit fit = product_fit(source, options.unit, result.model.W, result.model.t,
                                     {.degree = options.degree, .samples = std::min<Index>(20'000, holdout.begin)}, control);
  FirstLayerResult refined = result;
  const Claim claim = smooth_model_is_exact(source, fit, rounding, holdout, refined, control);
  if (!claim.given) {
    result.notes.push_back("all weights fitted together from there: " + claim.reason);
    return;
  }
  refined.model = fit.model;
  settle(refined, Status::exact, claim);
  result = std::move(refined);
}

}  // namespace relucover
