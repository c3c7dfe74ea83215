#include "solve/normal_equations.hpp"

#include <optional>

#include "core/linear_algebra.hpp"
#include "reduce/reduce.hpp"
#include "solve/preconditioner.hpp"

namespace relucover {

Matrix second_moment(const AffineSum& sums) {
  Matrix moment = Matrix(sums.gram.selfadjointView<Eigen::Lower>()) / static_cast<double>(std::max<Index>(sums.samples, 1));
  const double scale = moment.diagonal().maxCoeff();
  for (Index i = 0; i < moment.rows(); ++i)
    if (moment(i, i) <= 0) moment(i, i) = scale > 0 ? scale : 1;
  return moment;
}

Matrix second_moment(const SampleSource& source, bool bias, const Control& control) {
  return second_moment(reduce(source, AffineSum(source.inputs(), source.outputs(), Loss{0, bias}), control));
}

Matrix inverse_of_moment(const Matrix& second_moment) {
  constexpr double little = 1e-12;
  Matrix regular = second_moment;
  regular.diagonal() *= 1 + little;
  return solve_semidefinite(regular, Matrix::Identity(regular.rows(), regular.cols()));
}

void hold_scales(const SignFreeModel& model, Matrix& gram) {
  if (!model.output_is_free()) return;
  const Index width = model.inputs() + 1, outputs = model.outputs();
  const double weight = gram.diagonal().mean();
  for (Index i = 0; i < model.units(); ++i) {
    Vector direction = Vector::Zero(gram.rows());
    direction.segment(i * width, width) = model.theta.row(i).transpose();
    direction.segment(model.theta.size() + i * outputs, outputs) = -model.output.col(i);
    direction.normalize();
    gram.noalias() += weight * direction * direction.transpose();
  }
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
  const auto put_block = [&](Index row, Index col, const Matrix& block) {  // symmetric itself
    gram.block(row, col, width, width) = block;
    if (row != col) gram.block(col, row, width, width) = block;
  };
  const auto put_row = [&](Index row, Index col, const Vector& values) {
    gram.row(row).segment(col, width) = values.transpose();
    gram.col(row).segment(col, width) = values;
  };
  for (Index i = 0; i < units; ++i) {
    for (Index j = 0; j <= i; ++j) {
      const Matrix block = sums.block(i, j) / samples;
      put_block(i * width, j * width, weights(i, j) * block);
      if (!model.output_is_free()) continue;
      // h_j = sigma_j x~·theta_j, so sums with h_j are Gram blocks times theta_j.
      const Vector with_i = block * model.theta.row(i).transpose(), with_j = block * model.theta.row(j).transpose();
      const double with_both = model.theta.row(i).dot(with_j);
      for (Index o = 0; o < outputs; ++o) {
        const Index out_i = output_at + i * outputs + o, out_j = output_at + j * outputs + o;
        put_row(out_j, i * width, model.output(o, i) * with_j);
        put_row(out_i, j * width, model.output(o, j) * with_i);
        gram(out_i, out_j) = gram(out_j, out_i) = with_both;
      }
    }
    const Matrix block = sums.block(units, i) / samples;
    const Vector with_affine = block * model.theta.row(i).transpose();
    for (Index o = 0; o < outputs; ++o) {
      put_block(affine_at + o * width, i * width, model.output(o, i) * block);
      if (model.output_is_free()) put_row(output_at + i * outputs + o, affine_at + o * width, with_affine);
    }
  }
  const Matrix block = sums.block(units, units) / samples;
  for (Index o = 0; o < outputs; ++o) put_block(affine_at + o * width, affine_at + o * width, block);
  return gram;
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
  DenseLinearisation(const SampleSource& source, const SignFreeModel& model, const LinearisationOptions& options, const Control& control)
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
    const Cholesky cholesky(std::move(damped));
    if (!cholesky.definite()) return result;
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
      : source_(source), model_(model), options_(options) {
    GradientSum empty(model, options.loss);
    empty.sign_products = Matrix::Zero(model.units() + 1, model.units() + 1);
    if (options.loss.robust_scale == 0) {
      pattern_.emplace(source.samples(), model.units());
      empty.pattern = &*pattern_;
    }
    auto sums = reduce(source, empty, control);
    samples_ = static_cast<double>(sums.samples);
    cost_ = sums.cost / samples_;
    gradient_ = std::move(sums.gradient);
    gradient_.scale(1 / samples_);
    preconditioner_.emplace(coupling_of_rows(model, sums.sign_products / samples_), options.second_moment, options.moment_inverse);
    column_weight_ = model.output.colwise().squaredNorm();
    // E h_i^2 = theta_i^T E[x~ x~^T] theta_i
    hidden_square_ = (model.theta * options.second_moment).cwiseProduct(model.theta).rowwise().sum();
  }

  /// Preconditioned conjugate gradients.
  Step step(double lambda, double tolerance, const Control& control) const override {
    prepare(lambda, tolerance, control);
    Step result;
    result.delta = SignFreeModel(model_.inputs(), model_.units(), model_.outputs());
    SignFreeModel residual = gradient_;
    SignFreeModel direction = preconditioned(residual, lambda);
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
      const SignFreeModel conditioned = preconditioned(residual, lambda);
      const double next = residual.dot(conditioned);
      direction.scale(next / energy).add(1, conditioned);
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

  SignFreeModel preconditioned(const SignFreeModel& v, double lambda) const {
    SignFreeModel result = v;
    const Matrix rows = preconditioner_->inverse_times(stacked_rows(v));
    result.theta = rows.topRows(v.units());
    result.affine = rows.bottomRows(v.outputs());
    if (model_.output_is_free()) result.output = v.output * ((1 + lambda) * hidden_square_.cwiseMax(1e-300)).cwiseInverse().asDiagonal();
    return result;
  }

  void prepare(double lambda, double tolerance, const Control& control) const {
    if (correction_pays(tolerance) && !preconditioner_->corrected()) {
      const auto sums = reduce(source_, OwnDirectionSum(model_, *pattern_, options_.loss.bias), control);
      preconditioner_->correct_along(RowDirections(model_), sums.products / samples_);
    }
    preconditioner_->damp(lambda);
  }

  /// The better preconditioner costs about one product where there are more inputs than units, more elsewhere; there it pays for
  /// precise steps, which take many.
  bool correction_pays(double tolerance) const {
    constexpr double precise = 1e-2;
    const bool possible = pattern_ && !model_.output_is_free() && model_.units() > 0;
    return possible && (tolerance < precise || model_.inputs() >= 2 * model_.units());
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
  std::optional<SignPattern> pattern_;  // for least squares
  double samples_ = 0;
  SignFreeModel gradient_;
  mutable std::optional<Preconditioner> preconditioner_;
  Eigen::RowVectorXd column_weight_;
  Vector hidden_square_;
};

bool dense_is_cheaper(const SampleSource& source, const SignFreeModel& model, Index iterations) {
  // Dense: one product of pairs and one factorisation per step. Matrix-free: iterations of two thin products, which run at about a
  // third of the speed of a square one.
  const double width = static_cast<double>(model.inputs() + 1), units = static_cast<double>(model.units() + 1);
  const double columns = width * units, samples = static_cast<double>(source.samples());
  const double size = columns + (model.output_is_free() ? static_cast<double>(model.output.size() + model.affine.size()) : 0);
  const double dense = samples * columns * columns / 2 + size * size * size / 3;
  const double matrix_free = static_cast<double>(iterations) * samples * columns * 4 * 3;
  return size < 4000 && dense < matrix_free;
}

}  // namespace

std::unique_ptr<Linearisation> linearise(const SampleSource& source, const SignFreeModel& model, const LinearisationOptions& options,
                                         const Control& control) {
  using Form = LinearisationOptions::Form;
  const bool dense =
      options.form == Form::automatic ? dense_is_cheaper(source, model, options.expected_inner_iterations) : options.form == Form::dense;
  if (dense) return std::make_unique<DenseLinearisation>(source, model, options, control);
  return std::make_unique<MatrixFreeLinearisation>(source, model, options, control);
}

}  // namespace relucover
