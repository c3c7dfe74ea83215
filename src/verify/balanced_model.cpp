#include "verify/balanced_model.hpp"

#include <algorithm>
#include <cmath>

namespace relucover {

namespace {

/// A power of two that takes numbers up to `largest` to [1, 2).
double to_order_one(double largest) {
  constexpr int most = 1000;
  return largest > 0 && std::isfinite(largest) ? std::exp2(std::clamp(-std::ilogb(largest), -most, most)) : 1.0;
}

Vector column_scales(const SampleSource& source) {
  constexpr Index enough = 4096;
  BlockBuffer<double> buffer;
  const auto block = source.read(0, std::min(source.samples(), enough), buffer);
  Vector scale = Vector::Ones(source.inputs());
  for (Index j = 0; j < scale.size() && block.rows() > 0; ++j) scale[j] = to_order_one(block.x.col(j).cwiseAbs().maxCoeff());
  return scale;
}

/// Each row to weights of order one; what sees it is scaled back.
void balance_rows(RowMatrix& rows, Eigen::Ref<RowMatrix> seen_by) {
  for (Index j = 0; j < rows.rows(); ++j) {
    const double scale = to_order_one(rows.row(j).cwiseAbs().maxCoeff());
    rows.row(j) *= scale;
    seen_by.col(j) /= scale;
  }
}

LayeredModel absolute(LayeredModel model) {
  for (RowMatrix& layer : model.theta) layer = layer.cwiseAbs();
  model.output = model.output.cwiseAbs();
  return model;
}

}  // namespace

Balanced balanced(LayeredModel plain, const SampleSource& source) {
  Balanced result{std::move(plain), {}, column_scales(source), {}};
  LayeredModel& model = result.model;
  RowMatrix& lowest = model.depth() > 0 ? model.theta.front() : model.output;
  for (Index j = 0; j < model.inputs; ++j) lowest.col(j) /= result.input_scale[j];
  for (std::size_t l = 0; l < model.theta.size(); ++l)
    balance_rows(model.theta[l], l + 1 < model.theta.size() ? model.theta[l + 1] : model.output);
  result.output_scale = Vector::Ones(model.outputs());
  for (Index o = 0; o < model.outputs(); ++o) {
    result.output_scale[o] = to_order_one(model.output.row(o).cwiseAbs().maxCoeff());
    model.output.row(o) *= result.output_scale[o];
  }
  result.magnitudes = absolute(model);
  return result;
}

Eigen::ArrayXXd at_kinks(const Balanced& balanced, Index layer, const LayeredValues& values, const LayeredValues& magnitudes) {
  const LayeredModel& model = balanced.model;
  const Matrix u = values.features.middleCols(model.seen_begin(layer), model.seen_count(layer)) * model.rows_of(layer).transpose();
  const auto size = magnitudes.features.middleCols(model.values_at(layer), model.width(layer));
  return (u.cwiseAbs().array() <= 1e-12 * size.array()).cast<double>();
}

std::vector<Index> rows_off_kinks(const Balanced& balanced, const MemorySource<double>& samples) {
  constexpr Index part = 512;
  std::vector<Index> rows;
  LayeredValues values, magnitudes;
  for (Index first = 0; first < samples.samples(); first += part) {
    const RowMatrix x = balanced.inputs(samples.x().middleRows(first, std::min(part, samples.samples() - first)));
    evaluate(balanced.model, x, values);
    evaluate(balanced.magnitudes, x.cwiseAbs(), magnitudes);
    Eigen::ArrayXd kinks = Eigen::ArrayXd::Zero(x.rows());
    for (Index l = 0; l < balanced.model.depth(); ++l) kinks += at_kinks(balanced, l, values, magnitudes).rowwise().sum();
    for (Index i = 0; i < x.rows(); ++i)
      if (kinks[i] == 0) rows.push_back(first + i);
  }
  return rows;
}

Centred centred(const Balanced& balanced, const MemorySource<double>& samples) {
  RowMatrix x = balanced.inputs(samples.x());
  const Vector mean = samples.samples() > 0 ? Vector(x.colwise().mean()) : Vector(Vector::Zero(x.cols()));
  x.rowwise() -= mean.transpose();
  Centred result{balanced.model, MemorySource<double>(std::move(x), balanced.labels(samples.y()), samples.name())};
  RowMatrix& lowest = result.model.depth() > 0 ? result.model.theta.front() : result.model.output;
  lowest.col(result.model.inputs) += lowest.leftCols(result.model.inputs) * mean;
  return result;
}

}  // namespace relucover
