#include "solve/normal_equations.hpp"

#include <Eigen/Cholesky>
#include <optional>

#include "reduce/reduce.hpp"

namespace relucover {

namespace {

struct SecondMomentSum {
  using Scalar = double;
  Matrix sum;
  bool bias;
  Index samples = 0;
  SecondMomentSum(Index inputs, bool bias_) : sum(Matrix::Zero(inputs + 1, inputs + 1)), bias(bias_) {}
  void add(const Block<double>& block) {
    RowMatrix x(block.rows(), sum.rows());
    x.leftCols(block.x.cols()) = block.x;
    x.rightCols(1).setConstant(bias ? 1 : 0);
    sum.noalias() += x.transpose() * x;
    samples += block.rows();
  }
  void merge(const SecondMomentSum& other) {
    sum += other.sum;
    samples += other.samples;
  }
  template <class Visit>
  void fields(Visit& visit) {
    visit(sum, samples);
  }
};

}  // namespace

Matrix second_moment(const SampleSource& source, bool bias, const Control& control) {
  const auto sums = reduce(source, SecondMomentSum(source.inputs(), bias), control);
  Matrix moment = sums.sum / static_cast<double>(std::max<Index>(sums.samples, 1));
  const double scale = moment.diagonal().maxCoeff();
  for (Index i = 0; i < moment.rows(); ++i)
    if (moment(i, i) <= 0) moment(i, i) = scale > 0 ? scale : 1;
  return moment;
}

Matrix full_gram(const NormalSum& sums) {
  const SignFreeModel& model = *sums.first_order.model;
  const Index units = model.units(), width = model.inputs() + 1, outputs = model.outputs();
  const double samples = static_cast<double>(sums.first_order.samples);
  const Index theta_size = units * width, output_size = model.output_is_free() ? units * outputs : 0;
  const Index size = theta_size + output_size + outputs * width;
  const Matrix weights = model.output.transpose() * model.output;
  Matrix gram = Matrix::Zero(size, size);
  const Index affine_at = theta_size + output_size, output_at = theta_size;
  for (Index i = 0; i < units; ++i) {
    for (Index j = 0; j <= i; ++j) {
      const Matrix block = sums.block(i, j) / samples;
      gram.block(i * width, j * width, width, width) = weights(i, j) * block;
      if (!model.output_is_free()) continue;
      // h_j = sigma_j x~·theta_j, so sums with h_j are Gram blocks times theta_j.
      const Vector with_i = block * model.theta.row(i).transpose(), with_j = block * model.theta.row(j).transpose();
      const double with_both = model.theta.row(i).dot(with_j);
      for (Index o = 0; o < outputs; ++o) {
        gram.row(output_at + j * outputs + o).segment(i * width, width) = model.output(o, i) * with_j.transpose();
        gram.row(output_at + i * outputs + o).segment(j * width, width) = model.output(o, j) * with_i.transpose();
        gram(output_at + i * outputs + o, output_at + j * outputs + o) = with_both;
      }
    }
    const Matrix block = sums.block(units, i) / samples;
    const Vector with_affine = block * model.theta.row(i).transpose();
    for (Index o = 0; o < outputs; ++o) {
      gram.block(affine_at + o * width, i * width, width, width) = model.output(o, i) * block;
      if (model.output_is_free()) gram.col(output_at + i * outputs + o).segment(affine_at + o * width, width) = with_affine;
    }
  }
  const Matrix block = sums.block(units, units) / samples;
  for (Index o = 0; o < outputs; ++o) gram.block(affine_at + o * width, affine_at + o * width, width, width) = block;
  return gram.selfadjointView<Eigen::Lower>();
}

Vector flatten(const SignFreeModel& model) {
  const Index theta_size = model.theta.size(), output_size = model.output_is_free() ? model.output.size() : 0;
  Vector flat(theta_size + output_size + model.affine.size());
  const Matrix theta = model.theta.transpose(), affine = model.affine.transpose();
  flat << theta.reshaped(), model.output.reshaped().head(output_size), affine.reshaped();
  return flat;
}

SignFreeModel unflatten(const Vector& flat, const SignFreeModel& shape) {
  SignFreeModel model(shape.inputs(), shape.units(), shape.outputs());
  const Index width = shape.inputs() + 1, output_size = shape.output_is_free() ? shape.output.size() : 0;
  model.theta = flat.head(shape.theta.size()).reshaped(width, shape.units()).transpose();
  if (output_size > 0) model.output = flat.segment(shape.theta.size(), output_size).reshaped(shape.outputs(), shape.units());
  model.affine = flat.tail(shape.affine.size()).reshaped(width, shape.outputs()).transpose();
  return model;
}

namespace {

class DenseLinearisation : public Linearisation {
 public:
  DenseLinearisation(const SampleSource& source, const SignFreeModel& model, const LinearisationOptions& options,
                     const Control& control)
      : model_(model), moment_(options.second_moment) {
    const auto sums = reduce(source, NormalSum(model, options.loss, options.precision), control);
    const double samples = static_cast<double>(sums.first_order.samples);
    cost_ = sums.first_order.cost / samples;
    gradient_ = flatten(sums.first_order.gradient) / samples;
    gram_ = full_gram(sums);
  }

