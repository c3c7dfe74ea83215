#include "verify/leftover/leftover_look.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "verify/distinct_rows.hpp"
#include "verify/leftover/cells_of_two.hpp"
#include "verify/leftover/column_terms.hpp"
#include "verify/leftover/corners.hpp"
#include "verify/leftover/even_noise.hpp"
#include "verify/leftover/far_rows.hpp"
#include "verify/leftover/features.hpp"
#include "verify/leftover/flip_tests.hpp"
#include "verify/leftover/groups_left.hpp"
#include "verify/leftover/nests.hpp"
#include "verify/leftover/noise_shape.hpp"
#include "verify/leftover/periods_in_units.hpp"
#include "verify/leftover/periods_left.hpp"
#include "verify/leftover/ridge_scan.hpp"
#include "verify/leftover/row_order.hpp"
#include "verify/leftover/selected_rows.hpp"
#include "verify/leftover/tails.hpp"
#include "verify/leftover/wave_search.hpp"

namespace relucover {

KeptRows kept_of(const Judged& answer) {
  KeptRows kept;
  kept.rows = answer.kept_rows();
  kept.x = answer.x(kept.rows, Eigen::all);
  kept.z = answer.z(kept.rows, Eigen::all);
  kept.t = answer.t(kept.rows, Eigen::all);
  const bool all = static_cast<Index>(kept.rows.size()) == answer.rows();
  kept.basis.emplace(RoughBasis::spanning(all ? answer.tangent : Matrix(answer.tangent(kept.rows, Eigen::all))));
  const Matrix residual = answer.residual(kept.rows, Eigen::all);
  kept.decorrelation = decorrelating(residual);
  kept.residual = residual * kept.decorrelation;
  return kept;
}

namespace {

constexpr double nearly_even = 1.2;

RowNoise noise_at_rows(const Judged& answer, const KeptRows& kept) {
  // How far the fit follows each row: the residual there is smaller, and elsewhere larger, by this.
  Vector leverage = Vector::Zero(answer.rows());
  leverage(kept.rows) = kept.basis->leverage();
  const Eigen::RowVectorXd mean_square =
      answer.residual(kept.rows, Eigen::all).colwise().squaredNorm() / static_cast<double>(kept.rows.size());
  const Matrix square = local_noise(answer, leverage).cwiseAbs2() + answer.rounding.cwiseAbs2();
  return {(square.array() + 1e-300).sqrt(), ((square + 2 * leverage * mean_square).array() + 1e-300).sqrt()};
}

/// One number for all outputs of a row.
Vector noise_of_rows(const KeptRows& kept, const Matrix& noise) {
  const Matrix of_kept = noise(kept.rows, Eigen::all);  // a view would copy its list of rows for each row that is asked for
  return of_kept.array().log().rowwise().mean().exp();
}

/// A piece of the answer that only as many rows lie on as it has parameters is not tested by anything.
void test_leverage(const Vector& leverage, Verdict& verdict) {
  constexpr double high = 0.8;
  constexpr Index some = 3;
  const Index alone = (leverage.array() > high).count();
  if (alone >= some)
    verdict.refuse(fmt::format("{} samples determine a piece of the answer that hardly any other could contradict", alone));
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

/// Each output over what its bulk deviates by.
Matrix over_robust_deviation(Matrix residual) {
  for (auto output : residual.colwise()) output /= std::max(robust_deviation(output), 1e-300);
  return residual;
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

/// Columns, and units where they are active.
Matrix what_may_drift(const Judged& answer, const KeptRows& kept) {
  constexpr Index most = 24;
  const Index columns = std::min(answer.inputs(), most), units = std::min(kept.t.cols(), most);
  Matrix functions(kept.x.rows(), columns + units);
  functions << kept.x.leftCols(columns), kept.t.leftCols(units).cwiseMax(0);
  return functions;
}

/// Units where they are active, infinite elsewhere.
Matrix active_sides(const Matrix& t) {
  constexpr Index most = 24;
  const Matrix units = t.leftCols(std::min(t.cols(), most));
  return (units.array() > 0).select(units, INFINITY);
}

}  // namespace

// Laplace's noise has tails of 1.4, and with few samples more by chance.
LookAtLeftover::LookAtLeftover(const Judged& of, const LabelGrid& grid, std::uint64_t seed, const Control& control)
    : answer(of), verdict(seed, of.rows(), control), too_heavy(std::min(2.5, 1.6 + 6 / std::sqrt(static_cast<double>(of.rows())))),
      grid_(grid), control_(control) {}

bool LookAtLeftover::goes_on() const {
  control_.check();
  return verdict.stands();
}

// A fit that took all noise for equal leaves Bᵀ r = 0, so of residuals over their noise, r / s, only what is orthogonal to B / s is a sum
// of independent terms. Where s = 1 + e, a score that takes B for B / s has a variance that is off by 3 e² at most.
const RoughBasis& LookAtLeftover::basis_over_noise(double nearly_even) {
  const Vector of_rows = noise_of_rows(kept, noise_.expected);
  if (of_rows.maxCoeff() < nearly_even * of_rows.minCoeff()) return *kept.basis;
  if (!basis_over_noise_) basis_over_noise_ = kept.basis->weighted(of_rows.minCoeff() * of_rows.cwiseInverse());
  return *basis_over_noise_;
}

const Halves& LookAtLeftover::halves() {
  if (!halves_) halves_ = halves_of(*kept.basis, verdict.random);
  return *halves_;
}

bool LookAtLeftover::test_rows() {
  if (answer.left_out() > 0) test_left_out(answer, false_alarms::left_out, verdict);
  if (!goes_on()) return false;
  kept = kept_of(answer);
  plain = answer.residual(kept.rows, Eigen::all);
  control_.check();
  if (static_cast<Index>(kept.rows.size()) <= 3 * kept.basis->size()) {
    verdict.refuse(fmt::format("{} distinct samples are too few to judge what {} functions leave", kept.rows.size(), kept.basis->size()));
    return false;
  }
  test_leverage(kept.basis->leverage(), verdict);
  noise_ = noise_at_rows(answer, kept);
  studentised = answer.residual.cwiseQuotient(noise_.expected);
  if (answer.left_out() > 0) test_cut(answer, studentised, verdict);
  verdict.result.tail = tail_weight(studentised_kept());  // noise that grows with the inputs has no heavy tails
  // Tails that no benign noise has excuse nothing; with few samples Laplace's can look like it.
  const double surely_heavy = heavy_tails + 4 / std::sqrt(static_cast<double>(kept.rows.size()));
  level_ = verdict.result.tail > surely_heavy ? false_alarms::left_out : 0;
  test_large_rows(answer, studentised, level_, verdict);
  verdict.test("not_an_optimum", not_an_optimum(kept.residual, *kept.basis, verdict.random), "the answer is not the best of its own form");
  verdict.test("equal_inputs",
               equal_inputs_err_together(kept.residual, rows_of_equal_inputs(answer.x(kept.rows, Eigen::all)), verdict.random),
               "labels of equal inputs err together");
  verdict.test(
      "row_order", row_order_left(what_may_drift(answer, kept), answer.y(kept.rows, Eigen::all), kept.residual, *kept.basis),
      "what is left goes with the order of the rows (drift, seasons, rows before): give what it goes with, such as the time, as columns");
  if (claimable)
    verdict.test("selected_rows",
                 no_labels_beyond(answer.fit(kept.rows, Eigen::all), answer.y(kept.rows, Eigen::all),
                                  noise_.expected(kept.rows, Eigen::all), kept.basis->size()),
                 "labels end where noise would not let them: rows seem to have been chosen by their labels; give those left out, too");
  rounded = grid_.step() > 0 && std::sqrt((plain.colwise().squaredNorm() / static_cast<double>(plain.rows())).maxCoeff()) < grid_.step();
  return goes_on();
}

bool LookAtLeftover::test_kinks() {
  constexpr double not_normal = 1.2;
  if (rounded) return goes_on();  // rounding is a function of the fit, and not random at a kink
  test_two_humped(studentised_kept(), verdict);
  verdict.test("skewed", skewed(studentised_kept()),
               "what is left is skewed: nothing tells noise of such a shape from a function of the inputs");
  const std::string words = "the residual bends at the kink of a unit: a smooth bend, a step, or several units in place of one";
  verdict.test("shape_at_kink", shapes_at_kinks(kept.residual, kept.t, kept.z, *kept.basis, verdict.random, control_), words);
  if (verdict.result.tail > not_normal)  // a few large residuals must not drown a bend
    verdict.test("shape_at_kink_clipped", shapes_at_kinks(clipped(plain), kept.t, kept.z, *kept.basis, verdict.random, control_), words);
  verdict.test("bump_at_kink", bumps_at_kinks(studentised_kept(), kept.t, verdict.random, control_), words);
  return goes_on();
}

bool LookAtLeftover::test_functions(const UnitKind& kind) {
  constexpr Index rows_told_apart = 1000, few_rows = 500;
  if (claimable)
    verdict.test("many_units",
                 best_of_many_units(kept.z, studentised_kept(), basis_over_noise(nearly_even), verdict.random, kind, control_),
                 "one of many units that were tried explains more", level_);
  verdict.test("smooth", smooth_leftover(kept.residual, kept.z, *kept.basis, verdict.random, claimable ? rows_told_apart : few_rows),
               "the residual is a smooth function of the inputs");
  if (claimable)
    verdict.test("waves", waves_left(kept.residual, kept.z, *kept.basis, verdict.random, control_),
                 "the residual is a wave along the inputs");
  if (!goes_on()) return false;
  const Vector level = noise_of_rows(kept, noise_.level);
  const EvenNoise even = level.maxCoeff() > nearly_even_noise * level.minCoeff()
                             ? even_noise(kept.residual, basis_over_noise(nearly_even_noise), noise_of_rows(kept, noise_.expected))
                             : even_noise(kept.residual, *kept.basis, level);
  rows_may_change_places_ = even.normal && !even.weighted;
  const ColumnTerms terms = terms_left(answer.x(kept.rows, Eigen::all), kept.residual, *kept.basis, even, verdict.random, control_);
  const std::string of_two = "the residual goes with a term of one or two inputs: a power, a threshold, a product",
                    of_three = "the residual goes with a product of three inputs or more, or of their signs";
  verdict.test("terms_of_two", terms.of_two.flipped, of_two, false_alarms::common);
  verdict.test("terms_of_two_even", terms.of_two.even, of_two, false_alarms::common);
  verdict.test("terms_of_three", terms.of_three.flipped, of_three);
  verdict.test("terms_of_three_even", terms.of_three.even, of_three);
  verdict.test("corners", corners_left(kept.x, even, verdict.random), "the residual steps where two inputs pass thresholds");
  const Matrix variables = single_variables(answer, kept), sorted = sorted_columns(variables);
  if (claimable) {
    verdict.test("waves_along", waves_along(variables, kept.residual, *kept.basis, verdict.random, control_),
                 "the residual is a wave along one input, unit or distance");
    const Matrix slopes = standardised(kept.x.leftCols(std::min<Index>(kept.x.cols(), 12)));
    verdict.test("groups", groups_left(groupings_of(kept.x), slopes, &*kept.basis, kept.residual, Chance::flips, verdict.random, control_),
                 "the residual differs from group to group: levels of a column, residues of whole numbers, which column is the largest",
                 false_alarms::common);
    verdict.test("nests",
                 groups_left(nests_of(kept.z, verdict.random), slopes, nullptr, kept.residual, Chance::flips, verdict.random, control_),
                 "rows that are near each other err together: what is left is a function of the inputs");
    const std::vector<Grouping> patterns = patterns_of(kept.t);
    verdict.test("patterns", groups_left(patterns, slopes, &*kept.basis, kept.residual, Chance::flips, verdict.random, control_),
                 "the residual goes with which units are on, or how many", false_alarms::common);
    verdict.test("patterns_even", groups_left(patterns, even), "the residual goes with which units are on, or how many",
                 false_alarms::common);
    const std::string repeats = "the residual repeats along one input, unit or distance";
    verdict.test("periods", periods_left(variables, sorted, kept.residual), repeats, false_alarms::common);
    const Matrix active = active_sides(kept.t);
    verdict.test("periods_of_units", periods_left(active, sorted_columns(active), kept.residual), repeats + " where it is active",
                 false_alarms::common);
  }
  verdict.test("cells_of_two", cells_of_two(variables, sorted, kept.residual, verdict.random),
               "the residual is a function of two inputs, units or distances");
  return goes_on();
}

bool LookAtLeftover::test_periods_in_units(const Matrix& slopes, const Vector& sizes) {
  if (claimable)
    verdict.test("periods_in_units", periods_in_units(kept.z, kept.t, slopes, sizes, kept.residual, verdict.random, control_),
                 "the residual repeats inside a unit: stairs, or rounding", false_alarms::common);
  return goes_on();
}

bool LookAtLeftover::test_wave(double work) {
  if (claimable)
    verdict.test("one_more_wave", one_more_wave(kept.z, kept.residual, halves(), work, verdict.random, control_),
                 "a wave, found on one half of the samples, explains more on the other");
  return goes_on();
}

bool LookAtLeftover::test_ridges(const Matrix& units) {
  // With few inputs the noise at a row is what its neighbours have left: a ridge among these hides behind its own size.
  constexpr Index few_inputs = 3;
  if (!rounded && claimable) {
    const std::string words = "the residual is of one sign between two planes";
    const double level = std::max(level_, false_alarms::common);
    verdict.test(
        "ridge",
        ridges_left(kept.z, studentised_kept(), basis_over_noise(nearly_even), units, rows_may_change_places_, verdict.random, control_),
        words, level);
    if (kept.z.cols() <= few_inputs && goes_on())
      verdict.test(
          "ridge_as_is",
          ridges_left(kept.z, over_robust_deviation(kept.residual), *kept.basis, units, rows_may_change_places_, verdict.random, control_),
          words, level);
  }
  return goes_on();
}

bool LookAtLeftover::test_tails() {
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
  return verdict.stands();
}

void LookAtLeftover::test_together() {
  const std::string together = "several signs of something left to explain come together";
  verdict.test_together("together",
                        {"large_place", "large_neighbours", "smooth", "shape_at_kink", "one_more_unit", "one_more_unit_clipped",
                         "equal_inputs", "terms_of_two_even"},
                        together, std::max(verdict.each, false_alarms::unlike));
  // These go together by chance too (correlations of .25 on benign data).
  verdict.test_together("one_more_together", {"many_units", "ridge", "smooth", "one_more_unit"}, together, false_alarms::alike);
}

}  // namespace relucover
