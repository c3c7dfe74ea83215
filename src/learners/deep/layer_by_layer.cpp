#include "learners/deep/layer_by_layer.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/linear_algebra.hpp"
#include "learners/deep/plain_form.hpp"
#include "learners/deep/shrink.hpp"
#include "solve/layered_descent.hpp"

namespace relucover {

namespace {

/// The units of the lowest sign-free layer that cost least go one by one: one of the four cheapest that costs little, or the cheapest.
LayeredModel to_width(LayeredModel model, Index width, const MemorySource<double>& samples, const Control& control) {
  const Index layer = model.plain_layers;
  constexpr double little = 2, whatever = std::numeric_limits<double>::infinity();
  while (model.width(layer) > width) {
    const Index before = model.width(layer);
    ShrinkOptions options{.least = model.widths(), .exact = 0, .allowed = little, .tries = 4, .most_steps = 12};
    --options.least[static_cast<std::size_t>(layer)];
    model = shrink(std::move(model), samples, options, control).model;
    if (model.width(layer) < before) continue;
    options.allowed = whatever;
    options.tries = 1;
    model = shrink(std::move(model), samples, options, control).model;
    if (model.width(layer) == before) break;
  }
  return model;
}

/// Mean of the values but the largest twentieth: a fit that is not exact is far off at a few samples.
double trimmed_mean(std::vector<double> values) {
  const auto kept = std::ssize(values) - std::ssize(values) / 20;
  if (kept == 0) return 0;
  std::nth_element(values.begin(), values.begin() + kept - 1, values.end());
  return std::accumulate(values.begin(), values.begin() + kept, 0.0) / static_cast<double>(kept);
}

/// Where a unit is off the output does not depend on its row: of the derivative by what the layer sees, written in the rows of the layer,
/// the unit's coefficient is zero on one side. None: the rows are dependent, or a unit has no such side.
std::optional<Vector> signs_by_derivative(const LayeredModel& model, const RowMatrix& x) {
  constexpr double least_ratio = 10, most_condition = 1e3;
  const Index layer = model.plain_layers, begin = model.seen_begin(layer), seen = model.seen_count(layer) - 1;
  const Matrix rows = model.rows_of(layer).leftCols(seen);
  const Vector singular = singular_values(rows);
  if (!(singular[0] < most_condition * singular[singular.size() - 1])) return std::nullopt;
  LayeredValues values;
  evaluate(model, x, values);
  Matrix squares = Matrix::Zero(x.rows(), rows.rows());
  for (Index output = 0; output < model.outputs(); ++output) {
    const Matrix derivative = derivative_by_features(model, values, output).middleCols(begin, seen);
    squares += least_squares(Matrix(rows.transpose()), Matrix(derivative.transpose())).transpose().cwiseAbs2();
  }
  Vector signs(rows.rows());
  for (Index j = 0; j < signs.size(); ++j) {
    std::vector<double> on, off;
    for (Index i = 0; i < x.rows(); ++i) (values.slope[static_cast<std::size_t>(layer)](i, j) > 0 ? on : off).push_back(squares(i, j));
    const double size_on = trimmed_mean(std::move(on)), size_off = trimmed_mean(std::move(off));
    if (!(std::max(size_on, size_off) > least_ratio * std::min(size_on, size_off))) return std::nullopt;
    signs[j] = size_on > size_off ? 1 : -1;
  }
  return signs;
}

/// From the rows of the layer above where the layer has more units than it sees inputs.
std::optional<Vector> clear_signs(const LayeredModel& model, const RowMatrix& x) {
  if (model.width(model.plain_layers) < model.seen_count(model.plain_layers)) return signs_by_derivative(model, x);
  constexpr double unclear = 0.3;
  const Vector signs = signs_of_layer(model, model.plain_layers);
  if (!((signs.cwiseAbs().array() - 1).abs().maxCoeff() < unclear)) return std::nullopt;
  return Vector(signs.cwiseSign());
}

/// The same function as far as it is one of the values of the layer that becomes plain: every row above refitted to what it gave.
LayeredModel with_plain_layer(const LayeredModel& model, const Vector& signs, const RowMatrix& x) {
  const Index lowest = model.plain_layers;
  const RowMatrix features = features_of(model, x);
  LayeredModel settled;
  settled.inputs = model.inputs;
  settled.theta.assign(model.theta.begin(), model.theta.begin() + lowest + 1);
  settled.theta.back() = signs.asDiagonal() * model.rows_of(lowest);
  settled.plain_layers = lowest + 1;
  for (Index l = lowest + 1; l <= model.depth(); ++l) {
    settled.output = RowMatrix::Zero(model.outputs(), settled.seen_count(l));
    const Matrix seen = features_of(settled, x).middleCols(settled.seen_begin(l), settled.seen_count(l));
    const Matrix gave = features.middleCols(model.seen_begin(l), model.seen_count(l)) * model.rows_of(l).transpose();
    RowMatrix rows = least_squares(seen, gave).transpose();
    if (l < model.depth())
      settled.theta.push_back(std::move(rows));
    else
      settled.output = std::move(rows);
  }
  return settled;
}

}  // namespace

std::optional<LayeredModel> with_layer_settled(const LayeredModel& model, Index width, const MemorySource<double>& samples,
                                               const Control& control) {
  constexpr Index most_rows = 10000;
  if (model.width(model.plain_layers) < width) return std::nullopt;
  const LayeredModel narrow = to_width(model, width, samples, control);
  const RowMatrix x = samples.x().topRows(std::min(samples.samples(), most_rows));
  const auto signs = clear_signs(narrow, x);
  if (!signs) return std::nullopt;
  return with_plain_layer(narrow, *signs, x);
}

}  // namespace relucover
