#include "verify/leftover/leftover_tests.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "verify/leftover/far_rows.hpp"
#include "verify/leftover/features.hpp"
#include "verify/leftover/flip_tests.hpp"
#include "verify/leftover/left_out_unit.hpp"
#include "verify/leftover/leftover_look.hpp"
#include "verify/leftover/noise_shape.hpp"
#include "verify/leftover/one_more_unit.hpp"
#include "verify/leftover/rectified_tests.hpp"
#include "verify/leftover/shared_units.hpp"
#include "verify/leftover/tails.hpp"
#include "verify/leftover/verdict.hpp"

namespace relucover {

namespace {

/// Units of the answer as forms of z~ = (z, 1): z has unit covariance over all rows.
Matrix forms_of(const Judged& answer, const Network& network) {
  Matrix arguments = answer.x * network.W.transpose();
  arguments.rowwise() += network.b.transpose();
  const double n = static_cast<double>(answer.rows());
  Matrix forms(network.units(), answer.z.cols() + 1);
  forms.leftCols(answer.z.cols()) = (arguments.transpose() * answer.z) / n;
  forms.rightCols(1) = arguments.colwise().mean().transpose();
  return forms;
}

/// Units that might be missing.
UnitKind kind_of(const Judged& answer, const Network& network) {
  if (answer.unit.is_relu()) return {};
  return {answer.unit, forms_of(answer, network).leftCols(answer.z.cols()).rowwise().norm()};
}

RectifiedAnswer rectified_answer(const Judged& answer, const KeptRows& kept, const Network& network) {
  return {kept.x, kept.residual, network.W, kept.decorrelation.transpose() * network.A, answer.unit};
}

/// What units add to decorrelated labels.
Vector sizes_of_outputs(const KeptRows& kept, const Network& network) {
  return (kept.decorrelation.transpose() * network.A).colwise().norm().transpose();
}

void test_shared_units(const Judged& answer, const KeptRows& kept, const Network& network, Verdict& verdict) {
  const Matrix tangent = answer.tangent(kept.rows, Eigen::all), forms = forms_of(answer, network),
               outputs = kept.decorrelation.transpose() * network.A;
  verdict.test("shared_units", units_not_shared({tangent, forms, outputs}, kept.residual, *kept.basis, verdict.random),
               "the outputs want units of their own: those that they share are not all, or not these");
}

/// What an activation other than ReLU was not stated to have.
void test_stated_form(const Judged& answer, const KeptRows& kept, const Network& network, Verdict& verdict) {
  constexpr double deviations = 5;
  const RectifiedAnswer own = rectified_answer(answer, kept, network);
  const Matrix basis = spanning_basis(answer.tangent(kept.rows, Eigen::all));
  const OwnParameter biases = biases_left(own, verdict.random), growth = growth_left(own, verdict.random);
  verdict.result.bias_limit = deviations * biases.error.maxCoeff();
  verdict.result.growth_limit = deviations * growth.error.maxCoeff();
  verdict.test("biases", biases.chance, "units have biases", false_alarms::stated);
  verdict.test("growth", growth.chance, "units grow otherwise than the activation that was stated", false_alarms::stated);
  verdict.test("weights_of_outputs", weights_of_outputs_left(own, kept.decorrelation, verdict.random),
               "a unit has other weights in one of the outputs", false_alarms::stated);
  verdict.test("affine", affine_left(own, basis, verdict.random), "there is an affine part", false_alarms::stated);
  verdict.test("shapes_of_units", shapes_of_units_left(own, basis, verdict.random),
               "the residual goes with another function of a unit, or a product of two inputs", false_alarms::common);
  verdict.test("second_layer", second_layer_left(own, basis, verdict.random),
               "the residual bends where a sum of the answer's outputs or units does: there is a second layer", false_alarms::common);
}

/// Where least squares is far from the best fit, what a forgiving loss finds must have nothing left either.
void test_heavy_tails(const Judged& answer, const KeptRows& kept, const Network& network, const Matrix& studentised, double too_heavy,
                      Verdict& verdict) {
  constexpr double noiseless = 30;  // roundings of the labels
  // Tails show in a part of the samples; what one more unit leaves behind them needs all.
  const Index some = verdict.result.tail <= heavy_tails ? std::max<Index>(2000, 6 * kept.basis->size()) : answer.rows();
  auto part = random_rows(static_cast<Index>(kept.rows.size()), some, verdict.random);
  std::sort(part.begin(), part.end());  // where these are all, they stand as in `kept`
  std::vector<Index> rows;
  for (const Index i : part) rows.push_back(kept.rows[static_cast<std::size_t>(i)]);
  const bool plain_units = answer.unit.is_relu();
  const RobustRefit refit = robust_refit(plain_units ? kept.z(part, Eigen::all) : kept.x(part, Eigen::all), answer.y(rows, Eigen::all),
                                         plain_units ? forms_of(answer, network) : network.W, answer.unit);
  if (verdict.result.tail <= heavy_tails) {
    const Matrix plain = answer.residual(rows, Eigen::all);
    const Matrix over_noise =
        (plain.array().abs() > 0).select(refit.residual.array() * studentised(rows, Eigen::all).array() / plain.array(), 0.0);
    const double tail = tail_weight(over_noise);
    if (tail > too_heavy)
      verdict.refuse(
          fmt::format("most labels agree better with an answer that others are far from (tails {:.1f} times as heavy as normal noise): "
                      "some labels may be wrong",
                      tail));
    return;
  }
  verdict.test("bulk_off", not_an_optimum(clipped(answer.residual(kept.rows, Eigen::all)), *kept.basis, verdict.random),
               "where the tails are cut off, what is left goes with the answer's own functions: some labels are wrong, and pull it off");
  const Matrix rounding = answer.rounding(kept.rows, Eigen::all);
  double bulk = 0;
  for (Index o = 0; o < answer.outputs(); ++o)
    bulk = std::max(bulk, median_of(refit.residual.col(o).cwiseAbs().cwiseQuotient(rounding.col(o).cwiseMax(1e-300))));
  if (bulk <= noiseless)
    return verdict.refuse(
        "most labels are explained to rounding and a few not at all: this is no noise, but wrong labels or a unit that few samples "
        "see (`--method robust` looks for the former)");
  const Matrix z1 = with_ones(kept.z);
  const Matrix some_x = kept.x(part, Eigen::all);
  const Matrix tangent =
      plain_units ? tangent_of(kept.z, z1 * refit.forms.transpose()) : tangent_of(some_x, some_x * refit.forms.transpose(), answer.unit);
  verdict.test(
      "one_more_unit_clipped",
      one_more_unit(kept.z, clipped(refit.residual), halves_of(tangent, verdict.random), verdict.random, kind_of(answer, network)).chance,
      "behind the tails of the noise one more unit explains more");
}

/// What a search for one more unit and a fit of all of them gain where signs are flipped: the mean of a few. The more inputs and units, the
/// more places there are in noise.
double refit_in_noise(const Judged& answer, const KeptRows& kept, const Network& network, const Matrix& labels, Index starts,
                      const Control& control, RandomStream& random) {
  constexpr Index times = 3;
  const Matrix z1 = with_ones(kept.z), forms = forms_of(answer, network), outputs = kept.decorrelation.transpose() * network.A;
  double gain = 0;
  for (Index k = 0; k < times; ++k) {
    const Matrix flipped = random_signs(z1.rows(), 1, random).col(0).asDiagonal() * kept.residual;
    const std::vector<FoundUnit> found = search_units(z1, flipped, *kept.basis, starts, random, {}, control).best;
    gain += gain_of_refit(kept.z, labels - kept.residual + flipped, forms, outputs, found, control) / static_cast<double>(times);
  }
  return gain;
}

/// A real attempt to find one more, with all units free to move. `forms`: units that parts of the samples like best.
void test_refit(const Judged& answer, const KeptRows& kept, const Network& network, const std::vector<Vector>& forms, double level,
                const Control& control, Verdict& verdict) {
  constexpr Index starts = 4;
  constexpr double hopeless = 0.6;  // what all units gain together is hardly more than what the new one gains alone
  constexpr double scale = 2, clearly = 3e-3;
  const double freedom = static_cast<double>(kept.z.cols() + answer.outputs());
  const auto chance_of = [&](double gain) { return gamma_tail(freedom, 2 * freedom, gain); };
  const std::vector<FoundUnit> found = found_on_all(kept.z, kept.residual, *kept.basis, forms, starts, kind_of(answer, network));
  double gain = found.empty() ? 0 : found.front().gain, in_noise = freedom;
  if (chance_of(gain / hopeless) < level) {
    const Matrix labels = answer.y(kept.rows, Eigen::all) * kept.decorrelation;
    if (!answer.unit.is_relu()) {
      gain = gain_of_rectified_refit(rectified_answer(answer, kept, network), labels, kept.z, found, control);
    } else {
      gain = gain_of_refit(kept.z, labels, forms_of(answer, network), kept.decorrelation.transpose() * network.A, found, control,
                           kept.basis->without(kept.residual).squaredNorm(), [&](double reached) { return chance_of(reached) < level; });
      if (chance_of(gain) < level) in_noise = refit_in_noise(answer, kept, network, labels, starts, control, verdict.random);
    }
  }
  const double of_searches = in_noise > freedom ? Gumbel{in_noise - std::numbers::egamma * scale, scale}.tail(gain) : 0;
  verdict.result.chances["refit_with_one_more"] = std::max(chance_of(gain), of_searches);
  if (chance_of(gain) < level && of_searches < clearly)
    verdict.refuse(fmt::format("with one more unit the fit is better by {:.0f}, {:.0f} would be chance", gain, in_noise));
}

double detection_limit(const Judged& answer, const KeptRows& kept, const Network& network, double visible, double tail,
                       RandomStream& random) {
  // χ² at which a unit is found: the more inputs, the more places a search has to look at, and the further it stays from the best of them.
  constexpr double for_none = 60, for_each_input = 18, most = 150;
  const double shown = std::min(most, for_none + for_each_input * static_cast<double>(answer.z.cols()));
  const Matrix forms = forms_of(answer, network);
  const Vector slope = forms.leftCols(answer.z.cols()).rowwise().norm(), outputs = sizes_of_outputs(kept, network);
  const Vector strength =
      answer.unit.is_relu()
          ? slope.cwiseProduct(outputs)
          : Vector(visible_beside(rectified_answer(answer, kept, network), kept.z, slope, *kept.basis, random).cwiseProduct(outputs));
  if (!answer.unit.is_relu()) visible = 1;
  return std::sqrt(shown / static_cast<double>(kept.rows.size())) / std::max(visible, 1e-300) / std::max(strength.minCoeff(), 1e-300) /
         (tail > heavy_tails ? tail : 1);
}

}  // namespace

LeftoverVerdict nothing_left(const Judged& answer, const Network& network, const LabelGrid& grid, std::uint64_t seed,
                             const Control& control, bool claimable) {
  constexpr double nearly_normal = 1.1, high_limit = 0.15;
  LookAtLeftover look(answer, grid, seed, control);
  look.claimable = claimable;
  Verdict& verdict = look.verdict;
  if (!look.test_rows() || !look.test_kinks()) return verdict.result;
  const KeptRows& kept = look.kept;
  if (answer.units() > 0) {
    if (!answer.unit.is_relu())
      test_stated_form(answer, kept, network, verdict);
    else if (answer.outputs() > 1)
      test_shared_units(answer, kept, network, verdict);
  }
  if (!look.goes_on() || !look.test_functions(kind_of(answer, network))) return verdict.result;
  const CrossFit more = one_more_unit(kept.z, kept.residual, look.halves(), verdict.random, kind_of(answer, network), control);
  verdict.test(
      "one_more_unit", more.chance,
      fmt::format("one more unit, found on one half of the samples, explains more on the other ({:.1f} standard deviations)", more.score));
  // A unit of another activation has a smooth remainder in whatever direction it lies: looked for harder there.
  if (!look.goes_on() || !look.test_wave(answer.unit.is_relu() ? 4e7 : 6e8)) return verdict.result;
  if (answer.unit.is_relu() && answer.units() > 0 &&
      !look.test_periods_in_units(forms_of(answer, network).leftCols(answer.z.cols()), sizes_of_outputs(kept, network)))
    return verdict.result;
  if (!look.test_ridges(forms_of(answer, network).leftCols(answer.z.cols()).transpose())) return verdict.result;
  if (look.test_tails() && answer.units() > 0) test_heavy_tails(answer, kept, network, look.studentised, look.too_heavy, verdict);
  if (answer.units() > 0)
    verdict.result.detection_limit = detection_limit(answer, kept, network, more.visible, verdict.result.tail, verdict.random);
  if (!look.goes_on()) return verdict.result;
  if (claimable && tail_weight(look.plain) < nearly_normal)  // a likelihood ratio takes noise of one size for granted
    test_refit(answer, kept, network, more.found,
               verdict.result.detection_limit > high_limit ? false_alarms::refit : false_alarms::refit_of_clear_units, control, verdict);
  look.test_together();
  return verdict.result;
}

LeftoverVerdict left_out_by_accident(const Judged& answer, std::uint64_t seed) {
  Verdict verdict(seed, answer.rows());
  if (answer.left_out() > 0) test_left_out(answer, false_alarms::left_out, verdict);
  if (verdict.stands())
    if (const Index rows = explained_by_one_more_unit(answer, verdict.random); rows > 0)
      verdict.refuse(fmt::format("{} of the samples that were left out are explained by one more unit", rows));
  if (verdict.stands()) test_rows_alike(answer, false_alarms::left_out, verdict);
  return verdict.result;
}

}  // namespace relucover
