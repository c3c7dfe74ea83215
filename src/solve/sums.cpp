#include "solve/sums.hpp"

#include <cblas.h>

#include <algorithm>
#include <cmath>

namespace relucover {

void SeenBlock::look(const Block<double>& block, const SignFreeModel& model, const Loss& loss) {
  const Index rows = block.rows(), inputs = model.inputs();
  x.resize(rows, inputs + 1);
  x.leftCols(inputs) = block.x;
  x.col(inputs).setConstant(loss.bias ? 1 : 0);
  t.resize(rows, model.units());
  residual = block.y;
  if (model.units() > 0) {  // BLAS refuses empty matrices
    t.noalias() = x * model.theta.transpose();
    h = t.cwiseAbs();
    residual.noalias() -= h * model.output.transpose();
  }
  residual.noalias() -= x * model.affine.transpose();
  if (loss.robust_scale == 0) {
    cost = residual.squaredNorm();
    return;
  }
  const double c2 = loss.robust_scale * loss.robust_scale;
  cost = 0;
  for (Index i = 0; i < rows; ++i) {
    const double ratio = residual.row(i).squaredNorm() / c2;
    cost += c2 * std::log1p(ratio);
    const double root = std::sqrt(1 / (1 + ratio));  // derivative of the loss: the weight of this sample
    x.row(i) *= root;
    t.row(i) *= root;
    h.row(i) *= root;
    residual.row(i) *= root;
  }
}

RowMatrix SeenBlock::signs() const {
  return t.unaryExpr([](double v) { return v < 0 ? -1.0 : 1.0; });
}

void ResidualSum::add(const Block<double>& block) {
  SeenBlock seen;
  seen.look(block, *model, loss);
  cost += seen.cost;
  squares += seen.residual.squaredNorm();
  worst = std::max(worst, seen.residual.cwiseAbs().maxCoeff());
  samples += block.rows();
}

void ResidualSum::merge(const ResidualSum& other) {
  cost += other.cost;
  squares += other.squares;
  worst = std::max(worst, other.worst);
  samples += other.samples;
}

GradientSum::GradientSum(const SignFreeModel& at, const Loss& loss_)
    : model(&at), loss(loss_), gradient(at.inputs(), at.units(), at.outputs()) {}

namespace {

// J^T r for residuals (or any values per sample and output) seen at a model.
void add_transposed_product(const SeenBlock& seen, const RowMatrix& signs, const RowMatrix& values,
                            const SignFreeModel& model, SignFreeModel& into) {
  into.affine.noalias() += values.transpose() * seen.x;
  if (model.units() == 0) return;
  const RowMatrix back = (values * model.output).cwiseProduct(signs);
  into.theta.noalias() += back.transpose() * seen.x;
  if (model.output_is_free()) into.output.noalias() += values.transpose() * seen.h;
}

}  // namespace

void GradientSum::add(const Block<double>& block) {
  SeenBlock seen;
  seen.look(block, *model, loss);
  cost += seen.cost;
  samples += block.rows();
  add_transposed_product(seen, seen.signs(), seen.residual, *model, gradient);
}

void GradientSum::merge(const GradientSum& other) {
  cost += other.cost;
  samples += other.samples;
  gradient.add(1, other.gradient);
}

CurvatureSum::CurvatureSum(const SignFreeModel& at, const SignFreeModel& direction_, const Loss& loss_)
    : model(&at), direction(&direction_), loss(loss_), product(at.inputs(), at.units(), at.outputs()) {}

void CurvatureSum::add(const Block<double>& block) {
  SeenBlock seen;
  seen.look(block, *model, loss);
  const RowMatrix signs = seen.signs();
  RowMatrix change = seen.x * direction->affine.transpose();
  if (model->units() > 0) {
    const RowMatrix moved = (seen.x * direction->theta.transpose()).cwiseProduct(signs);
    change.noalias() += moved * model->output.transpose();
  }
  if (model->output_is_free()) change.noalias() += seen.h * direction->output.transpose();
  add_transposed_product(seen, signs, change, *model, product);
}

void CurvatureSum::merge(const CurvatureSum& other) { product.add(1, other.product); }

NormalSum::NormalSum(const SignFreeModel& at, const Loss& loss)
    : first_order(at, loss),
      sign_gram(Matrix::Zero((at.units() + 1) * (at.inputs() + 1), (at.units() + 1) * (at.inputs() + 1))) {}

void NormalSum::add(const Block<double>& block) {
  const SignFreeModel& model = *first_order.model;
  SeenBlock seen;
  seen.look(block, model, first_order.loss);
  const RowMatrix signs = seen.signs();
  first_order.cost += seen.cost;
  first_order.samples += block.rows();
  add_transposed_product(seen, signs, seen.residual, model, first_order.gradient);

  const Index width = model.inputs() + 1, columns = sign_gram.rows();
  const Index slab = std::clamp<Index>((1 << 17) / columns, 32, 512);  // about a megabyte of Jacobian at a time
  for (Index first = 0; first < block.rows(); first += slab) {
    const Index rows = std::min(slab, block.rows() - first);
    jacobian_.resize(rows, columns);
    for (Index n = 0; n < rows; ++n) {
      const auto row = seen.x.row(first + n);
      for (Index i = 0; i < model.units(); ++i) jacobian_.row(n).segment(i * width, width) = signs(first + n, i) * row;
      jacobian_.row(n).tail(width) = row;
    }
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, static_cast<int>(columns), static_cast<int>(rows), 1,
                jacobian_.data(), static_cast<int>(columns), 1, sign_gram.data(), static_cast<int>(columns));
  }
}

void NormalSum::merge(const NormalSum& other) {
  first_order.merge(other.first_order);
  sign_gram += other.sign_gram;
}

FeatureSum::FeatureSum(const SignFreeModel& at, const Loss& loss_)
    : model(&at), loss(loss_), gram(Matrix::Zero(at.units() + at.inputs() + 1, at.units() + at.inputs() + 1)),
      labels(Matrix::Zero(gram.rows(), at.outputs())) {}

void FeatureSum::add(const Block<double>& block) {
  RowMatrix features(block.rows(), gram.rows());
  const Index inputs = model->inputs();
  auto x = features.rightCols(inputs + 1);
  x.leftCols(inputs) = block.x;
  x.col(inputs).setConstant(loss.bias ? 1 : 0);
  if (model->units() > 0) features.leftCols(model->units()) = (x * model->theta.transpose()).cwiseAbs();
  gram.noalias() += features.transpose() * features;
  labels.noalias() += features.transpose() * block.y;
  label_squares += block.y.squaredNorm();
  samples += block.rows();
}

void FeatureSum::merge(const FeatureSum& other) {
  gram += other.gram;
  labels += other.labels;
  label_squares += other.label_squares;
  samples += other.samples;
}

}  // namespace relucover
