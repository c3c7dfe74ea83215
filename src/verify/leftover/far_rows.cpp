#include "verify/leftover/far_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "verify/leftover/cells_of_two.hpp"
#include "verify/leftover/features.hpp"
#include "verify/leftover/flat_rows.hpp"
#include "verify/leftover/flip_tests.hpp"
#include "verify/leftover/groups_left.hpp"
#include "verify/leftover/left_out_labels.hpp"
#include "verify/leftover/left_out_unit.hpp"
#include "verify/leftover/near_rows.hpp"
#include "verify/leftover/periods_left.hpp"
#include "verify/leftover/row_tests.hpp"
#include "verify/leftover/tails.hpp"

namespace relucover {

namespace {

/// Rows by falling size.
std::vector<Index> worst_first(const Vector& size) { return order_of(-size); }

/// Sizes such that rows that were left out come before all others.
Vector out_first(const Judged& answer, Vector size) {
  const double more = size.maxCoeff() + 1;
  for (Index i = 0; i < answer.rows(); ++i)
    if (!answer.kept[static_cast<std::size_t>(i)]) size[i] += more;
  return size;
}

/// The sign of the largest entry of each row.
Vector signs_of(const Matrix& residual) {
  Vector signs(residual.rows());
  for (Index i = 0; i < residual.rows(); ++i) {
    Index largest = 0;
    residual.row(i).cwiseAbs().maxCoeff(&largest);
    signs[i] = residual(i, largest) < 0 ? -1 : 1;
  }
  return signs;
}

/// Chance that the worst rows have so extreme values of the answer: a clamp.
double extreme_fit(const Judged& answer, const std::vector<Index>& order, Index count) {
  double least = 1;
  for (Index o = 0; o < answer.outputs(); ++o) {
    const Vector rank = relative_ranks(answer.fit.col(o));
    const Vector from_top = (1 + 1 / static_cast<double>(rank.size()) - rank.array()).matrix();
    for (const Vector& place : {rank, from_top}) {
      double sum = 0;
      for (Index k = 0; k < count; ++k) sum -= std::log(place[order[static_cast<std::size_t>(k)]]);
      least = std::min(least, erlang_tail(count, sum));
    }
  }
  return std::min(1.0, 2 * static_cast<double>(answer.outputs()) * least);
}

/// A hat between two planes can go through so many samples whatever they are; and inputs like these would meet it.
bool too_few_to_tell(Index rows, const Judged& answer) {
  constexpr double rare = 1e-3;
  return rows < std::max<Index>(5, answer.z.cols() + 4) && static_cast<double>(rows) > rare * static_cast<double>(answer.rows());
}

/// How many of the rows that were left out stand so far apart from the rest of them, if they are too few to tell.
Index apart_from_others(const Judged& answer, const std::vector<Index>& order, const Vector& size) {
  constexpr double gap = 3;
  constexpr Index some = 3;
  for (Index k = some; k < answer.left_out() && k < size.size(); ++k)
    if (too_few_to_tell(k, answer) && size[order[static_cast<std::size_t>(k - 1)]] > gap * size[order[static_cast<std::size_t>(k)]])
      return k;
  return 0;
}

/// |t| beyond which this share of Student's distribution with 5 degrees of freedom lies (to 1%, by its tail): no benign noise is heavier.
double heavy_quantile(double share) { return std::sqrt(std::max(std::pow(1.785 * std::pow(share, -0.2), 2) - 3.8, 0.1)); }
/// The same of a normal variable (to 2%).
double normal_quantile(double share) {
  const double square = -2 * std::log(share / 2);
  return std::sqrt(std::max(square - std::log(2 * std::numbers::pi * square / 1.3), 0.1));
}

/// How many of the largest sizes are beyond what a tail that begins like the others' would hold.
Index far_off(const Vector& size, const std::vector<Index>& order) {
  constexpr double inner = 0.3, outer = 0.05, beyond = 2.5;
  const auto n = static_cast<double>(size.size());
  const auto at = [&](double share) { return size[order[static_cast<std::size_t>(share * n)]]; };
  const auto begins = static_cast<Index>(outer * n);
  if (begins < 5 || !(at(inner) > 0)) return 0;
  // How heavy the tail is: 0 for a normal one, 1 for Student's.
  constexpr double normal_ratio = 1.89, heavy_ratio = 2.22;
  const double weight = std::clamp((at(outer) / at(inner) - normal_ratio) / (heavy_ratio - normal_ratio), 0.0, 1.0);
  const auto tail = [&](double share) {
    return std::pow(normal_quantile(share) / normal_quantile(outer), 1 - weight) *
           std::pow(heavy_quantile(share) / heavy_quantile(outer), weight);
  };
  Index count = 0;
  for (Index k = 0; k < begins; ++k)
    if (size[order[static_cast<std::size_t>(k)]] > beyond * at(outer) * tail((static_cast<double>(k) + 1) / n)) count = k + 1;
  return count;
}

/// One row far off is Student's noise in a case of a hundred, unless it is the very row that a step at a kink would show, or one at the
/// edge of all inputs: there few rows stand for whatever lies beyond.
void test_far_row(const Judged& answer, Index row, Verdict& verdict) {
  constexpr double level = 5e-3;  // of a case of a hundred
  const double at_kink = answer.nearness.size() > 0 ? answer.nearness[row] : 1;
  const double at_edge = relative_ranks(-answer.z.rowwise().norm())[row];
  verdict.test(
      "far_row", std::min(1.0, 2 * std::min(at_kink, at_edge)),
      "one residual is far larger than the tail of the others, just where a step at a kink or something beyond the inputs would show",
      level);
}

}  // namespace

void test_left_out(const Judged& answer, double level, Verdict& verdict) {
  const Index count = answer.left_out();
  const Eigen::RowVectorXd mean = answer.y.colwise().mean();
  const Vector deviation =
      ((answer.y.rowwise() - mean).colwise().squaredNorm() / static_cast<double>(answer.rows())).cwiseSqrt().transpose().cwiseMax(1e-300);
  const Vector size = (answer.residual * deviation.cwiseInverse().asDiagonal()).rowwise().norm();
  if (too_few_to_tell(count, answer))
    verdict.refuse(
        fmt::format("{} sample{} not explained: so few can't be told from a unit that only they see", count, count == 1 ? " is" : "s are"));
  if (const Index apart = apart_from_others(answer, worst_first(out_first(answer, size)), size); apart > 0)
    verdict.refuse(fmt::format(
        "of the samples that were left out {} are far further off than the others: so few can't be told from a unit that only they see",
        apart));
  Matrix mask(answer.rows(), 1);
  for (Index i = 0; i < answer.rows(); ++i) mask(i, 0) = answer.kept[static_cast<std::size_t>(i)] ? 0 : 1;
  verdict.test("left_out", mask_depends_on_inputs(mask, answer, verdict.random), "which samples were left out depends on the inputs",
               level);
  const std::string words = "which samples were left out is a function of the inputs: ";
  const Matrix centred = mask.array() - mask.mean(), none(answer.rows(), 0);
  const Matrix variables = [&] {
    Matrix all(answer.rows(), answer.x.cols() + answer.t.cols() + answer.outputs() + 1);
    all << answer.x, answer.t, answer.fit, answer.z.rowwise().norm();
    return all;
  }();
  const Matrix sorted = sorted_columns(variables);
  verdict.test("left_out_groups", groups_left(groupings_of(answer.x), none, nullptr, centred, Chance::places, verdict.random),
               words + "it differs from group to group", level);
  verdict.test("left_out_patterns", groups_left(patterns_of(answer.t), none, nullptr, centred, Chance::places, verdict.random),
               words + "it goes with which units are on", level);
  verdict.test("left_out_periods", periods_left(variables, sorted, centred), words + "it repeats along one of them", level);
  verdict.test("left_out_near", near_rows_alike(answer.x, centred, verdict.random), words + "it goes with two or three of them", level);
  verdict.test("left_out_labels", left_out_labels_depend_on_inputs(answer, verdict.random),
               "the labels that were left out are a function of the inputs", level);
  verdict.test("left_out_order", left_out_order_depends_on_inputs(answer),
               "how far off the labels are that were left out is a function of the inputs");
  verdict.test("left_out_cells", cells_of_two(variables, sorted, centred, verdict.random), words + "it goes with two of them", level);
  const Matrix ones = Matrix::Constant(answer.rows(), 1, 1 / std::sqrt(static_cast<double>(answer.rows())));
  verdict.test("left_out_smooth", smooth_leftover(centred, answer.z, ones, verdict.random), words + "near rows go together", level);
  verdict.test("left_out_waves", waves_left(centred, answer.z, ones, verdict.random), words + "it is a wave", level);
  verdict.test("left_out_fit", extreme_fit(answer, worst_first(size), count),
               "the samples that were left out are those where the answer is largest or smallest", level);
  verdict.test_places("left_out",
                      places_of_rows(answer.z, answer.nearness, worst_first(size), growing_counts(2, count, 1.6, true), verdict.random),
                      "the samples that were left out", level);
  if (verdict.stands())
    verdict.test("left_out_flat",
                 rows_lie_flat(answer.z, worst_first(out_first(answer, size)), count, signs_of(answer.residual), verdict.random),
                 "the samples that were left out lie between two planes", level);
}

void test_rows_alike(const Judged& answer, double level, Verdict& verdict) {
  for (const auto& group : rows_that_err_alike(answer, verdict.random)) {
    const auto count = static_cast<Index>(group.size());
    const std::string which = fmt::format("{} of the samples that were left out, which are off by one and the same function,", count);
    if (too_few_to_tell(count, answer)) return verdict.refuse(which + " are too few to be told from a unit that only they see");
    Vector size = Vector::Zero(answer.rows());
    for (const Index row : group) size[row] = 1;
    const std::vector<Index> order = worst_first(size);
    verdict.test_places("alike", places_of_rows(answer.z, answer.nearness, order, {count}, verdict.random), which, level);
    if (!verdict.stands()) return;
    verdict.test("alike_flat", rows_lie_flat(answer.z, order, count, signs_of(answer.residual), verdict.random),
                 which + " lie between two planes", level);
  }
}

void test_large_rows(const Judged& answer, const Matrix& studentised, double level, Verdict& verdict) {
  constexpr double large = 2;  // local deviations above √outputs
  const Vector size = studentised.rowwise().norm(), signs = signs_of(studentised);
  const std::vector<Index> order = worst_first(size);
  const Index many = (size.array() > std::sqrt(static_cast<double>(answer.outputs())) + large).count();
  const Index apart = far_off(size, order);
  constexpr Index some = 3, two = 2;  // one is Student's noise in a case of a hundred
  if (apart >= two && too_few_to_tell(apart, answer))
    verdict.refuse(
        fmt::format("{} residuals are far larger than the tail of the others: so few can't be told from a unit that only they see", apart));
  if (apart == 1) test_far_row(answer, order.front(), verdict);
  if (many < 2) return;
  const auto above = static_cast<Index>((signs(std::vector<Index>(order.begin(), order.begin() + many)).array() > 0).count());
  verdict.test("large_sign", std::min(1.0, 2 * binomial_tail(many, 0.5, std::max(above, many - above))),
               "the largest residuals are of one sign: this is no noise whose signs are chance");
  verdict.test_places("large", places_of_rows(answer.z, answer.nearness, order, growing_counts(2, many, 1.6, true), verdict.random),
                      fmt::format("the largest residuals ({} samples)", many), level);
  if (!verdict.stands()) return;
  verdict.test("large_flat", rows_lie_flat(answer.z, order, many, signs, verdict.random), "the largest residuals lie between two planes",
               level);
  if (apart >= some)
    verdict.test("far_off_flat", rows_lie_flat(answer.z, order, apart, signs, verdict.random),
                 "the samples that are far off lie between two planes", false_alarms::left_out);
}

void test_cut(const Judged& answer, const Matrix& studentised, Verdict& verdict) {
  constexpr double close = 2, most = 1.0 / 3;
  constexpr Index some = 3;
  const Vector size = studentised.rowwise().norm();
  double cut = 0;
  Index near = 0;
  for (Index i = 0; i < size.size(); ++i)
    if (answer.kept[static_cast<std::size_t>(i)]) cut = std::max(cut, size[i]);
  for (Index i = 0; i < size.size(); ++i) near += !answer.kept[static_cast<std::size_t>(i)] && size[i] < close * cut;
  if (near >= some && static_cast<double>(near) > most * static_cast<double>(answer.left_out()))
    verdict.refuse(
        fmt::format("{} of the {} samples that were left out are hardly further off than others that were kept: noise with such tails "
                    "can't be told from a function",
                    near, answer.left_out()));
}

}  // namespace relucover
