#include "verify/leftover/leftover_tests.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "verify/distinct_rows.hpp"
#include "verify/leftover/cells_of_two.hpp"
#include "verify/leftover/column_terms.hpp"
#include "verify/leftover/corners.hpp"
#include "verify/leftover/even_noise.hpp"
#include "verify/leftover/far_rows.hpp"
#include "verify/leftover/features.hpp"
#include "verify/leftover/flip_tests.hpp"
#include "verify/leftover/left_out_unit.hpp"
#include "verify/leftover/noise_shape.hpp"
#include "verify/leftover/one_more_unit.hpp"
#include "verify/leftover/rectified_tests.hpp"
#include "verify/leftover/ridge_scan.hpp"
#include "verify/leftover/row_tests.hpp"
#include "verify/leftover/tails.hpp"
#include "verify/leftover/verdict.hpp"
#include "verify/leftover/wave_search.hpp"

namespace relucover {

namespace {

/// The noisy residual on the rows that were kept.
struct KeptRows {
  Matrix x, z, t, tangent, basis, residual;  // decorrelated over outputs
  Matrix decorrelation;
  std::vector<Index> rows;
};

KeptRows kept_of(const Judged& answer) {
  KeptRows kept;
  kept.rows = answer.kept_rows();
  kept.x = answer.x(kept.rows, Eigen::all);
  kept.z = answer.z(kept.rows, Eigen::all);
  kept.t = answer.t(kept.rows, Eigen::all);
  kept.tangent = answer.tangent(kept.rows, Eigen::all);
  kept.basis = spanning_basis(kept.tangent);
  const Matrix residual = answer.residual(kept.rows, Eigen::all);
  kept.decorrelation = decorrelating(residual);
  kept.residual = residual * kept.decorrelation;
  return kept;
}

struct RowNoise {
  Matrix level;     // of the noise that was added
  Matrix expected;  // of each residual, with what the fit may be off by
};
RowNoise noise_at_rows(const Judged& answer, const KeptRows& kept) {
  // How far the fit follows each row: the residual there is smaller, and elsewhere larger, by this.
  Vector leverage = Vector::Zero(answer.rows());
  leverage(kept.rows) = leverage_of(kept.basis);
  const Eigen::RowVectorXd mean_square =
      answer.residual(kept.rows, Eigen::all).colwise().squaredNorm() / static_cast<double>(kept.rows.size());
  const Matrix square = local_noise(answer, leverage).cwiseAbs2() + answer.rounding.cwiseAbs2();
  return {(square.array() + 1e-300).sqrt(), ((square + 2 * leverage * mean_square).array() + 1e-300).sqrt()};
}

/// One number for all outputs of a row.
Vector noise_of_rows(const KeptRows& kept, const Matrix& noise) {
  return noise(kept.rows, Eigen::all).array().log().rowwise().mean().exp();
}

/// The answer's tangent functions over the noise of each row. A fit that took all noise for equal leaves Bᵀ r = 0, so of residuals over
/// their noise, r / s, only what is orthogonal to B / s is a sum of independent terms.
Matrix basis_over_noise(const KeptRows& kept, const Matrix& noise) {
  const Vector of_rows = noise_of_rows(kept, noise);
  if (of_rows.maxCoeff() < 1.01 * of_rows.minCoeff()) return kept.basis;
  return spanning_basis(of_rows.cwiseInverse().asDiagonal() * kept.basis);
}

/// A piece of the answer that only as many rows lie on as it has parameters is not tested by anything.
void test_leverage(const Vector& leverage, Verdict& verdict) {
  constexpr double high = 0.8;
  constexpr Index some = 3;
  const Index alone = (leverage.array() > high).count();
  if (alone >= some)
    verdict.refuse(fmt::format("{} samples determine a piece of the answer that hardly any other could contradict", alone));
}

/// Units of the answer as forms of z~ = (z, 1): z has unit covariance over all rows.
Matrix forms_of(const Judged& answer, const Network& network) {
  Matrix arguments = answer.x * network.W.transpose();
  arguments.rowwise() += network.b.transpose();
  const double n = static_cast<double>(answer.rows());
  Matrix forms(network.units(), answer.z.cols() + 1);
  forms << (arguments.transpose() * answer.z) / n, arguments.colwise().mean().transpose();
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

/// What an activation other than ReLU was not stated to have.
void test_stated_form(const Judged& answer, const KeptRows& kept, const Network& network, Verdict& verdict) {
  constexpr double deviations = 5;
  const RectifiedAnswer own = rectified_answer(answer, kept, network);
  const OwnParameter biases = biases_left(own, verdict.random), growth = growth_left(own, verdict.random);
  verdict.result.bias_limit = deviations * biases.error.maxCoeff();
  verdict.result.growth_limit = deviations * growth.error.maxCoeff();
  verdict.test("biases", biases.chance, "units have biases", false_alarms::stated);
  verdict.test("growth", growth.chance, "units grow otherwise than the activation that was stated", false_alarms::stated);
  verdict.test("weights_of_outputs", weights_of_outputs_left(own, kept.decorrelation, verdict.random),
               "a unit has other weights in one of the outputs", false_alarms::stated);
  verdict.test("affine", affine_left(own, kept.basis, verdict.random), "there is an affine part", false_alarms::stated);
  verdict.test("shapes_of_units", shapes_of_units_left(own, kept.basis, verdict.random),
               "the residual goes with another function of a unit, or a product of two inputs", false_alarms::common);
  verdict.test("second_layer", second_layer_left(own, kept.basis, verdict.random),
               "the residual bends where a sum of the answer's outputs or units does: there is a second layer", false_alarms::common);
}

/// Where least squares is far from the best fit, what a forgiving loss finds must have nothing left either.
void test_heavy_tails(const Judged& answer, const KeptRows& kept, const Network& network, const Matrix& studentised, double too_heavy,
                      Verdict& verdict) {
  constexpr double noiseless = 30;  // roundings of the labels
  // Tails show in a part of the samples; what one more unit leaves behind them needs all.
  const Index some = verdict.result.tail <= heavy_tails ? std::max<Index>(2000, 6 * kept.basis.cols()) : answer.rows();
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
  verdict.test("bulk_off", not_an_optimum(clipped(answer.residual(kept.rows, Eigen::all)), kept.basis, verdict.random),
               "where the tails are cut off, what is left goes with the answer's own functions: some labels are wrong, and pull it off");
  const Matrix rounding = answer.rounding(kept.rows, Eigen::all);
  double bulk = 0;
  for (Index o = 0; o < answer.outputs(); ++o)
    bulk = std::max(bulk, median_of(refit.residual.col(o).cwiseAbs().cwiseQuotient(rounding.col(o).cwiseMax(1e-300))));
  if (bulk <= noiseless)
    return verdict.refuse(
        "most labels are explained to rounding and a few not at all: this is no noise, but wrong labels or a unit that few samples "
        "see (`--method robust` looks for the former)");
  const Matrix z1 = with_constant(kept.z);
  const Matrix some_x = kept.x(part, Eigen::all);
  const Matrix tangent =
      plain_units ? tangent_of(kept.z, z1 * refit.forms.transpose()) : tangent_of(some_x, some_x * refit.forms.transpose(), answer.unit);
  verdict.test("one_more_unit_clipped",
               one_more_unit(kept.z, clipped(refit.residual), tangent, verdict.random, kind_of(answer, network)).chance,
               "behind the tails of the noise one more unit explains more");
}

/// What is left lies at two values, as a wave does, and not even as evenly as rounding: no noise has its least density in the middle.
void test_two_humped(const Matrix& studentised, Verdict& verdict) {
  constexpr double even = 0.5 / 0.95, error = 0.54, clearly = 4;
  for (const auto& output : studentised.colwise()) {
    const auto order = order_of(output.cwiseAbs());
    const auto at = [&](double share) {
      return std::abs(output[order[static_cast<std::size_t>(share * static_cast<double>(order.size()))]]);
    };
    const double ratio = at(0.5) / std::max(at(0.95), 1e-300);
    if (ratio > even + clearly * error / std::sqrt(static_cast<double>(output.size())))
      return verdict.refuse(
          fmt::format("half of what is left is more than {:.2f} of its largest values: noise is not spread like this, waves are", ratio));
  }
}

/// Chance of so much skewness in noise whose signs are chance, which the other tests take for granted: Σ r³ over √Σ r⁶.
double skewed(const Matrix& studentised) {
  constexpr double bound = 4;
  double least = 1;
  for (const auto& output : studentised.colwise()) {
    const Vector cubes = output.cwiseMin(bound).cwiseMax(-bound).array().cube();
    least = std::min(least, 2 * normal_tail(std::abs(cubes.sum()) / std::max(cubes.norm(), 1e-300)));
  }
  return std::min(1.0, least * static_cast<double>(studentised.cols()));
}

/// What a search for one more unit and a fit of all of them gain where signs are flipped: the mean of a few. The more inputs and units, the
/// more places there are in noise.
double refit_in_noise(const Judged& answer, const KeptRows& kept, const Network& network, const Matrix& labels, Index starts,
                      const Control& control, RandomStream& random) {
  constexpr Index times = 3;
  const Matrix z1 = with_constant(kept.z), forms = forms_of(answer, network), outputs = kept.decorrelation.transpose() * network.A;
  double gain = 0;
  for (Index k = 0; k < times; ++k) {
    const Matrix flipped = random_signs(z1.rows(), 1, random).col(0).asDiagonal() * kept.residual;
    const std::vector<FoundUnit> found = search_units(z1, flipped, kept.basis, starts, random, {}, control).best;
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
  const std::vector<FoundUnit> found = found_on_all(kept.z, kept.residual, kept.basis, forms, starts, kind_of(answer, network));
  double gain = found.empty() ? 0 : found.front().gain, in_noise = freedom;
  if (chance_of(gain / hopeless) < level) {
    const Matrix labels = answer.y(kept.rows, Eigen::all) * kept.decorrelation;
    if (!answer.unit.is_relu()) {
      gain = gain_of_rectified_refit(rectified_answer(answer, kept, network), labels, kept.z, found, control);
    } else {
      gain = gain_of_refit(kept.z, labels, forms_of(answer, network), kept.decorrelation.transpose() * network.A, found, control);
      if (chance_of(gain) < level) in_noise = refit_in_noise(answer, kept, network, labels, starts, control, verdict.random);
    }
  }
  const double of_searches = in_noise > freedom ? Gumbel{in_noise - std::numbers::egamma * scale, scale}.tail(gain) : 0;
  verdict.result.chances["refit_with_one_more"] = std::max(chance_of(gain), of_searches);
  if (chance_of(gain) < level && of_searches < clearly)
    verdict.refuse(fmt::format("with one more unit the fit is better by {:.0f}, {:.0f} would be chance", gain, in_noise));
}

/// Columns, units, what the answer says, and what people make of all columns: the distance from the middle, the sum, the least, middle and
/// largest one. A function of any one of these is easily made.
Matrix single_variables(const Judged& answer, const KeptRows& kept) {
  constexpr Index most = 24;
  const Index columns = std::min(answer.inputs(), most), units = std::min(kept.t.cols(), most);
  const Matrix x = answer.x(kept.rows, Eigen::all);
  Matrix scaled = standardised(x);
  if (scaled.cols() == 0) return scaled;
  Vector middle(x.rows());
  for (Index i = 0; i < x.rows(); ++i) middle[i] = median_of(scaled.row(i).transpose());
  Matrix variables(x.rows(), columns + units + 5 + answer.outputs());
  variables << x.leftCols(columns), kept.t.leftCols(units), answer.fit(kept.rows, Eigen::all), kept.z.rowwise().norm(),
      scaled.rowwise().sum(), scaled.rowwise().minCoeff(), middle, scaled.rowwise().maxCoeff();
  return variables;
}

double detection_limit(const Judged& answer, const KeptRows& kept, const Network& network, double visible, double tail,
                       RandomStream& random) {
  // χ² at which a unit is found: the more inputs, the more places a search has to look at, and the further it stays from the best of them.
  constexpr double for_none = 60, for_each_input = 18, most = 150;
  const double shown = std::min(most, for_none + for_each_input * static_cast<double>(answer.z.cols()));
  const Matrix forms = forms_of(answer, network);
  const Vector slope = forms.leftCols(answer.z.cols()).rowwise().norm(),
               outputs = (kept.decorrelation.transpose() * network.A).colwise().norm().transpose();
  const Vector strength =
      answer.unit.is_relu()
          ? slope.cwiseProduct(outputs)
          : Vector(visible_beside(rectified_answer(answer, kept, network), kept.z, slope, kept.basis, random).cwiseProduct(outputs));
  if (!answer.unit.is_relu()) visible = 1;
  return std::sqrt(shown / static_cast<double>(kept.rows.size())) / std::max(visible, 1e-300) / std::max(strength.minCoeff(), 1e-300) /
         (tail > heavy_tails ? tail : 1);
}

}  // namespace

LeftoverVerdict nothing_left(const Judged& answer, const Network& network, const LabelGrid& grid, std::uint64_t seed,
                             const Control& control) {
  constexpr double nearly_normal = 1.1, not_normal = 1.2, high_limit = 0.15;
  // Laplace's noise has 1.4, and with few samples more by chance.
  const double too_heavy = std::min(2.5, 1.6 + 6 / std::sqrt(static_cast<double>(answer.rows())));
  Verdict verdict(seed, answer.rows(), control);
  const auto goes_on = [&] {  // one refusal is enough
    control.check();
    return verdict.stands();
  };
  if (answer.left_out() > 0) test_left_out(answer, false_alarms::left_out, verdict);
  if (!goes_on()) return verdict.result;
  const KeptRows kept = kept_of(answer);
  control.check();
  if (static_cast<Index>(kept.rows.size()) <= 3 * kept.basis.cols()) {
    verdict.refuse(fmt::format("{} distinct samples are too few to judge what {} functions leave", kept.rows.size(), kept.basis.cols()));
    return verdict.result;
  }
  test_leverage(leverage_of(kept.basis), verdict);
  const RowNoise levels = noise_at_rows(answer, kept);
  const Matrix &noise = levels.expected, studentised = answer.residual.cwiseQuotient(noise);
  if (answer.left_out() > 0) test_cut(answer, studentised, verdict);
  verdict.result.tail = tail_weight(studentised(kept.rows, Eigen::all));  // noise that grows with the inputs has no heavy tails
  // Tails that no benign noise has excuse nothing; with few samples Laplace's can look like it.
  const double surely_heavy = heavy_tails + 4 / std::sqrt(static_cast<double>(kept.rows.size()));
  const double level = verdict.result.tail > surely_heavy ? false_alarms::left_out : 0;
  test_large_rows(answer, studentised, level, verdict);
  verdict.test("not_an_optimum", not_an_optimum(kept.residual, kept.basis, verdict.random), "the answer is not the best of its own form");
  verdict.test("equal_inputs",
               equal_inputs_err_together(kept.residual, rows_of_equal_inputs(answer.x(kept.rows, Eigen::all)), verdict.random),
               "labels of equal inputs err together");
  if (!goes_on()) return verdict.result;
  const Matrix plain = answer.residual(kept.rows, Eigen::all);
  const bool rounded =
      grid.step() > 0 && std::sqrt((plain.colwise().squaredNorm() / static_cast<double>(plain.rows())).maxCoeff()) < grid.step();
  if (!rounded) {
    test_two_humped(studentised(kept.rows, Eigen::all), verdict);
    verdict.test("skewed", skewed(studentised(kept.rows, Eigen::all)),
                 "what is left is skewed: nothing tells noise of such a shape from a function of the inputs");
  }
  if (!rounded) {  // rounding is a function of the fit, and not random at a kink
    const std::string words = "the residual bends at the kink of a unit: a smooth bend, a step, or several units in place of one";
    verdict.test("shape_at_kink", shapes_at_kinks(kept.residual, kept.t, kept.z, kept.basis, verdict.random), words);
    if (verdict.result.tail > not_normal)  // a few large residuals must not drown a bend
      verdict.test("shape_at_kink_clipped", shapes_at_kinks(clipped(plain), kept.t, kept.z, kept.basis, verdict.random), words);
    verdict.test("bump_at_kink", bumps_at_kinks(studentised(kept.rows, Eigen::all), kept.t, verdict.random, control), words);
  }
  if (!goes_on()) return verdict.result;
  if (!answer.unit.is_relu() && answer.units() > 0) test_stated_form(answer, kept, network, verdict);
  if (!goes_on()) return verdict.result;
  const Matrix basis = basis_over_noise(kept, noise);
  verdict.test("many_units",
               best_of_many_units(kept.z, studentised(kept.rows, Eigen::all), basis, verdict.random, kind_of(answer, network), control),
               "one of many units that were tried explains more", level);
  verdict.test("smooth", smooth_leftover(kept.residual, kept.z, kept.basis, verdict.random),
               "the residual is a smooth function of the inputs");
  verdict.test("waves", waves_left(kept.residual, kept.z, kept.basis, verdict.random), "the residual is a wave along the inputs");
  if (!goes_on()) return verdict.result;
  const EvenNoise even = even_noise(kept.residual, kept.basis, noise_of_rows(kept, levels.level));
  const ColumnTerms terms = terms_left(answer.x(kept.rows, Eigen::all), kept.residual, kept.basis, even, verdict.random);
  const std::string of_two = "the residual goes with a term of one or two inputs: a power, a threshold, a product",
                    of_three = "the residual goes with a product of three inputs or more, or of their signs";
  verdict.test("terms_of_two", terms.of_two.flipped, of_two, false_alarms::common);
  verdict.test("terms_of_two_even", terms.of_two.even, of_two, false_alarms::common);
  verdict.test("terms_of_three", terms.of_three.flipped, of_three);
  verdict.test("terms_of_three_even", terms.of_three.even, of_three);
  verdict.test("corners", corners_left(kept.x, even, verdict.random), "the residual steps where two inputs pass thresholds");
  const Matrix variables = single_variables(answer, kept);
  verdict.test("waves_along", waves_along(variables, kept.residual, kept.basis, verdict.random),
               "the residual is a wave along one input, unit or distance");
  verdict.test("cells_of_two", cells_of_two(variables, kept.residual, verdict.random),
               "the residual is a function of two inputs, units or distances");
  if (!goes_on()) return verdict.result;
  const CrossFit more = one_more_unit(kept.z, kept.residual, kept.basis, verdict.random, kind_of(answer, network), control);
  verdict.test(
      "one_more_unit", more.chance,
      fmt::format("one more unit, found on one half of the samples, explains more on the other ({:.1f} standard deviations)", more.score));
  if (!goes_on()) return verdict.result;
  // A unit of another activation has a smooth remainder in whatever direction it lies: looked for harder there.
  verdict.test("one_more_wave",
               one_more_wave(kept.z, kept.residual, kept.basis, answer.unit.is_relu() ? 4e7 : 6e8, verdict.random, control),
               "a wave, found on one half of the samples, explains more on the other");
  if (!goes_on()) return verdict.result;
  if (!rounded)
    verdict.test(
        "ridge",
        ridges_left(kept.z, studentised(kept.rows, Eigen::all), basis, forms_of(answer, network).leftCols(answer.z.cols()).transpose(),
                    even.normal && !even.weighted, verdict.random, control),
        "the residual is of one sign between two planes", std::max(level, false_alarms::common));
  if (!goes_on()) return verdict.result;
  if (verdict.result.tail > too_heavy)
    verdict.refuse(fmt::format(
        "what is left has tails {:.1f} times as heavy as normal noise, which least squares does not take: some labels may be wrong",
        verdict.result.tail));
  // Noise that outputs share cancels in some combination of them: a few samples that stand out there are no noise.
  for (const auto& combination : kept.residual.colwise())
    if (const double tail = tail_weight(combination); kept.residual.cols() > 1 && tail > too_heavy)
      verdict.refuse(
          fmt::format("in a combination of the outputs, what is left has tails {:.1f} times as heavy as normal noise: a few samples stand "
                      "out where noise cancels",
                      tail));
  if (verdict.stands() && answer.units() > 0) test_heavy_tails(answer, kept, network, studentised, too_heavy, verdict);
  if (answer.units() > 0)
    verdict.result.detection_limit = detection_limit(answer, kept, network, more.visible, verdict.result.tail, verdict.random);
  if (!goes_on()) return verdict.result;
  if (tail_weight(plain) < nearly_normal)  // a likelihood ratio takes noise of one size for granted
    test_refit(answer, kept, network, more.found,
               verdict.result.detection_limit > high_limit ? false_alarms::refit : false_alarms::refit_of_clear_units, control, verdict);
  const std::string together = "several signs of something left to explain come together";
  verdict.test_together(
      "together", {"large_place", "large_neighbours", "smooth", "shape_at_kink", "one_more_unit", "one_more_unit_clipped", "equal_inputs"},
      together, std::max(verdict.each, false_alarms::unlike));
  // These go together by chance too (correlations of .25 on benign data).
  verdict.test_together("one_more_together", {"many_units", "ridge", "smooth", "one_more_unit"}, together, false_alarms::alike);
  return verdict.result;
}

LeftoverVerdict left_out_by_accident(const Judged& answer, std::uint64_t seed) {
  Verdict verdict(seed, answer.rows());
  if (answer.left_out() > 0) test_left_out(answer, false_alarms::left_out, verdict);
  if (verdict.stands())
    if (const Index rows = explained_by_one_more_unit(answer, verdict.random); rows > 0)
      verdict.refuse(fmt::format("{} of the samples that were left out are explained by one more unit", rows));
  return verdict.result;
}

}  // namespace relucover
