#include "solve/layered_jacobian.hpp"

#include <algorithm>
#include <limits>

namespace relucover {

namespace {

constexpr Index taped_rows_at_once = 256;  // features of more rows would not stay in the cache

/// Values as a tape has them.
RowMatrix taped(const LayeredModel& model, const LayeredValues& values) {
  RowMatrix signed_values = values.features;
  for (Index l = 0; l < model.depth(); ++l)
    signed_values.middleCols(model.values_at(l), model.width(l)).array() *= values.slope[static_cast<std::size_t>(l)].array();
  return signed_values;
}

}  // namespace

template <class Real>
LayeredRows<Real> layered_rows(const LayeredModel& shape, const Vector& flat) {
  LayeredRows<Real> rows;
  Index at = 0;
  for (Index l = 0; l <= shape.depth(); ++l) {
    const RowMatrix& layer = l < shape.depth() ? shape.theta[static_cast<std::size_t>(l)] : shape.output;
    rows.push_back(Eigen::Map<const RowMatrix>(flat.data() + at, layer.rows(), layer.cols()).template cast<Real>());
    at += layer.size();
  }
  return rows;
}

template <class Real>
void LayeredPass<Real>::look(const Eigen::Ref<const RowMajor<Real>>& rows) {
  const Index columns = rows.cols() - (model_->inputs + 1);
  features_ = rows;
  if (columns == 0) return;
  auto values = features_.rightCols(columns);
  // 1 or -1, in the plain form 1 or 0, by operations that processors do to several numbers at once.
  constexpr Real tiny = std::numeric_limits<Real>::min();
  slope_.resize(rows.rows(), rows.cols());
  slope_.rightCols(columns) = values.cwiseQuotient(values.cwiseAbs().cwiseMax(tiny));
  values = values.cwiseAbs();
}

template <class Real>
void LayeredPass<Real>::clear_moved() {
  moved_.resize(features_.rows(), features_.cols());
  moved_.rightCols(features_.cols() - (model_->inputs + 1)).setZero();
}

template <class Real>
const RowMajor<Real>& LayeredPass<Real>::forward(const LayeredRows<Real>& direction) {
  const Index depth = model_->depth();
  clear_moved();
  RowMajor<Real> change;
  for (Index l = 0; l <= depth; ++l) {
    const auto& weights = (*weights_)[static_cast<std::size_t>(l)];
    const auto& along = direction[static_cast<std::size_t>(l)];
    if (weights.rows() == 0) continue;  // BLAS refuses empty matrices
    RowMajor<Real>& to = l < depth ? change : predicted_;
    const Index begin = model_->seen_begin(l), moving = moving_begin(l), count = model_->values_at(l) - moving;
    to.noalias() = features_.middleCols(begin, weights.cols()) * along.transpose();
    if (count > 0) to.noalias() += moved_.middleCols(moving, count) * weights.rightCols(count).transpose();
    if (l == depth) break;
    const Index at = model_->values_at(l), width = weights.rows();
    moved_.middleCols(at, width) = to.cwiseProduct(slope_.middleCols(at, width));
  }
  return predicted_;
}

template <class Real>
const RowMajor<Real>& LayeredPass<Real>::backward(const RowMajor<Real>& change) {
  const Index depth = model_->depth(), outputs = model_->outputs();
  clear_moved();
  by_unit_.resize(features_.rows(), model_->units() + outputs);
  by_unit_.rightCols(outputs) = change;
  Index end = model_->units();
  for (Index l = depth; l >= 0; --l) {
    const auto& weights = (*weights_)[static_cast<std::size_t>(l)];
    if (weights.rows() == 0) continue;
    if (l < depth) {
      const Index at = model_->values_at(l), width = weights.rows();
      end -= width;
      by_unit_.middleCols(end, width) = moved_.middleCols(at, width).cwiseProduct(slope_.middleCols(at, width));
    }
    const Index moving = moving_begin(l), count = model_->values_at(l) - moving;
    if (count > 0)
      moved_.middleCols(moving, count).noalias() +=
          by_unit_.middleCols(l < depth ? end : model_->units(), weights.rows()) * weights.rightCols(count);
  }
  return by_unit_;
}

template <class Real>
void LayeredPass<Real>::add_products(const RowMajor<Real>& by_unit, const RowMajor<Real>& features, Vector& flat) {
  Index at = 0, unit = 0;
  for (Index l = 0; l <= model_->depth(); ++l) {
    const Index width = (*weights_)[static_cast<std::size_t>(l)].rows(), seen = (*weights_)[static_cast<std::size_t>(l)].cols();
    if (width == 0) continue;
    sum_.noalias() = by_unit.middleCols(unit, width).transpose() * features.middleCols(model_->seen_begin(l), seen);
    flat.segment(at, width * seen) +=
        Eigen::Map<const Eigen::Matrix<Real, Eigen::Dynamic, 1>>(sum_.data(), sum_.size()).template cast<double>();
    at += width * seen;
    unit += width;
  }
}

template <class Real>
void LayeredPass<Real>::add_products(const RowMajor<Real>& by_unit, Vector& flat) {
  add_products(by_unit, features_, flat);
}

template <class Real>
void LayeredPass<Real>::add_squares(const RowMajor<Real>& by_unit, Vector& flat) {
  squares_ = features_.cwiseAbs2();
  add_products(by_unit.cwiseAbs2(), squares_, flat);
}

template <class Real>
void LayeredGradient<Real>::add(const Block<double>& block) {
  LayeredValues values;
  LayeredPass<double> pass(*model, *weights);
  for (Index first = 0; first < block.rows(); first += taped_rows_at_once) {
    const Index rows = std::min(taped_rows_at_once, block.rows() - first);
    evaluate(*model, block.x.middleRows(first, rows), values);
    const RowMatrix residual = block.y.middleRows(first, rows) - values.predicted, seen = taped(*model, values);
    squares += residual.squaredNorm();
    tape->middleRows(block.first + first, rows) = seen.cast<Real>();
    pass.look(seen);
    pass.add_products(pass.backward(residual), gradient);
  }
  samples += block.rows();
}

template <class Real>
void LayeredProduct<Real>::add(const Block<double>& block) {
  LayeredPass<Real> pass(*model, *weights);
  for (Index first = 0; first < block.rows(); first += taped_rows_at_once) {
    pass.look(tape->middleRows(block.first + first, std::min(taped_rows_at_once, block.rows() - first)));
    pass.add_products(pass.backward(pass.forward(*direction)), product);
  }
}

LayeredMoments::LayeredMoments(const LayeredModel& at, const LayeredRows<double>& weights_of)
    : model(&at), weights(&weights_of), diagonal(Vector::Zero(at.parameters())),
      slopes(Matrix::Zero(at.units() + at.outputs(), at.units() + at.outputs())), features(Matrix::Zero(at.features(), at.features())) {}

void LayeredMoments::add(const Block<double>& block) {
  LayeredValues values;
  LayeredPass<double> pass(*model, *weights);
  for (Index first = 0; first < block.rows(); first += taped_rows_at_once) {
    const Index rows = std::min(taped_rows_at_once, block.rows() - first);
    evaluate(*model, block.x.middleRows(first, rows), values);
    pass.look(taped(*model, values));
    features.selfadjointView<Eigen::Lower>().rankUpdate(pass.features().transpose());
    for (Index o = 0; o < model->outputs(); ++o) {
      RowMatrix one = RowMatrix::Zero(rows, model->outputs());
      one.col(o).setOnes();
      const RowMatrix& by_unit = pass.backward(one);
      slopes.selfadjointView<Eigen::Lower>().rankUpdate(by_unit.transpose());
      pass.add_squares(by_unit, diagonal);
    }
  }
  samples += block.rows();
}

template LayeredRows<float> layered_rows<float>(const LayeredModel& shape, const Vector& flat);
template LayeredRows<double> layered_rows<double>(const LayeredModel& shape, const Vector& flat);
template class LayeredPass<float>;
template class LayeredPass<double>;
template struct LayeredGradient<float>;
template struct LayeredGradient<double>;
template struct LayeredProduct<float>;
template struct LayeredProduct<double>;

}  // namespace relucover
