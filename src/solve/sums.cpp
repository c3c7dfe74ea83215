#include "solve/sums.hpp"

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

void SeenBlock::drop_kinks(const SignFreeModel& model) {
  constexpr double rounding = 1e-10;
  // Of the terms that are added up, each column in its own scale.
  const Eigen::RowVectorXd scale = x.cwiseAbs().colwise().maxCoeff().cwiseMax(1e-300), over_scale = scale.cwiseInverse();
  const Eigen::RowVectorXd least = rounding * (model.theta * scale.asDiagonal()).rowwise().norm().transpose();
  for (Index i = 0; i < x.rows(); ++i) {
    if ((t.row(i).cwiseAbs().array() > x.row(i).cwiseProduct(over_scale).norm() * least.array()).all()) continue;
    x.row(i).setZero();
    t.row(i).setZero();
    h.row(i).setZero();
    residual.row(i).setZero();
  }
}

void ResidualSum::add(const Block<double>& block) {
  SeenBlock seen;
  seen.look(block, *model, loss);
  cost += seen.cost;
  samples += block.rows();
}

GradientSum::GradientSum(const SignFreeModel& at, const Loss& loss_)
    : model(&at), loss(loss_), gradient(at.inputs(), at.units(), at.outputs()) {}

namespace {

// J^T r for residuals (or any values per sample and output) seen at a model.
void add_transposed_product(const SeenBlock& seen, const RowMatrix& signs, const RowMatrix& values, const SignFreeModel& model,
                            SignFreeModel& into) {
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
  if (pattern != nullptr) pattern->store(block.first, seen.t);
  const RowMatrix signs = seen.signs();
  add_transposed_product(seen, signs, seen.residual, *model, gradient);
  if (sign_products.size() == 0) return;
  RowMajor<float> with_constant(block.rows(), sign_products.rows());  // sums of whole numbers: exact in single precision
  with_constant << signs.cast<float>(), Eigen::VectorXf::Ones(block.rows());
  RowMajor<float> products(sign_products.rows(), sign_products.rows());
  products.noalias() = with_constant.transpose() * with_constant;
  sign_products += products.cast<double>();
}

CurvatureSum::CurvatureSum(const SignFreeModel& at, const SignFreeModel& direction_, const Loss& loss_)
    : model(&at), direction(&direction_), loss(loss_), product(at.inputs(), at.units(), at.outputs()) {}

void CurvatureSum::add(const Block<double>& block) {
  SeenBlock seen;
  seen.look(block, *model, loss);
  if (without_kinks) seen.drop_kinks(*model);
  const RowMatrix signs = seen.signs();
  RowMatrix change = seen.x * direction->affine.transpose();
  if (model->units() > 0) {
    const RowMatrix moved = (seen.x * direction->theta.transpose()).cwiseProduct(signs);
    change.noalias() += moved * model->output.transpose();
  }
  if (model->output_is_free()) change.noalias() += seen.h * direction->output.transpose();
  add_transposed_product(seen, signs, change, *model, product);
}

namespace {

/// x~ forms^T without ever writing x~ = (x, 1).
template <class Real>
RowMajor<Real> values_of(const typename Block<Real>::View& x, const RowMajor<Real>& forms, bool bias) {
  RowMajor<Real> values(x.rows(), forms.rows());
  values.noalias() = x * forms.leftCols(x.cols()).transpose();
  if (bias) values.rowwise() += forms.col(x.cols()).transpose();
  return values;
}

/// values^T x~
template <class Real>
Matrix moments_of(const RowMajor<Real>& values, const typename Block<Real>::View& x, bool bias) {
  RowMajor<Real> products(values.cols(), x.cols());
  products.noalias() = values.transpose() * x;
  Matrix moments = Matrix::Zero(values.cols(), x.cols() + 1);
  moments.leftCols(x.cols()) = products.template cast<double>();
  if (bias) moments.col(x.cols()) = values.colwise().sum().transpose().template cast<double>();
  return moments;
}

}  // namespace

template <class Real>
PatternCurvatureSum<Real>::PatternCurvatureSum(const SignFreeModel& at, const SignPattern& pattern_, const SignFreeModel& direction_,
                                               bool bias_)
    : model(&at), pattern(&pattern_), bias(bias_), theta(at.theta.cast<Real>()), output(at.output.cast<Real>()),
      direction(at.units() + at.outputs(), at.inputs() + 1), output_direction(direction_.output.cast<Real>()),
      product(at.inputs(), at.units(), at.outputs()) {
  direction << direction_.theta.cast<Real>(), direction_.affine.cast<Real>();
}

template <class Real>
void PatternCurvatureSum<Real>::add(const Block<Real>& block) {
  const Index units = model->units(), outputs = model->outputs();
  RowMajor<Real> values = values_of<Real>(block.x, direction, bias);  // of theta's direction, of the affine part's
  if (outputs == 1)
    for (Index i = 0; i < block.rows(); ++i) pattern->spread_change(block.first + i, units, output.data(), values.row(i).data());
  else
    spread_changes(block, values);
  const Matrix moments = moments_of<Real>(values, block.x, bias);
  product.theta += moments.topRows(units);
  product.affine += moments.bottomRows(outputs);
}

template <class Real>
void PatternCurvatureSum<Real>::spread_changes(const Block<Real>& block, RowMajor<Real>& values) {
  const Index units = model->units(), outputs = model->outputs();
  pattern->apply(block.first, units, values);
  RowMajor<Real> change = values.rightCols(outputs);
  if (units > 0) change.noalias() += values.leftCols(units) * output.transpose();
  if (units > 0) {
    RowMajor<Real> hidden = values_of<Real>(block.x, theta, bias);
    pattern->apply(block.first, units, hidden);
    change.noalias() += hidden * output_direction.transpose();
    product.output += (change.transpose() * hidden).template cast<double>();
  }
  if (units > 0) values.leftCols(units).noalias() = change * output;
  values.rightCols(outputs) = change;
  pattern->apply(block.first, units, values);
}

template struct PatternCurvatureSum<float>;
template struct PatternCurvatureSum<double>;

OwnDirectionSum::OwnDirectionSum(const SignFreeModel& at, const SignPattern& pattern_, bool bias_)
    : model(&at), pattern(&pattern_), bias(bias_), theta(at.theta.cast<float>()),
      products(Matrix::Zero(3 * at.units() + 1, 3 * at.units() + 1)) {}

void OwnDirectionSum::add(const Block<float>& block) {
  const Index units = model->units();
  const Eigen::RowVectorXf weights = model->output.row(0).cast<float>();
  RowMajor<float> changes(block.rows(), products.rows());
  RowMajor<float> values = values_of<float>(block.x, theta, bias);
  changes.middleCols(2 * units, units) = values;
  changes.rightCols(1).setConstant(bias ? 1 : 0);
  values.array().rowwise() *= weights.array();
  pattern->apply(block.first, units, values);
  changes.leftCols(units) = values;
  values.setConstant(bias ? 1 : 0);
  values.array().rowwise() *= weights.array();
  pattern->apply(block.first, units, values);
  changes.middleCols(units, units) = values;
  RowMajor<float> sums(products.rows(), products.rows());
  sums.noalias() = changes.transpose() * changes;
  products += sums.cast<double>();
}

namespace {

template <class Real>
using MatrixOf = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;

Index pairs_of(Index size) { return size * (size + 1) / 2; }

/// The pair i >= j at a place of the packed order (0,0), (1,0), (1,1), (2,0), ...
struct PairWalk {
  Index i = 0, j = 0;
  void next() {
    if (j < i) {
      ++j;
    } else {
      ++i;
      j = 0;
    }
  }
};

/// The products of pairs of columns, a tile of them at a time.
template <class Real>
PairWalk fill_pairs(const MatrixOf<Real>& columns, PairWalk pair, MatrixOf<Real>& products) {
  for (Index p = 0; p < products.cols(); ++p, pair.next()) products.col(p) = columns.col(pair.i).cwiseProduct(columns.col(pair.j));
  return pair;
}

template <class Real>
void add_pair_products(const MatrixOf<Real>& signs, const MatrixOf<Real>& inputs, Matrix& sums) {
  constexpr Index tile = 512;  // tiles of pairs and of products fit in the cache together
  MatrixOf<Real> sign_pairs, input_pairs;
  PairWalk sign_pair;
  for (Index p = 0; p < sums.cols(); p += tile) {
    sign_pairs.resize(signs.rows(), std::min(tile, sums.cols() - p));
    sign_pair = fill_pairs(signs, sign_pair, sign_pairs);
    PairWalk input_pair;
    for (Index q = 0; q < sums.rows(); q += tile) {
      input_pairs.resize(inputs.rows(), std::min(tile, sums.rows() - q));
      input_pair = fill_pairs(inputs, input_pair, input_pairs);
      auto sum = sums.block(q, p, input_pairs.cols(), sign_pairs.cols());
      if constexpr (std::is_same_v<Real, double>)
        sum.noalias() += input_pairs.transpose() * sign_pairs;
      else
        sum += MatrixOf<Real>(input_pairs.transpose() * sign_pairs).template cast<double>();
    }
  }
}

template <class Real>
void add_slabs(const SeenBlock& seen, const RowMatrix& signs, Matrix& sums) {
  constexpr Index slab = 384;
  const Index units = signs.cols();
  MatrixOf<Real> some_signs, some_inputs;
  for (Index first = 0; first < seen.x.rows(); first += slab) {
    const Index rows = std::min(slab, seen.x.rows() - first);
    some_signs.resize(rows, units + 1);
    some_signs.leftCols(units) = signs.middleRows(first, rows).template cast<Real>();
    some_signs.col(units).setOnes();
    some_inputs = seen.x.middleRows(first, rows).template cast<Real>();
    add_pair_products(some_signs, some_inputs, sums);
  }
}

}  // namespace

NormalSum::NormalSum(const SignFreeModel& at, const Loss& loss, GramPrecision precision_)
    : first_order(at, loss), pair_products(Matrix::Zero(pairs_of(at.inputs() + 1), pairs_of(at.units() + 1))), precision(precision_) {}

void NormalSum::add(const Block<double>& block) {
  const SignFreeModel& model = *first_order.model;
  SeenBlock seen;
  seen.look(block, model, first_order.loss);
  if (without_kinks) seen.drop_kinks(model);
  const RowMatrix signs = seen.signs();
  first_order.cost += seen.cost;
  first_order.samples += block.rows();
  add_transposed_product(seen, signs, seen.residual, model, first_order.gradient);
  if (precision == GramPrecision::float32)
    add_slabs<float>(seen, signs, pair_products);
  else
    add_slabs<double>(seen, signs, pair_products);
}

Matrix NormalSum::block(Index i, Index j) const {
  const Index width = first_order.model->inputs() + 1;
  const double* packed = pair_products.col(pairs_of(std::max(i, j)) + std::min(i, j)).data();
  Matrix square(width, width);
  for (Index a = 0; a < width; ++a)
    for (Index b = 0; b <= a; ++b) square(a, b) = square(b, a) = *packed++;
  return square;
}

AffineSum::AffineSum(Index inputs, Index outputs, const Loss& loss_)
    : loss(loss_), gram(Matrix::Zero(inputs + 1, inputs + 1)), labels(Matrix::Zero(inputs + 1, outputs)) {}

void AffineSum::add(const Block<double>& block) {
  RowMatrix x(block.rows(), gram.rows());
  x.leftCols(block.x.cols()) = block.x;
  x.rightCols(1).setConstant(loss.bias ? 1 : 0);
  gram.selfadjointView<Eigen::Lower>().rankUpdate(x.transpose());
  labels.noalias() += x.transpose() * block.y;
  label_squares += block.y.squaredNorm();
  samples += block.rows();
}

UnitSum::UnitSum(const SignFreeModel& at, const Loss& loss_)
    : model(&at), loss(loss_), gram(Matrix::Zero(at.units(), at.units())), with_inputs(Matrix::Zero(at.inputs() + 1, at.units())),
      labels(Matrix::Zero(at.units(), at.outputs())) {}

void UnitSum::add(const Block<double>& block) {
  const RowMatrix hidden = values_of<double>(block.x, model->theta, loss.bias).cwiseAbs();
  gram.selfadjointView<Eigen::Lower>().rankUpdate(hidden.transpose());
  with_inputs += moments_of<double>(hidden, block.x, loss.bias).transpose();
  labels.noalias() += hidden.transpose() * block.y;
}

}  // namespace relucover