  Step step(double lambda, double, const Control& control) const override {
    control.check();
    Matrix damped = gram_;
    add_damping(lambda, damped);
    Step result;
    const Eigen::LLT<Eigen::Ref<Matrix>> cholesky(damped);
    if (cholesky.info() != Eigen::Success) return result;
    const Vector delta = cholesky.solve(gradient_);
    if (!delta.allFinite()) return result;
    const Vector reached = gram_ * delta;
    result.predicted = delta.dot(2 * gradient_ - reached);
    result.delta = unflatten(delta, model_);
    result.inner_iterations = 1;
    result.solved = true;
    return result;
  }

 private:
  void add_damping(double lambda, Matrix& gram) const {
    const Index width = moment_.rows(), units = model_.units(), outputs = model_.outputs();
    for (Index i = 0; i < units; ++i)
      gram.block(i * width, i * width, width, width) += lambda * model_.output.col(i).squaredNorm() * moment_;
    const Index theta_size = units * width, affine_at = gram.rows() - outputs * width;
    for (Index j = theta_size; j < affine_at; ++j) gram(j, j) *= 1 + lambda;
    for (Index o = 0; o < outputs; ++o) gram.block(affine_at + o * width, affine_at + o * width, width, width) += lambda * moment_;
  }

  const SignFreeModel& model_;
  const Matrix& moment_;
  Vector gradient_;
  Matrix gram_;
};

class MatrixFreeLinearisation : public Linearisation {
 public:
  MatrixFreeLinearisation(const SampleSource& source, const SignFreeModel& model, const LinearisationOptions& options,
                          const Control& control)
      : source_(source), model_(model), options_(options), factor_(options.second_moment) {
    GradientSum empty(model, options.loss);
    if (options.loss.robust_scale == 0) {
      pattern_.emplace(source.samples(), model.units());
      empty.pattern = &*pattern_;
    }
    auto sums = reduce(source, empty, control);
    samples_ = static_cast<double>(sums.samples);
    cost_ = sums.cost / samples_;
    gradient_ = std::move(sums.gradient);
    gradient_.scale(1 / samples_);
    column_weight_ = model.output.colwise().squaredNorm();
    // E h_i^2 = theta_i^T E[x~ x~^T] theta_i
    hidden_square_ = (model.theta * options.second_moment).cwiseProduct(model.theta).rowwise().sum();
  }

