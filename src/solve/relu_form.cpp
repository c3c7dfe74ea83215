#include "solve/relu_form.hpp"

#include <Eigen/Cholesky>

#include "reduce/reduce.hpp"

namespace relucover {

namespace {

Matrix tied_affine(const SignFreeModel& model, const std::vector<int>& signs) {
  Matrix affine = Matrix::Zero(model.outputs(), model.inputs() + 1);
  for (Index i = 0; i < model.units(); ++i)
    affine += signs[static_cast<std::size_t>(i)] * model.output.col(i) * model.theta.row(i);
  return affine;
}

}  // namespace

Matrix tie_map(const SignFreeModel& model, const std::vector<int>& signs) {
  const Index width = model.inputs() + 1, units = model.units(), outputs = model.outputs();
  const Index theta_size = units * width, output_size = model.output_is_free() ? units * outputs : 0;
  const Index affine_at = theta_size + output_size;
  Matrix map = Matrix::Zero(affine_at + outputs * width, affine_at);
  map.topRows(affine_at).setIdentity();
  for (Index i = 0; i < units; ++i) {
    const double sign = signs[static_cast<std::size_t>(i)];
    for (Index o = 0; o < outputs; ++o) {
      map.block(affine_at + o * width, i * width, width, width).diagonal().setConstant(sign * model.output(o, i));
      if (model.output_is_free())
        map.block(affine_at + o * width, theta_size + i * outputs + o, width, 1) = sign * model.theta.row(i).transpose();
    }
  }
  return map;
}

Matrix leftover_affine(const SignFreeModel& model, const std::vector<int>& signs) {
  return model.affine - tied_affine(model, signs);
}

Network relu_network(const SignFreeModel& model, const std::vector<int>& signs) {
  const Index inputs = model.inputs();
  Network network(inputs, model.units(), model.outputs());
  for (Index i = 0; i < model.units(); ++i) {
    const double norm = model.theta.row(i).head(inputs).norm();
    const double scale = norm > 0 ? signs[static_cast<std::size_t>(i)] / norm : 0;
    network.W.row(i) = scale * model.theta.row(i).head(inputs);
    network.b[i] = scale * model.theta(i, inputs);
    network.A.col(i) = 2 * norm * model.output.col(i);
  }
  const Matrix left = leftover_affine(model, signs);
  network.skip = left.leftCols(inputs);
  network.offset = left.col(inputs);
  return network;
}

SolveOutcome refine_in_relu_form(const SampleSource& source, SignFreeModel model, const std::vector<int>& signs,
                                 Index max_iterations, const Control& control) {
  SolveOutcome outcome;
  model.affine = tied_affine(model, signs);
  outcome.model = model;
  const double variance = label_variance(source, control);
  outcome.cost = variance * relative_cost(source, model, Loss{}, variance, control);
  double damping = 1e-9;
  while (outcome.iterations < max_iterations) {
    ++outcome.iterations;
    const auto sums = reduce(source, NormalSum(outcome.model, Loss{}), control);
    const Matrix map = tie_map(outcome.model, signs);
    Matrix gram = map.transpose() * full_gram(sums) * map;
    gram.diagonal() *= 1 + damping;  // holds the scale that theta and output share
    gram.diagonal().array() += 1e-300;
    const Vector gradient = map.transpose() * flatten(sums.first_order.gradient) / static_cast<double>(sums.first_order.samples);
    const Vector free_step = gram.ldlt().solve(gradient);
    SignFreeModel trial = outcome.model;
    trial.add(1, unflatten(map * free_step, outcome.model));
    trial.affine = tied_affine(trial, signs);
    const double cost = variance * relative_cost(source, trial, Loss{}, variance, control);
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
