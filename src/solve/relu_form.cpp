#include "solve/relu_form.hpp"

#include <cmath>
#include <limits>
#include <optional>

#include "core/linear_algebra.hpp"
#include "reduce/reduce.hpp"
#include "solve/normal_equations.hpp"

namespace relucover {

namespace {

Matrix tied_affine(const SignFreeModel& model, const std::vector<int>& signs) {
  Matrix affine = Matrix::Zero(model.outputs(), model.inputs() + 1);
  for (Index i = 0; i < model.units(); ++i) affine += signs[static_cast<std::size_t>(i)] * model.output.col(i) * model.theta.row(i);
  return affine;
}

/// Second derivatives by the free parameters: Cholesky; with pivots where rounding leaves the matrix indefinite.
class TiedCurvature {
 public:
  TiedCurvature(const SignFreeModel& model, const Tie& tie, const Matrix& full_gram) {
    constexpr double damping = 1e-9;
    Matrix gram = tie.gram(full_gram);
    hold_scales(model, gram);
    gram.diagonal() *= 1 + damping;
    gram.diagonal().array() += 1e-300;
    cholesky_ = Cholesky(gram);
    if (!cholesky_.definite()) pivoted_.emplace(std::move(gram));
  }
  Vector solve(const Vector& gradient) const { return pivoted_ ? Vector(pivoted_->solve(gradient)) : Vector(cholesky_.solve(gradient)); }

 private:
  Cholesky cholesky_;
  std::optional<SemidefiniteFactor> pivoted_;
};

}  // namespace

Tie::Tie(const SignFreeModel& model, const std::vector<int>& signs) {
  const Index width = model.inputs() + 1, units = model.units(), outputs = model.outputs();
  const Index theta_size = units * width, output_size = model.output_is_free() ? units * outputs : 0;
  affine_ = Matrix::Zero(outputs * width, theta_size + output_size);
  for (Index i = 0; i < units; ++i) {
    const double sign = signs[static_cast<std::size_t>(i)];
    for (Index o = 0; o < outputs; ++o) {
      affine_.block(o * width, i * width, width, width).diagonal().setConstant(sign * model.output(o, i));
      if (model.output_is_free()) affine_.block(o * width, theta_size + i * outputs + o, width, 1) = sign * model.theta.row(i).transpose();
    }
  }
}

Matrix Tie::gram(const Matrix& full) const {
  const Index free = affine_.cols(), tied = affine_.rows();
  const Matrix cross = full.topRightCorner(free, tied) * affine_;
  return full.topLeftCorner(free, free) + cross + cross.transpose() + affine_.transpose() * (full.bottomRightCorner(tied, tied) * affine_);
}

Vector Tie::gradient(const Vector& full) const { return full.head(affine_.cols()) + affine_.transpose() * full.tail(affine_.rows()); }

Vector Tie::all(const Vector& free) const {
  const Vector tied = affine_ * free;  // apart: Eigen's lists end the program where memory ends in the middle of one
  Vector whole(free.size() + tied.size());
  whole << free, tied;
  return whole;
}

Matrix leftover_affine(const SignFreeModel& model, const std::vector<int>& signs) { return model.affine - tied_affine(model, signs); }

Network relu_network(const SignFreeModel& model, const std::vector<int>& signs) {
  const Index inputs = model.inputs();
  Network network(inputs, model.units(), model.outputs());
  for (Index i = 0; i < model.units(); ++i) {
    const double norm = model.theta.row(i).head(inputs).norm();
    constexpr double nothing = 1e-150;  // its inverse would overflow
    const double scale = norm > nothing ? signs[static_cast<std::size_t>(i)] / norm : 0;
    network.W.row(i) = scale * model.theta.row(i).head(inputs);
    network.b[i] = scale * model.theta(i, inputs);
    network.A.col(i) = 2 * norm * model.output.col(i);
  }
  const Matrix left = leftover_affine(model, signs);
  network.skip = left.leftCols(inputs);
  network.offset = left.col(inputs);
  return network;
}

SolveOutcome refine_in_relu_form(const SampleSource& source, SignFreeModel model, const std::vector<int>& signs, Index max_iterations,
                                 const Control& control) {
  SolveOutcome outcome;
  model.affine = tied_affine(model, signs);
  outcome.model = model;
  const double variance = label_variance(source, control);
  outcome.cost = variance * relative_cost(source, model, Loss{}, variance, control);
  std::optional<TiedCurvature> curvature;  // changes with the model less than steps do: used again while it serves
  bool fresh = false;
  while (outcome.iterations < max_iterations) {
    ++outcome.iterations;
    const Tie tie(outcome.model, signs);
    GradientSum first_order(outcome.model, Loss{});
    fresh = !curvature;
    if (fresh) {
      auto sums = reduce(source, NormalSum(outcome.model, Loss{}), control);
      curvature.emplace(outcome.model, tie, full_gram(sums));
      first_order = std::move(sums.first_order);
    } else {
      first_order = reduce(source, first_order, control);
    }
    const Vector gradient = tie.gradient(flatten(first_order.gradient)) / static_cast<double>(first_order.samples);
    const Vector free_step = curvature->solve(gradient);
    SignFreeModel trial = outcome.model;
    trial.add(1, unflatten(tie.all(free_step), outcome.model));
    trial.affine = tied_affine(trial, signs);
    const bool sane = std::isfinite(trial.theta.squaredNorm()) &&
                      std::isfinite(trial.affine.squaredNorm());  // not if the ties left the Gram matrix singular
    const double cost = sane ? variance * relative_cost(source, trial, Loss{}, variance, control) : std::numeric_limits<double>::infinity();
    if (!(cost < outcome.cost)) {
      curvature.reset();
      if (!fresh) continue;
      outcome.converged = true;
      break;
    }
    const double decrease = (outcome.cost - cost) / outcome.cost;
    outcome.model = std::move(trial);
    outcome.cost = cost;
    outcome.history.push_back(cost / variance);
    if (decrease < 1e-12) {
      outcome.converged = true;
      break;
    }
  }
  outcome.relative_cost = outcome.cost / variance;
  return outcome;
}

}  // namespace relucover
