#include "verify/leftover/judged_layers.hpp"

#include <cmath>
#include <limits>

#include "samples/subsample.hpp"
#include "solve/layered_sums.hpp"
#include "verify/balanced_model.hpp"
#include "verify/distinct_rows.hpp"
#include "verify/leftover/features.hpp"

namespace relucover {

Matrix JudgedLayers::derivative_by_values(Index level, Index output) const {
  if (level <= depth()) return by_values[static_cast<std::size_t>(level - 1)][static_cast<std::size_t>(output)];
  Matrix own = Matrix::Zero(answer.rows(), outputs());
  own.col(output).setOnes();
  return own;
}

Matrix JudgedLayers::derivative_by_arguments(Index level, Index output) const {
  if (level > depth()) return derivative_by_values(level, output);
  return derivative_by_values(level, output).cwiseProduct((arguments_of(level).array() > 0).cast<double>().matrix());
}

Matrix stacked_jacobian(const JudgedLayers& judged, const Matrix& decorrelation) {
  const Index n = judged.answer.rows(), outputs = judged.outputs();
  Matrix stacked = Matrix::Zero(n * outputs, judged.model.parameters());
  LayeredValues values;
  evaluate(judged.model, judged.samples.x(), values);
  for (Index o = 0; o < outputs; ++o) {
    const Matrix jacobian = jacobian_of_output(judged.model, values, o) / judged.output_scale[o];
    for (Index c = 0; c < outputs; ++c) stacked.middleRows(c * n, n) += decorrelation(o, c) * jacobian;
  }
  return stacked;
}

JudgedLayers judged_layers(const MemorySource<double>& samples, const Network& network, const LabelGrid& grid) {
  JudgedLayers judged{{}, {}, samples, {}, {}, {}, {}};
  Judged& answer = judged.answer;
  const std::vector<Index> rows = distinct_samples(samples);
  answer.repeated = samples.samples() - static_cast<Index>(rows.size());
  const MemorySource<double> distinct(RowMatrix(samples.x()(rows, Eigen::all)), RowMatrix(samples.y()(rows, Eigen::all)), samples.name());
  const Balanced scaled = balanced(plain_model(network), distinct);
  Centred at = centred(scaled, distinct);
  judged.model = std::move(at.model);
  judged.samples = std::move(at.samples);
  judged.output_scale = scaled.output_scale;
  const Index n = distinct.samples(), outputs = distinct.outputs(), depth = judged.depth();
  const Vector back = scaled.output_scale.cwiseInverse();

  LayeredValues values, magnitudes;
  evaluate(judged.model, judged.samples.x(), values);
  evaluate(scaled.magnitudes, scaled.inputs(distinct.x()).cwiseAbs(), magnitudes);
  answer.x = distinct.x();
  answer.y = distinct.y();
  answer.fit = values.predicted * back.asDiagonal();
  answer.residual = (judged.samples.y() - values.predicted) * back.asDiagonal();
  // Every layer rounds its sums, and the next ones pass that on.
  const double unit = grid.float32 ? std::numeric_limits<float>::epsilon() : 4 * std::numeric_limits<double>::epsilon();
  answer.rounding =
      unit * static_cast<double>(depth + 1) * (magnitudes.predicted * back.asDiagonal() + answer.y.cwiseAbs()) + grid.half_step(answer.y);
  answer.z = whitened(answer.x);
  answer.kept.assign(rows.size(), true);

  judged.values.push_back(judged.samples.x());
  Index units = 0;
  for (Index l = 0; l < depth; ++l) {
    const auto seen = values.features.middleCols(judged.model.seen_begin(l), judged.model.seen_count(l));
    judged.arguments.push_back(seen * judged.model.rows_of(l).transpose());
    judged.values.push_back(values.features.middleCols(judged.model.values_at(l), judged.model.width(l)));
    units += judged.model.width(l);
  }
  answer.t.resize(n, units);
  Index column = 0;
  for (const Matrix& layer : judged.arguments)
    for (const auto& argument : layer.colwise()) {
      const double spread = std::sqrt((argument.array() - argument.mean()).square().mean());
      answer.t.col(column++) = argument / std::max(spread, 1e-300);
    }
  answer.nearness = nearness_of(answer.t);

  judged.by_values.resize(static_cast<std::size_t>(depth));
  const Index parameters = judged.model.parameters(), hidden = parameters - judged.model.output.size();
  const Index seen = judged.model.seen_count(depth);
  answer.tangent.resize(n, outputs * hidden + seen);  // by weights of other outputs: nothing
  for (Index o = 0; o < outputs; ++o) {
    const RowMatrix derivative = derivative_by_features(judged.model, values, o);
    for (Index l = 0; l < depth; ++l)
      judged.by_values[static_cast<std::size_t>(l)].push_back(back[o] *
                                                              derivative.middleCols(judged.model.values_at(l), judged.model.width(l)));
    const RowMatrix jacobian = jacobian_of_output(judged.model, values, o);
    answer.tangent.middleCols(o * hidden, hidden) = jacobian.leftCols(hidden);
    answer.tangent.rightCols(seen) = jacobian.middleCols(hidden + o * seen, seen);
  }
  return judged;
}

}  // namespace relucover
