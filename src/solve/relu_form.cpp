#include "solve/relu_form.hpp"

#include <cmath>
#include <limits>

#include "core/linear_algebra.hpp"
#include "reduce/reduce.hpp"

namespace relucover {

namespace {

Matrix tied_affine(const SignFreeModel& model, const std::vector<int>& signs) {
  Matrix affine = Matrix::Zero(model.outputs(), model.inputs() + 1);
  for (Index i = 0; i < model.units(); ++i) affine += signs[static_cast<std::size_t>(i)] * model.output.col(i) * model.theta.row(i);
  return affine;
}

/// Cholesky; with pivots where rounding leaves the matrix indefinite.
Vector solved(const Matrix& gram, const Vector& right) {
  const Cholesky cholesky(gram);
  return cholesky.definite() ? cholesky.solve(right) : solve_semidefinite(gram, right);
}

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
  Vector whole(free.size() + affine_.rows());
  whole << free, affine_ * free;
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
  double damping = 1e-9;
  while (outcome.iterations < max_iterations) {
    ++outcome.iterations;
    const auto sums = reduce(source, NormalSum(outcome.model, Loss{}), control);
    const Tie tie(outcome.model, signs);
    Matrix gram = tie.gram(full_gram(sums));
    gram.diagonal() *= 1 + damping;  // holds the scale that theta and output share
    gram.diagonal().array() += 1e-300;
    const Vector gradient = tie.gradient(flatten(sums.first_order.gradient)) / static_cast<double>(sums.first_order.samples);
    const Vector free_step = solved(gram, gradient);
    SignFreeModel trial = outcome.model;
    trial.add(1, unflatten(tie.all(free_step), outcome.model));
    trial.affine = tied_affine(trial, signs);
    const bool sane = std::isfinite(trial.theta.squaredNorm()) &&
                      std::isfinite(trial.affine.squaredNorm());  // not if the ties left the Gram matrix singular
    const double cost = sane ? variance * relative_cost(source, trial, Loss{}, variance, control) : std::numeric_limits<double>::infinity();
    if (!(cost < outcome.cost)) {
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
