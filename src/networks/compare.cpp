#include <algorithm>
#include <cmath>

#include "core/check.hpp"
#include "core/random.hpp"
#include "networks/assignment.hpp"
#include "networks/layers.hpp"
#include "relucover/network.hpp"

namespace relucover {

namespace {

struct Turned {
  double distance;
  bool turned;
};

// Distance of (w, b) of two units as they are, or with one of them turned around.
Turned unit_distance(const Network& truth, Index i, const Network& answer, Index j) {
  const double straight = std::hypot((truth.W.row(i) - answer.W.row(j)).norm(), truth.b[i] - answer.b[j]);
  const double turned = std::hypot((truth.W.row(i) + answer.W.row(j)).norm(), truth.b[i] + answer.b[j]);
  return turned < straight ? Turned{turned, true} : Turned{straight, false};
}

// ‖f - g‖ / ‖f - mean f‖ on standard Gaussian inputs.
double relative_function_error(const Network& truth, const Network& answer) {
  constexpr Index draws = 10000;
  RandomStream random(0, purpose::compare);
  const RowMatrix x = random.normal_matrix(draws, truth.inputs());
  const RowMatrix f = truth.evaluate(x), g = answer.evaluate(x);
  const double spread = (f.rowwise() - f.colwise().mean()).norm();
  const double error = (f - g).norm();
  return spread > 0 ? error / spread : error;
}

}  // namespace

Comparison compare(const Network& truth_given, const Network& answer_given) {
  check_no_problems("truth", truth_given.problems());
  check_no_problems("answer", answer_given.problems());
  check_equal("inputs of the answer", answer_given.inputs(), truth_given.inputs());
  check_equal("outputs of the answer", answer_given.outputs(), truth_given.outputs());
  // One leaky, the other not: both with ReLUs and a linear term. Softmax knows its inputs up to one function of x.
  const bool leak = truth_given.activation != answer_given.activation;
  const auto comparable = [&](const Network& network, const Network& other) {
    Network same = network;
    if (other.link != Link::identity && network.link == Link::identity) same.link = other.link;  // weights alone have no gauge
    return canonical(in_first_class_gauge(leak ? without_leak(same) : same));
  };
  const Network truth = comparable(truth_given, answer_given), answer = comparable(answer_given, truth_given);
  if (truth.deep() || answer.deep()) {
    Comparison result = compare_layers(truth, answer);
    result.function_rms = relative_function_error(truth, answer);
    return result;
  }
  Comparison result;
  result.units_truth = truth.units();
  result.units_answer = answer.units();
  Matrix cost(truth.units(), answer.units());
  for (Index i = 0; i < truth.units(); ++i)
    for (Index j = 0; j < answer.units(); ++j) cost(i, j) = unit_distance(truth, i, answer, j).distance;
  result.partner = cheapest_assignment(cost);
  constexpr double matched_within = 0.1;
  for (Index i = 0; i < truth.units(); ++i) {
    const Index j = result.partner[static_cast<std::size_t>(i)];
    if (j < 0) continue;
    const auto [distance, turned] = unit_distance(truth, i, answer, j);
    const double sign = turned ? -1 : 1;
    result.up_to_sign |= turned;
    result.units_matched += distance < matched_within;
    result.max_weight_error = std::max(result.max_weight_error, (truth.W.row(i) - sign * answer.W.row(j)).norm());
    result.max_bias_error = std::max(result.max_bias_error, std::abs(truth.b[i] - sign * answer.b[j]));
    result.max_output_error = std::max(result.max_output_error, (truth.A.col(i) - answer.A.col(j)).cwiseAbs().maxCoeff());
  }
  if (truth.units() != answer.units()) {  // a unit too many or too few is as wrong as a unit can be
    result.max_weight_error = std::max(result.max_weight_error, 2.0);
    result.max_output_error = std::max({result.max_output_error, truth.A.size() ? truth.A.cwiseAbs().maxCoeff() : 0.0});
  }
  result.layers = {{result.units_truth, result.units_answer, result.units_matched, result.max_weight_error, result.max_bias_error}};
  result.function_rms = relative_function_error(truth, answer);
  return result;
}

}  // namespace relucover
