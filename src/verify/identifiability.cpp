#include "verify/identifiability.hpp"

#include <algorithm>
#include <cmath>

#include "core/check.hpp"
#include "solve/signs.hpp"
#include "verify/reduced.hpp"

namespace relucover {

SignIdentifiability sign_identifiability(const Network& network, Index limit) {
  check_no_problems("network", network.problems());
  require_one_hidden_layer(network, "sign identifiability");
  const Network units = network;
  const Index m = units.units(), d = units.inputs(), l = units.outputs();
  if (units.activation != Activation::relu) throw std::invalid_argument("sign identifiability is about ReLU units");
  Matrix rows(m, l * (d + 1));
  for (Index i = 0; i < m; ++i)
    for (Index o = 0; o < l; ++o) rows.row(i).segment(o * (d + 1), d + 1) << units.A(o, i) * units.W.row(i), units.A(o, i) * units.b[i];
  const Vector target = rows.colwise().sum();
  constexpr double rounding = 1e-10;
  const SignSolution found = find_signs(rows, target, rounding * std::max(rows.rowwise().norm().sum(), 1e-300), limit);
  SignIdentifiability answer;
  answer.complete = found.complete;
  answer.signs = found.signs;
  const std::vector<int> as_it_stands(static_cast<std::size_t>(m), 1);
  const auto at = std::find(answer.signs.begin(), answer.signs.end(), as_it_stands);
  if (at != answer.signs.end())
    std::rotate(answer.signs.begin(), at, at + 1);
  else
    answer.signs.insert(answer.signs.begin(), as_it_stands);  // beyond the reach of the search, but always true
  answer.unique = answer.complete && answer.signs.size() == 1;
  return answer;
}

namespace {

double straight_distance(const Network& one, Index i, const Network& other, Index j) {
  return (one.W.row(i) - other.W.row(j)).norm() + std::abs(one.b[i] - other.b[j]);
}
double turned_distance(const Network& one, Index i, const Network& other, Index j) {
  return (one.W.row(i) + other.W.row(j)).norm() + std::abs(one.b[i] + other.b[j]);
}

/// Units of networks as they were given, of which the one is turned around in the other.
Index turned_units(const Network& one, const Network& other) {
  if (one.activation != Activation::relu || one.units() != other.units()) return 0;
  const Comparison pairs = compare(one, other);
  Index turned = 0;
  for (Index i = 0; i < one.units(); ++i) {
    const Index j = pairs.partner[static_cast<std::size_t>(i)];
    turned += j >= 0 && turned_distance(one, i, other, j) < straight_distance(one, i, other, j);
  }
  return turned;
}

}  // namespace

Equivalence equivalence(const Network& one_given, const Network& other_given, double tolerance) {
  const Network one = canonical(reduced(one_given)), other = canonical(reduced(other_given));
  const Comparison pairs = compare(one, other);
  Equivalence answer;
  if (one.deep() || other.deep()) {  // the scale of a unit lies above it, where weights are not of length 1
    const double scale = 1 + one.A.cwiseAbs().sum();
    answer.same = one.activation == other.activation && one.widths() == other.widths() && !pairs.up_to_sign &&
                  std::max({pairs.max_weight_error, pairs.max_bias_error, pairs.max_output_error}) <= tolerance * scale;
    return answer;
  }
  if (one.activation != other.activation || one.units() != other.units()) return answer;
  Matrix skip = one.skip - other.skip;
  Vector offset = one.offset - other.offset;
  double scale = 1 + one.skip.norm() + one.offset.norm(), worst = 0;
  for (Index i = 0; i < one.units(); ++i) {
    const Index j = pairs.partner[static_cast<std::size_t>(i)];
    if (j < 0) return answer;
    const double straight = straight_distance(one, i, other, j), turned = turned_distance(one, i, other, j);
    const bool relu_turned = one.activation == Activation::relu && turned < straight;
    worst = std::max(worst, (relu_turned ? turned : straight) + (one.A.col(i) - other.A.col(j)).norm());
    scale += one.A.col(i).norm() * (1 + std::abs(one.b[i]));
    if (!relu_turned) continue;  // relu(t) = relu(-t) + t
    skip += one.A.col(i) * one.W.row(i);
    offset += one.A.col(i) * one.b[i];
  }
  answer.same = worst <= tolerance * scale && skip.norm() + offset.norm() <= tolerance * scale;
  if (answer.same) answer.turned = turned_units(canonical(one_given), canonical(other_given));
  return answer;
}

Network turned_around(const Network& network, const std::vector<int>& signs) {
  require_one_hidden_layer(network, "turning units around");
  check_equal("signs", static_cast<Index>(signs.size()), network.units());
  Network turned = network;
  for (Index i = 0; i < turned.units(); ++i) {
    turned.W.row(i) *= signs[static_cast<std::size_t>(i)];
    turned.b[i] *= signs[static_cast<std::size_t>(i)];
  }
  return turned;
}

}  // namespace relucover
