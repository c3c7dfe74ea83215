#include "verify/layered_trials.hpp"

#include <algorithm>

#include "core/linear_algebra.hpp"
#include "samples/subsample.hpp"
#include "verify/leftover/layered_refit.hpp"
#include "verify/leftover/noise_shape.hpp"
#include "verify/weight_places.hpp"

namespace relucover {

namespace {

/// relu(u) = u + relu(-u): the unit with its other side, and the u that is left taken by the layer's values as far as they can.
LayeredModel with_other_side(const JudgedLayers& judged, Index layer, Index unit) {
  LayeredModel model = judged.model;
  const Vector argument = judged.arguments_of(layer + 1).col(unit);
  Matrix values = judged.values[static_cast<std::size_t>(layer + 1)];
  values.col(unit) = (-argument).cwiseMax(0);
  values.conservativeResize(Eigen::NoChange, values.cols() + 1);
  values.rightCols(1).setOnes();
  const Vector linear = solve_semidefinite(values.transpose() * values, values.transpose() * argument);
  model.rows_of(layer).row(unit) *= -1;
  RowMatrix& above = model.rows_of(layer + 1);
  const Vector seen = above.col(unit);
  above += seen * linear.transpose();
  return model;
}

/// Whether every unit of `answer` has one in `other` that is on where it is on: refitting has come back to where it was.
bool same_units(const LayeredModel& answer, const LayeredModel& other, const RowMatrix& x) {
  constexpr double alike = 0.97;
  if (answer.widths() != other.widths()) return false;
  LayeredValues values, others;
  evaluate(answer, x, values);
  evaluate(other, x, others);
  for (std::size_t l = 0; l < values.slope.size(); ++l) {
    const Matrix sides = 2 * values.slope[l].array() - 1, other_sides = 2 * others.slope[l].array() - 1;
    const Matrix together = sides.transpose() * other_sides / static_cast<double>(x.rows());
    if (together.rowwise().maxCoeff().minCoeff() < 2 * alike - 1) return false;
  }
  return true;
}

}  // namespace

std::optional<std::string> other_network(const JudgedLayers& judged, std::uint64_t seed, const Control& control) {
  constexpr Index least_rows = 5000, per_parameter = 40;
  constexpr double clear = 100, for_each_weight = 4;  // χ²
  const Matrix decorrelation = decorrelating(judged.answer.residual);
  const Index all = judged.answer.rows(), few = std::min(all, std::max(least_rows, per_parameter * judged.model.parameters()));
  const MemorySource<double> some = gather(judged.samples, spread_rows(all, few, seed), control);
  const auto refit = [&](const LayeredModel& model, const MemorySource<double>& samples) {
    return layered_refit(judged, samples, decorrelation, model, control);
  };
  const double own = refit(judged.model, some).squares;
  std::optional<double> own_of_all;
  const RowMatrix x = some.x().topRows(std::min<Index>(few, 2000));
  // Where some samples do not tell, all are asked.
  const auto as_good = [&](const LayeredModel& trial, double worse) {
    const LayeredRefit fitted = refit(trial, some);
    if (fitted.squares - own > worse || same_units(judged.model, fitted.model, x)) return false;
    if (few == all) return true;
    if (!own_of_all) own_of_all = refit(judged.model, judged.samples).squares;
    const LayeredRefit of_all = refit(fitted.model, judged.samples);
    return of_all.squares - *own_of_all <= worse && !same_units(judged.model, of_all.model, x);
  };
  for (Index l = 0; l < judged.depth(); ++l)
    for (Index j = 0; j < judged.model.width(l); ++j) {
      const auto weights = static_cast<double>(judged.model.seen_count(l) + judged.model.rows_of(l + 1).rows());
      if (judged.model.width(l) > 1 && as_good(without_unit(judged.model, l, j), clear + for_each_weight * weights))
        return unit_of_layer(l, j) + " is hardly missed where it is left out: it may be made of noise";
      if (as_good(with_other_side(judged, l, j), clear + for_each_weight * weights))
        return unit_of_layer(l, j) + " may as well be on where it is off";
    }
  return std::nullopt;
}

}  // namespace relucover