  /// Preconditioned conjugate gradients; the preconditioner is (1 + lambda) D.
  Step step(double lambda, double tolerance, const Control& control) const override {
    Step result;
    result.delta = SignFreeModel(model_.inputs(), model_.units(), model_.outputs());
    SignFreeModel residual = gradient_;
    SignFreeModel direction = precondition(residual, lambda);
    double energy = residual.dot(direction);
    const double target = tolerance * tolerance * energy;
    for (; result.inner_iterations < options_.max_inner_iterations && energy > target; ++result.inner_iterations) {
      control.check();
      const SignFreeModel product = damped_product(direction, lambda, control);
      const double curvature = direction.dot(product);
      if (!(curvature > 0)) break;
      const double length = energy / curvature;
      result.delta.add(length, direction);
      residual.add(-length, product);
      const SignFreeModel preconditioned = precondition(residual, lambda);
      const double next = residual.dot(preconditioned);
      direction.scale(next / energy).add(1, preconditioned);
      energy = next;
    }
    // 2 g·delta - delta·H delta with (H + lambda D) delta = g - residual
    SignFreeModel weighted = damping(result.delta);
    result.predicted = result.delta.dot(gradient_) + result.delta.dot(residual) + lambda * result.delta.dot(weighted);
    result.solved = std::isfinite(result.predicted) && result.inner_iterations > 0;
    return result;
  }

 private:
  /// D v
  SignFreeModel damping(const SignFreeModel& v) const {
    SignFreeModel result = v;
    result.theta = column_weight_.transpose().asDiagonal() * (v.theta * options_.second_moment);
    result.affine = v.affine * options_.second_moment;
    if (model_.output_is_free()) result.output = v.output * hidden_square_.asDiagonal();
    return result;
  }

  /// ((1 + lambda) D)^{-1} v
  SignFreeModel precondition(const SignFreeModel& v, double lambda) const {
    SignFreeModel result = v;
    const auto solve = [&](const Matrix& rows) -> Matrix { return factor_.solve(rows.transpose()).transpose(); };
    result.theta = column_weight_.transpose().cwiseMax(1e-300).cwiseInverse().asDiagonal() * solve(v.theta);
    result.affine = solve(v.affine);
    if (model_.output_is_free()) result.output = v.output * hidden_square_.cwiseMax(1e-300).cwiseInverse().asDiagonal();
    return result.scale(1 / (1 + lambda));
  }

  SignFreeModel damped_product(const SignFreeModel& direction, double lambda, const Control& control) const {
    SignFreeModel product = curvature_times(direction, control);
    product.scale(1 / samples_).add(lambda, damping(direction));
    return product;
  }

  SignFreeModel curvature_times(const SignFreeModel& direction, const Control& control) const {
    const bool bias = options_.loss.bias;
    if (!pattern_) return reduce(source_, CurvatureSum(model_, direction, options_.loss), control).product;
    if (options_.product_precision == GramPrecision::float64)
      return reduce(source_, PatternCurvatureSum<double>(model_, *pattern_, direction, bias), control).product;
    return reduce(source_, PatternCurvatureSum<float>(model_, *pattern_, direction, bias), control).product;
  }

  const SampleSource& source_;
  const SignFreeModel& model_;
  const LinearisationOptions& options_;
  Eigen::LLT<Matrix> factor_;
  std::optional<SignPattern> pattern_;  // for least squares
  double samples_ = 0;
  SignFreeModel gradient_;
  Eigen::RowVectorXd column_weight_;
  Vector hidden_square_;
};

bool dense_is_cheaper(const SampleSource& source, const SignFreeModel& model) {
  // Dense: one product of pairs and one factorisation per step. Matrix-free: about 40 iterations of two thin products,
  // which run at about a third of the speed of a square one.
  const double width = static_cast<double>(model.inputs() + 1), units = static_cast<double>(model.units() + 1);
  const double columns = width * units, samples = static_cast<double>(source.samples());
  const double size = columns + (model.output_is_free() ? static_cast<double>(model.output.size() + model.affine.size()) : 0);
  const double dense = samples * columns * columns / 2 + size * size * size / 3;
  const double matrix_free = 40 * samples * columns * 4 * 3;
  return size < 4000 && dense < matrix_free;
}

}  // namespace

std::unique_ptr<Linearisation> linearise(const SampleSource& source, const SignFreeModel& model,
                                         const LinearisationOptions& options, const Control& control) {
  using Form = LinearisationOptions::Form;
  const bool dense = options.form == Form::automatic ? dense_is_cheaper(source, model) : options.form == Form::dense;
  if (dense) return std::make_unique<DenseLinearisation>(source, model, options, control);
  return std::make_unique<MatrixFreeLinearisation>(source, model, options, control);
}

}  // namespace relucover
