#include "verify/leftover/layered_refit.hpp"

#include <algorithm>
#include <cmath>

#include "core/linear_algebra.hpp"
#include "core/median.hpp"
#include "solve/layered_descent.hpp"
#include "solve/layered_sums.hpp"
#include "verify/leftover/noise_shape.hpp"

namespace relucover {

LayeredModel with_further_unit(const JudgedLayers& judged, const UnitPlace& place, const FurtherUnit& unit) {
  LayeredModel wider = judged.model;
  RowMatrix& own = wider.rows_of(place.from);
  // Its form of whitened values, as one of the values themselves.
  const Matrix& below = judged.values[static_cast<std::size_t>(place.from)];
  const Vector heights = place.z1 * unit.form;
  const Matrix centred = below.rowwise() - below.colwise().mean();
  const Vector row = minimum_norm_solution(centred, heights.array() - heights.mean());
  own.conservativeResize(own.rows() + 1, Eigen::NoChange);
  own.bottomRows(1) << row.transpose(), heights.mean() - row.dot(below.colwise().mean());
  RowMatrix& above = wider.rows_of(place.from + 1);
  const Index constant = above.cols() - 1;
  RowMatrix fed(above.rows(), above.cols() + 1);
  const Vector weights = place.to > judged.depth() ? Vector(unit.weights.cwiseProduct(judged.output_scale)) : unit.weights;
  fed << above.leftCols(constant), weights, above.col(constant);
  above = std::move(fed);
  return wider;
}

LayeredRefit layered_refit(const JudgedLayers& judged, const MemorySource<double>& samples, const Matrix& decorrelation,
                           const LayeredModel& start, const Control& control) {
  const double n = static_cast<double>(samples.samples());
  DescentOptions options;
  options.most_steps = 25;
  options.slow = 0.2 / n;  // of a gain that counts from 20 on
  options.patience = 2;
  LayeredModel fitted = descend(start, samples, options, control).model;
  const Matrix residual = (samples.y() - predict(fitted, samples.x())) * judged.output_scale.cwiseInverse().asDiagonal();
  return {std::move(fitted), (residual * decorrelation).squaredNorm()};
}

Matrix forgiving_residual(const JudgedLayers& judged, const std::vector<Index>& rows) {
  constexpr int steps = 12;
  const RowMatrix x = judged.samples.x()(rows, Eigen::all), y = judged.samples.y()(rows, Eigen::all);
  LayeredModel model = judged.model;
  const auto typical = [](const Matrix& residual) {
    double sum = 0;
    for (const auto& output : residual.colwise()) sum += median_of(output.cwiseAbs());
    return sum;
  };
  Matrix best = y - predict(model, x);
  double least = typical(best);
  LayeredValues values;
  for (int step = 0; step < steps; ++step) {
    evaluate(model, x, values);
    const Matrix residual = y - values.predicted;
    Matrix gram = Matrix::Zero(model.parameters(), model.parameters());
    Vector gradient = Vector::Zero(model.parameters());
    for (Index o = 0; o < y.cols(); ++o) {
      const double scale = std::max(2 * median_of(residual.col(o).cwiseAbs()), 1e-300);
      const Vector weight = (1 + (residual.col(o) / scale).array().square()).inverse();
      const Matrix jacobian = jacobian_of_output(model, values, o), weighted = weight.asDiagonal() * jacobian;
      gram.noalias() += jacobian.transpose() * weighted;
      gradient.noalias() += weighted.transpose() * residual.col(o);
    }
    gram.diagonal() *= 1 + 1e-6;
    gram.diagonal().array() += 1e-12 * gram.diagonal().mean();
    const Vector change = solve_semidefinite(gram, gradient);
    if (!change.allFinite()) break;
    model.set_flat(model.flat() + change);
    const Matrix next = y - predict(model, x);
    const double size = typical(next);
    if (!(size < least)) break;
    const bool settled = size > 0.999 * least;
    best = next;
    least = size;
    if (settled) break;
  }
  return best * judged.output_scale.cwiseInverse().asDiagonal();
}

}  // namespace relucover
