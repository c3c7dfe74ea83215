#include <algorithm>
#include <cmath>

#include "networks/assignment.hpp"
#include "networks/layers.hpp"

namespace relucover {

namespace {

using Partners = std::vector<Index>;  // truth -> answer, or -1

/// The answer's columns in the order of the truth; zero where the truth has no partner.
Matrix in_order_of_truth(const Matrix& columns, const Partners& partner) {
  Matrix ordered = Matrix::Zero(columns.rows(), std::ssize(partner));
  for (std::size_t i = 0; i < partner.size(); ++i)
    if (partner[i] >= 0) ordered.col(static_cast<Index>(i)) = columns.col(partner[i]);
  return ordered;
}

Matrix or_zero(const Matrix& matrix, Index rows, Index cols) { return matrix.size() > 0 ? matrix : Matrix::Zero(rows, cols); }

/// Map `l` of both networks with the answer's columns paired by the layers below: weights and paths around, side by side.
struct PairedRows {
  Matrix truth, answer;
};
PairedRows paired_rows(const AffineMap& truth, const AffineMap& answer, const Partners& below, const Partners* beneath) {
  const Index width = std::ssize(below), around = beneath ? std::ssize(*beneath) : 0;
  PairedRows rows{Matrix(truth.W.rows(), width + around), Matrix(answer.W.rows(), width + around)};
  rows.truth.leftCols(width) = truth.W;
  rows.answer.leftCols(width) = in_order_of_truth(answer.W, below);
  if (around > 0) {
    rows.truth.rightCols(around) = or_zero(truth.around, truth.W.rows(), around);
    rows.answer.rightCols(around) =
        answer.around.size() > 0 ? in_order_of_truth(answer.around, *beneath) : Matrix::Zero(answer.W.rows(), around);
  }
  return rows;
}

struct LayerMatch {
  LayerComparison errors;
  Partners partner;
  bool turned = false;
};

LayerMatch match_layer(const PairedRows& rows, const Vector& truth_bias, const Vector& answer_bias) {
  const Index k = rows.truth.rows(), m = rows.answer.rows();
  const auto distance = [&](Index i, Index j, double sign) {
    return std::hypot((rows.truth.row(i) - sign * rows.answer.row(j)).norm(), truth_bias[i] - sign * answer_bias[j]);
  };
  Matrix cost(k, m);
  for (Index i = 0; i < k; ++i)
    for (Index j = 0; j < m; ++j) cost(i, j) = std::min(distance(i, j, 1), distance(i, j, -1));
  LayerMatch match;
  match.partner = cheapest_assignment(cost);
  match.errors.units_truth = k;
  match.errors.units_answer = m;
  constexpr double matched_within = 0.1;
  for (Index i = 0; i < k; ++i) {
    const Index j = match.partner[static_cast<std::size_t>(i)];
    if (j < 0) continue;
    const double sign = distance(i, j, -1) < distance(i, j, 1) ? -1 : 1;
    match.turned |= sign < 0;
    match.errors.units_matched += distance(i, j, sign) < matched_within;
    match.errors.max_weight_error = std::max(match.errors.max_weight_error, (rows.truth.row(i) - sign * rows.answer.row(j)).norm());
    match.errors.max_bias_error = std::max(match.errors.max_bias_error, std::abs(truth_bias[i] - sign * answer_bias[j]));
  }
  if (k != m) match.errors.max_weight_error = std::max(match.errors.max_weight_error, 2.0);
  return match;
}

Partners same_order(Index size) {
  Partners order(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Index>(i);
  return order;
}

}  // namespace

Comparison compare_layers(const Network& truth, const Network& answer) {
  const auto maps = maps_of(truth), found = maps_of(answer);
  Comparison result;
  result.units_truth = truth.all_units();
  result.units_answer = answer.all_units();
  if (maps.size() != found.size()) {  // another depth: no unit has a partner
    result.partner.assign(static_cast<std::size_t>(truth.units()), -1);
    for (const Index width : truth.widths()) result.layers.push_back({width, 0, 0, 2.0, 0});
    result.max_weight_error = 2;
    result.max_output_error = truth.A.size() > 0 ? truth.A.cwiseAbs().maxCoeff() : 0;
    return result;
  }
  Partners below = same_order(truth.inputs()), beneath;
  for (std::size_t l = 0; l + 1 < maps.size(); ++l) {
    const LayerMatch match = match_layer(paired_rows(maps[l], found[l], below, l > 0 ? &beneath : nullptr), maps[l].b, found[l].b);
    if (l == 0) result.partner = match.partner;
    result.layers.push_back(match.errors);
    result.units_matched += match.errors.units_matched;
    result.max_weight_error = std::max(result.max_weight_error, match.errors.max_weight_error);
    result.max_bias_error = std::max(result.max_bias_error, match.errors.max_bias_error);
    result.up_to_sign |= match.turned;
    beneath = std::move(below);
    below = match.partner;
  }
  const PairedRows last = paired_rows(maps.back(), found.back(), below, &beneath);
  result.max_output_error =
      std::max({last.truth.size() > 0 ? (last.truth - last.answer).cwiseAbs().maxCoeff() : 0.0,
                (maps.back().b - found.back().b).cwiseAbs().maxCoeff(), (truth.skip - answer.skip).cwiseAbs().maxCoeff()});
  return result;
}

}  // namespace relucover
