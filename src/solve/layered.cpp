#include "solve/layered.hpp"

#include <algorithm>
#include <stdexcept>

namespace relucover {

LayeredModel::LayeredModel(Index inputs_, Index depth, Index outputs)
    : inputs(inputs_), theta(static_cast<std::size_t>(depth), RowMatrix(0, inputs_ + 1)), output(RowMatrix::Zero(outputs, inputs_ + 1)) {}

LayeredModel::LayeredModel(Index inputs_, std::vector<RowMatrix> plain, Index depth, Index outputs)
    : LayeredModel(plain.empty() ? inputs_ : plain.back().rows(), depth, outputs) {
  inputs = inputs_;
  plain_layers = static_cast<Index>(plain.size());
  std::move(plain.begin(), plain.end(), theta.begin());
}

std::vector<Index> LayeredModel::widths() const {
  std::vector<Index> result;
  for (const RowMatrix& layer : theta) result.push_back(layer.rows());
  return result;
}

Index LayeredModel::units() const {
  Index total = 0;
  for (const RowMatrix& layer : theta) total += layer.rows();
  return total;
}

Index LayeredModel::parameters() const {
  Index total = output.size();
  for (const RowMatrix& layer : theta) total += layer.size();
  return total;
}

Index LayeredModel::parameters(Index inputs, const std::vector<Index>& widths, Index outputs, Index plain_layers) {
  Index seen = inputs + 1, total = 0;
  for (Index l = 0; l < std::ssize(widths); ++l) {
    const Index width = widths[static_cast<std::size_t>(l)];
    total += width * seen;
    seen = l < plain_layers ? width + 1 : seen + width;
  }
  return total + outputs * seen;
}

Index LayeredModel::values_at(Index layer) const {
  Index at = inputs + 1;
  for (Index l = 0; l < layer; ++l) at += width(l) + (l < plain_layers ? 1 : 0);
  return at;
}

Index LayeredModel::features() const { return values_at(depth()); }

Index LayeredModel::seen_begin(Index layer) const {
  const Index below = std::min(layer, plain_layers);
  return below > 0 ? values_at(below - 1) : 0;
}

Index LayeredModel::seen_count(Index layer) const { return values_at(layer) - seen_begin(layer); }

Index LayeredModel::constant_at(Index layer) const { return values_at(std::min(layer, plain_layers)) - 1; }

Vector LayeredModel::flat() const {
  Vector all(parameters());
  Index at = 0;
  const auto append = [&](const RowMatrix& part) {
    all.segment(at, part.size()) = Eigen::Map<const Vector>(part.data(), part.size());
    at += part.size();
  };
  for (const RowMatrix& layer : theta) append(layer);
  append(output);
  return all;
}

void LayeredModel::set_flat(const Vector& all) {
  Index at = 0;
  const auto take = [&](RowMatrix& part) {
    Eigen::Map<Vector>(part.data(), part.size()) = all.segment(at, part.size());
    at += part.size();
  };
  for (RowMatrix& layer : theta) take(layer);
  take(output);
}

void balance(LayeredModel& model) {
  if (model.plain()) return;
  for (Index l = 0; l < model.depth(); ++l) {
    RowMatrix& layer = model.theta[static_cast<std::size_t>(l)];
    const Index at = model.values_at(l);
    for (Index j = 0; j < layer.rows(); ++j) {
      const double norm = layer.row(j).norm();
      if (!(norm > 0)) continue;
      layer.row(j) /= norm;
      for (Index above = l + 1; above <= model.depth(); ++above) {
        const Index begin = model.seen_begin(above);
        if (begin <= at) model.rows_of(above).col(at + j - begin) *= norm;
      }
    }
  }
}

namespace {

void remove_column(RowMatrix& matrix, Index column) {
  RowMatrix kept(matrix.rows(), matrix.cols() - 1);
  kept.leftCols(column) = matrix.leftCols(column);
  kept.rightCols(kept.cols() - column) = matrix.rightCols(kept.cols() - column);
  matrix = std::move(kept);
}

void remove_row(RowMatrix& matrix, Index row) {
  RowMatrix kept(matrix.rows() - 1, matrix.cols());
  kept.topRows(row) = matrix.topRows(row);
  kept.bottomRows(kept.rows() - row) = matrix.bottomRows(kept.rows() - row);
  matrix = std::move(kept);
}

}  // namespace

LayeredModel without_unit(const LayeredModel& model, Index layer, Index unit) {
  LayeredModel smaller = model;
  const Index column = model.values_at(layer) + unit;
  for (Index above = layer + 1; above <= model.depth(); ++above) {
    const Index begin = model.seen_begin(above);
    if (column < begin || column >= begin + model.seen_count(above)) continue;
    remove_column(smaller.rows_of(above), column - begin);
  }
  remove_row(smaller.theta[static_cast<std::size_t>(layer)], unit);
  return smaller;
}

void evaluate(const LayeredModel& model, const Eigen::Ref<const RowMatrix>& x, LayeredValues& values) {
  RowMatrix& z = values.features;
  z.resize(x.rows(), model.features());
  z.leftCols(model.inputs) = x;
  z.col(model.inputs).setOnes();
  values.slope.resize(static_cast<std::size_t>(model.depth()));
  for (Index l = 0; l < model.depth(); ++l) {
    const bool plain = l < model.plain_layers;
    RowMatrix& slope = values.slope[static_cast<std::size_t>(l)];
    const Index width = model.width(l), at = model.values_at(l);
    slope.resize(x.rows(), width);
    if (plain) z.col(at + width).setOnes();
    if (width == 0) continue;  // BLAS refuses empty matrices
    slope.noalias() = z.middleCols(model.seen_begin(l), model.seen_count(l)) * model.theta[static_cast<std::size_t>(l)].transpose();
    z.middleCols(at, width) = plain ? RowMatrix(slope.cwiseMax(0)) : RowMatrix(slope.cwiseAbs());
    slope = slope.unaryExpr([plain](double u) { return plain ? (u > 0 ? 1.0 : 0.0) : (u < 0 ? -1.0 : 1.0); });
  }
  values.predicted.noalias() = z.middleCols(model.seen_begin(model.depth()), model.seen_count(model.depth())) * model.output.transpose();
}

RowMatrix derivative_by_features(const LayeredModel& model, const LayeredValues& values, Index output) {
  const Index depth = model.depth();
  RowMatrix back = RowMatrix::Zero(values.features.rows(), values.features.cols());
  back.middleCols(model.seen_begin(depth), model.seen_count(depth)).rowwise() = model.output.row(output);
  for (Index l = depth - 1; l >= 0; --l) {
    if (model.width(l) == 0) continue;
    const RowMatrix by_unit = back.middleCols(model.values_at(l), model.width(l)).cwiseProduct(values.slope[static_cast<std::size_t>(l)]);
    back.middleCols(model.seen_begin(l), model.seen_count(l)).noalias() += by_unit * model.rows_of(l);
  }
  return back;
}

namespace {

template <class Use>
void in_blocks(const LayeredModel& model, const Eigen::Ref<const RowMatrix>& x, const Use& use) {
  constexpr Index block_rows = 1024;
  LayeredValues values;
  for (Index first = 0; first < x.rows(); first += block_rows) {
    const Index rows = std::min(block_rows, x.rows() - first);
    evaluate(model, x.middleRows(first, rows), values);
    use(first, rows, values);
  }
}

}  // namespace

RowMatrix predict(const LayeredModel& model, const Eigen::Ref<const RowMatrix>& x) {
  RowMatrix y(x.rows(), model.outputs());
  in_blocks(model, x, [&](Index first, Index rows, const LayeredValues& values) { y.middleRows(first, rows) = values.predicted; });
  return y;
}

RowMatrix features_of(const LayeredModel& model, const Eigen::Ref<const RowMatrix>& x) {
  RowMatrix z(x.rows(), model.features());
  in_blocks(model, x, [&](Index first, Index rows, const LayeredValues& values) { z.middleRows(first, rows) = values.features; });
  return z;
}

LayeredModel plain_model(const Network& network) {
  if (network.activation != Activation::relu || !network.skip.isZero(0) || network.around.size() > 0)
    throw std::invalid_argument("only plain ReLU networks have a plain form");
  LayeredModel model;
  model.inputs = network.inputs();
  const auto joined = [](const Matrix& W, const Vector& b) {
    RowMatrix layer(W.rows(), W.cols() + 1);
    layer << W, b;
    return layer;
  };
  model.theta.push_back(joined(network.W, network.b));
  for (const HiddenLayer& layer : network.upper) {
    if (layer.around.size() > 0) throw std::invalid_argument("only plain ReLU networks have a plain form");
    model.theta.push_back(joined(layer.W, layer.b));
  }
  model.plain_layers = model.depth();
  model.output = joined(network.A, network.offset);
  return model;
}

Network network_of(const LayeredModel& plain) {
  if (!plain.plain()) throw std::invalid_argument("a network has the plain form");
  const auto weights = [](const RowMatrix& layer) { return Matrix(layer.leftCols(layer.cols() - 1)); };
  const auto constants = [](const RowMatrix& layer) { return Vector(layer.col(layer.cols() - 1)); };
  Network network(plain.inputs, plain.width(0), plain.outputs());
  network.W = weights(plain.theta.front());
  network.b = constants(plain.theta.front());
  for (std::size_t l = 1; l < plain.theta.size(); ++l) network.upper.push_back({weights(plain.theta[l]), constants(plain.theta[l]), {}});
  network.A = weights(plain.output);
  network.offset = constants(plain.output);
  return network;
}

}  // namespace relucover
