#include "solve/layered_sums.hpp"

#include <algorithm>

namespace relucover {

void LayeredCost::add(const Block<double>& block) {
  constexpr Index part = 512;  // features of more rows would not stay in the cache
  LayeredValues values;
  for (Index first = 0; first < block.rows(); first += part) {
    const Index rows = std::min(part, block.rows() - first);
    evaluate(*model, block.x.middleRows(first, rows), values);
    squares += (block.y.middleRows(first, rows) - values.predicted).squaredNorm();
  }
  samples += block.rows();
}

void LayeredCost::merge(const LayeredCost& other) {
  squares += other.squares;
  samples += other.samples;
}

template <class Real>
LayeredGram<Real>::LayeredGram(const LayeredModel& at)
    : model(&at), gram(Square::Zero(at.parameters(), at.parameters())), gradient(Vector::Zero(at.parameters())) {}

namespace {

/// The Jacobian of one output, rows of samples by hidden parameters: the block of unit j is g_j(x) times what its layer sees.
template <class Real>
void fill_jacobian(const LayeredModel& model, Index output, const RowMajor<Real>& features, const std::vector<RowMajor<Real>>& slope,
                   Eigen::Ref<RowMajor<Real>> jacobian, RowMajor<Real>& back) {
  const Index rows = features.rows(), depth = model.depth();
  back.setZero(rows, features.cols());  // derivative of the output by every feature
  back.middleCols(model.seen_begin(depth), model.seen_count(depth)).rowwise() = model.output.row(output).template cast<Real>();
  Index end = jacobian.cols();
  for (Index l = depth - 1; l >= 0; --l) {
    const auto& theta = model.theta[static_cast<std::size_t>(l)];
    const Index width = theta.rows(), begin = model.seen_begin(l), count = model.seen_count(l);
    if (width == 0) continue;
    const RowMajor<Real> g = back.middleCols(model.values_at(l), width).cwiseProduct(slope[static_cast<std::size_t>(l)]);
    const Index at = end - theta.size();
    using Row = Eigen::Array<Real, Eigen::Dynamic, 1>;
    for (Index i = 0; i < rows; ++i) {
      const Eigen::Map<const Row> seen(features.data() + i * features.cols() + begin, count);
      Real* to = jacobian.data() + i * jacobian.outerStride() + at;
      for (Index j = 0; j < width; ++j, to += count) Eigen::Map<Row>(to, count) = g(i, j) * seen;
    }
    end = at;
    if (l > 0) back.middleCols(begin, count).noalias() += g * theta.template cast<Real>();
  }
}

}  // namespace

RowMatrix jacobian_of_output(const LayeredModel& model, const LayeredValues& values, Index output) {
  const Index depth = model.depth(), seen = model.seen_count(depth), hidden = model.parameters() - model.output.size();
  RowMatrix jacobian = RowMatrix::Zero(values.features.rows(), model.parameters()), back;
  fill_jacobian<double>(model, output, values.features, values.slope, jacobian.leftCols(hidden), back);
  jacobian.middleCols(hidden + output * seen, seen) = values.features.middleCols(model.seen_begin(depth), seen);
  return jacobian;
}

template <class Real>
void LayeredGram<Real>::add(const Block<double>& block) {
  constexpr Index part = 256;  // a Jacobian of more rows would not stay in the cache
  const Index depth = model->depth(), outputs = model->outputs();
  const Index seen_begin = model->seen_begin(depth), seen = model->seen_count(depth);
  const Index hidden = model->parameters() - model->output.size();
  LayeredValues values;
  RowMajor<Real> features, jacobian, back, residual;
  std::vector<RowMajor<Real>> slope(static_cast<std::size_t>(depth));
  Eigen::Matrix<Real, Eigen::Dynamic, 1> product;
  for (Index first = 0; first < block.rows(); first += part) {
    const Index rows = std::min(part, block.rows() - first);
    evaluate(*model, block.x.middleRows(first, rows), values);
    const RowMatrix wide = block.y.middleRows(first, rows) - values.predicted;
    squares += wide.squaredNorm();
    residual = wide.template cast<Real>();
    features = values.features.template cast<Real>();
    for (std::size_t l = 0; l < slope.size(); ++l) slope[l] = values.slope[l].template cast<Real>();
    jacobian.resize(rows, hidden + seen);
    jacobian.rightCols(seen) = features.middleCols(seen_begin, seen);
    for (Index o = 0; o < outputs; ++o) {
      fill_jacobian<Real>(*model, o, features, slope, jacobian.leftCols(hidden), back);
      const Index at = hidden + o * seen;
      if (outputs == 1) {
        gram.template selfadjointView<Eigen::Lower>().rankUpdate(jacobian.transpose());
      } else {
        if (hidden > 0) {
          auto corner = gram.topLeftCorner(hidden, hidden);
          corner.template selfadjointView<Eigen::Lower>().rankUpdate(jacobian.leftCols(hidden).transpose());
          gram.block(at, 0, seen, hidden).noalias() += jacobian.rightCols(seen).transpose() * jacobian.leftCols(hidden);
        }
        auto own = gram.block(at, at, seen, seen);
        own.template selfadjointView<Eigen::Lower>().rankUpdate(jacobian.rightCols(seen).transpose());
      }
      product.noalias() = jacobian.transpose() * residual.col(o);
      gradient.head(hidden) += product.head(hidden).template cast<double>();
      gradient.segment(at, seen) += product.tail(seen).template cast<double>();
    }
  }
  samples += block.rows();
}

template <class Real>
void LayeredGram<Real>::merge(const LayeredGram& other) {
  gram += other.gram;
  gradient += other.gradient;
  squares += other.squares;
  samples += other.samples;
}

template struct LayeredGram<float>;
template struct LayeredGram<double>;

LayeredOutputSum::LayeredOutputSum(const LayeredModel& at)
    : model(&at), gram(Matrix::Zero(at.output.cols(), at.output.cols())), right(Matrix::Zero(at.output.cols(), at.outputs())) {}

void LayeredOutputSum::add(const Block<double>& block) {
  constexpr Index part = 512;
  LayeredValues values;
  for (Index first = 0; first < block.rows(); first += part) {
    const Index rows = std::min(part, block.rows() - first);
    evaluate(*model, block.x.middleRows(first, rows), values);
    const auto seen = values.features.middleCols(model->seen_begin(model->depth()), model->output.cols());
    gram.selfadjointView<Eigen::Lower>().rankUpdate(seen.transpose());
    right.noalias() += seen.transpose() * (block.y.middleRows(first, rows) - values.predicted);
  }
}

void LayeredOutputSum::merge(const LayeredOutputSum& other) {
  gram += other.gram;
  right += other.right;
}

}  // namespace relucover
