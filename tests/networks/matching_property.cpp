#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

#include "core/random.hpp"
#include "networks/assignment.hpp"
#include "relucover/network.hpp"
#include "relucover/samples.hpp"

namespace relucover {
namespace {

double cost_of(const Matrix& cost, const std::vector<Index>& partner) {
  double total = 0;
  for (std::size_t i = 0; i < partner.size(); ++i)
    if (partner[i] >= 0) total += cost(static_cast<Index>(i), partner[i]);
  return total;
}

/// Every way to pair the shorter side with the longer one.
double cheapest_by_trying(const Matrix& cost) {
  if (cost.rows() > cost.cols()) return cheapest_by_trying(cost.transpose());
  std::vector<Index> columns(static_cast<std::size_t>(cost.cols()));
  std::iota(columns.begin(), columns.end(), 0);
  double best = std::numeric_limits<double>::infinity();
  do {
    double total = 0;
    for (Index i = 0; i < cost.rows(); ++i) total += cost(i, columns[static_cast<std::size_t>(i)]);
    best = std::min(best, total);
  } while (std::next_permutation(columns.begin(), columns.end()));
  return best;
}

RC_GTEST_PROP(Assignment, IsTheCheapestOfAll, ()) {
  const auto rows = *rc::gen::inRange<Index>(1, 7), cols = *rc::gen::inRange<Index>(1, 7);
  Matrix cost(rows, cols);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < cols; ++j) cost(i, j) = *rc::gen::inRange(-20, 20);  // whole numbers: many ties, exact sums
  const std::vector<Index> partner = cheapest_assignment(cost);
  RC_ASSERT(std::ssize(partner) == rows);
  std::vector<Index> used;
  for (const Index j : partner)
    if (j >= 0) used.push_back(j);
  RC_ASSERT(std::ssize(used) == std::min(rows, cols));
  std::sort(used.begin(), used.end());
  RC_ASSERT(std::adjacent_find(used.begin(), used.end()) == used.end());
  RC_ASSERT(used.front() >= 0 && used.back() < cols);
  RC_ASSERT(cost_of(cost, partner) == cheapest_by_trying(cost));
}

/// The same function with units in another order, scaled, and some turned around (relu(t) = relu(-t) + t).
Network disguised(const Network& network, RandomStream& random, bool turn, bool& turned) {
  Network result = network;
  std::vector<Index> order(static_cast<std::size_t>(network.units()));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[static_cast<std::size_t>(random.below(static_cast<Index>(i)))]);
  turned = false;
  for (Index i = 0; i < network.units(); ++i) {
    const Index from = order[static_cast<std::size_t>(i)];
    const double scale = std::exp(2 * random.normal());
    double sign = 1;
    if (turn && random.sign() < 0) {
      sign = -1;
      turned = true;
      result.skip += network.A.col(from) * network.W.row(from);
      result.offset += network.A.col(from) * network.b[from];
    }
    result.W.row(i) = sign * scale * network.W.row(from);
    result.b[i] = sign * scale * network.b[from];
    result.A.col(i) = network.A.col(from) / scale;
  }
  return result;
}

RC_GTEST_PROP(Compare, SeesThroughPermutationScalingAndSign, ()) {
  const auto inputs = *rc::gen::inRange<Index>(2, 9), units = *rc::gen::inRange<Index>(1, 9), outputs = *rc::gen::inRange<Index>(1, 4);
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const bool turn = *rc::gen::arbitrary<bool>();
  const Network truth = planted_network({.inputs = inputs, .units = units, .outputs = outputs, .seed = seed});
  RandomStream random(seed, purpose::study);
  bool turned = false;
  const Network answer = disguised(truth, random, turn, turned);
  const Comparison comparison = compare(truth, answer);
  constexpr double rounding = 1e-12;
  RC_ASSERT(comparison.units_matched == units);
  RC_ASSERT(comparison.up_to_sign == turned);
  RC_ASSERT(comparison.max_weight_error < rounding);
  RC_ASSERT(comparison.max_bias_error < rounding * 10);
  RC_ASSERT(comparison.max_output_error < rounding);
  RC_ASSERT(comparison.function_rms < rounding);
}

RC_GTEST_PROP(Compare, NoticesOneChangedUnit, ()) {
  const auto units = *rc::gen::inRange<Index>(1, 9);
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const Network truth = planted_network({.inputs = 6, .units = units, .seed = seed});
  RandomStream random(seed, purpose::study);
  bool turned = false;
  Network answer = disguised(truth, random, false, turned);
  const Index unit = random.below(units);
  answer.W.row(unit) += 0.01 * answer.W.row(unit).norm() * random.normal_vector(6).normalized().transpose();
  answer.A(0, unit) *= 1.01;
  const Comparison comparison = compare(truth, answer);
  RC_ASSERT(comparison.max_output_error > 1e-4);
  RC_ASSERT(comparison.function_rms > 1e-6);
}

RC_GTEST_PROP(Canonical, KeepsTheFunctionAndIsItsOwnCanonicalForm, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const auto units = *rc::gen::inRange<Index>(1, 8);
  const auto activation = *rc::gen::element(Activation::relu, Activation::relu2, Activation::relu3, Activation::sigmoid, Activation::abs);
  RandomStream random(seed, purpose::study);
  Network network(4, units, 2, activation);
  network.W = random.normal_matrix(units, 4);
  network.b = random.normal_vector(units);
  network.A = random.normal_matrix(2, units);
  network.skip = random.normal_matrix(2, 4);
  if (*rc::gen::arbitrary<bool>()) network.W.row(0).setZero();
  if (*rc::gen::arbitrary<bool>()) network.A.col(units - 1).setZero();
  const Network once = canonical(network), twice = canonical(once);
  const RowMatrix x = random.normal_matrix(50, 4);
  RC_ASSERT((once.evaluate(x) - network.evaluate(x)).norm() <= 1e-12 * network.evaluate(x).norm());
  RC_ASSERT(once.units() == twice.units());
  RC_ASSERT((once.W - twice.W).norm() < 1e-14 * 10);
}

}  // namespace
}  // namespace relucover
