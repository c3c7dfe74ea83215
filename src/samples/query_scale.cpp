#include "samples/query_scale.hpp"

#include <algorithm>
#include <cmath>

#include "core/random.hpp"

namespace relucover {

namespace {

constexpr Index pairs = 48;
constexpr std::uint32_t purpose_of_scale = purpose::queries + 1;

struct Bending {
  double share = 0;   // how much the model bends between two queries, relative to how much it changes: 0 for one that is linear there
  double change = 0;  // between two queries
};

Bending bending(Asking& asking, const Vector& spreads, std::uint64_t seed, const Control& control) {
  const QueryLaw law(spreads);
  const RowMatrix ends = law.draw(seed, purpose_of_scale, 0, 2 * pairs);
  RowMatrix queries(3 * pairs, ends.cols());
  queries.topRows(2 * pairs) = ends;
  queries.bottomRows(pairs) = (0.5 * (ends.topRows(pairs) + ends.bottomRows(pairs))).cast<float>().cast<double>();
  const RowMatrix answers = asking.all(queries, control);
  const RowMatrix left = answers.topRows(pairs), right = answers.middleRows(pairs, pairs), middle = answers.bottomRows(pairs);
  const double change = (left - right).norm();
  return {change > 0 ? (left + right - 2 * middle).norm() / change : 0, change};
}

/// Spreads for which all columns change the model about as much; all 1 where they are alike anyway.
Vector balanced_spreads(Asking& asking, Index inputs, double scale, std::uint64_t seed, const Control& control) {
  constexpr Index places = 4, most_inputs = 2000;
  constexpr double alike = 16, step = 1.0 / 16, most = 1e6;
  if (inputs > most_inputs) return Vector::Ones(inputs);
  const RowMatrix bases = QueryLaw(Vector::Constant(inputs, scale)).draw(seed, purpose_of_scale, 1 << 20, places);
  RowMatrix queries(places * (inputs + 1), inputs);
  for (Index p = 0; p < places; ++p) {
    queries.middleRows(p * (inputs + 1), inputs + 1) = bases.row(p).replicate(inputs + 1, 1);
    for (Index j = 0; j < inputs; ++j) queries(p * (inputs + 1) + 1 + j, j) += step * scale;
  }
  const RowMatrix answers = asking.all(queries.cast<float>().cast<double>(), control);
  Vector slope = Vector::Zero(inputs);
  for (Index p = 0; p < places; ++p)
    for (Index j = 0; j < inputs; ++j) slope[j] += (answers.row(p * (inputs + 1) + 1 + j) - answers.row(p * (inputs + 1))).norm();
  const double largest = slope.maxCoeff();
  if (!(largest > 0)) return Vector::Ones(inputs);
  slope = slope.cwiseMax(largest / most);
  if (largest < alike * slope.minCoeff()) return Vector::Ones(inputs);
  // Powers of two: the same for a model that differs a little.
  return slope.unaryExpr([largest](double s) { return std::exp2(std::round(std::log2(largest / s))); });
}

}  // namespace

QueryLaw law_by_asking(Asking& asking, Index inputs, std::uint64_t seed, const Control& control) {
  constexpr double enough = 0.5, flat = 1.25, step = 4, widest = 1 << 20;
  control.progress("find the scale", -1);
  const Vector ones = Vector::Ones(inputs);
  const Bending here = bending(asking, ones, seed, control);
  // Wider until the model bends no more than it did.
  double scale = 1, most = here.share, best = 1, change = here.change;
  for (int flat_steps = 0; flat_steps < 3 && scale < widest;) {
    scale *= step;
    const Bending wider = bending(asking, scale * ones, seed, control);
    constexpr double grows = 2;  // piecewise linear functions grow with the scale; those that saturate are not better seen from afar
    if (wider.change < grows * change) break;
    change = wider.change;
    flat_steps = wider.share < flat * most ? flat_steps + 1 : 0;
    if (wider.share > most) {
      most = wider.share;
      best = scale;
    }
  }
  if (here.share >= enough * most) return QueryLaw(ones);
  const Vector spreads = balanced_spreads(asking, inputs, best, seed, control);
  // The least at which the model bends nearly as much as it does anywhere.
  double chosen = best;
  most = bending(asking, best * spreads, seed, control).share;
  constexpr double nearly = 0.8;
  while (chosen > 1) {
    const double narrower = bending(asking, chosen / step * spreads, seed, control).share;
    if (narrower < nearly * most) break;
    chosen /= step;
    most = std::max(most, narrower);
  }
  return QueryLaw(chosen * spreads);
}

}  // namespace relucover
