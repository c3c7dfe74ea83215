// Errors of a model with thresholds against the truth.
#include <algorithm>
#include <cmath>

#include "core/check.hpp"
#include "core/random.hpp"
#include "networks/assignment.hpp"
#include "relucover/threshold.hpp"

namespace relucover {

ThresholdComparison compare(const ThresholdModel& truth, const ThresholdModel& answer) {
  check_equal("inputs of the answer", answer.inputs(), truth.inputs());
  constexpr double matched_within = 0.1;
  constexpr Index draws = 100'000;  // thresholds are high: few inputs are active
  const bool even = truth.unit.even();
  const Matrix one = truth.W.rowwise().normalized(), other = answer.W.rowwise().normalized();
  const auto distance = [&](Index i, Index j, double sign) { return (one.row(i) - sign * other.row(j)).norm(); };
  Matrix cost(truth.units(), answer.units());
  for (Index i = 0; i < truth.units(); ++i)
    for (Index j = 0; j < answer.units(); ++j) cost(i, j) = even ? std::min(distance(i, j, 1), distance(i, j, -1)) : distance(i, j, 1);
  ThresholdComparison result;
  result.units_truth = truth.units();
  result.units_answer = answer.units();
  const std::vector<Index> partner = cheapest_assignment(cost);
  for (Index i = 0; i < truth.units(); ++i) {
    const Index j = partner[static_cast<std::size_t>(i)];
    if (j < 0) continue;
    const bool turned = even && distance(i, j, -1) < distance(i, j, 1);
    result.up_to_sign |= turned;
    result.units_matched += cost(i, j) < matched_within;
    result.max_weight_error = std::max(result.max_weight_error, cost(i, j));
    result.max_threshold_error = std::max(result.max_threshold_error, std::abs(truth.t[i] - (turned ? -1 : 1) * answer.t[j]));
  }
  if (truth.units() != answer.units()) result.max_weight_error = std::max(result.max_weight_error, 2.0);
  RandomStream random(0, purpose::compare);
  const RowMatrix x = random.normal_matrix(draws, truth.inputs());
  const Vector f = truth.evaluate(x), g = answer.evaluate(x);
  const double spread = (f.array() - f.mean()).matrix().norm();
  result.function_rms = spread > 0 ? (f - g).norm() / spread : (f - g).norm();
  return result;
}

}  // namespace relucover
