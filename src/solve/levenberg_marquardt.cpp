#include "solve/levenberg_marquardt.hpp"

#include <algorithm>
#include <cmath>

#include "core/blas.hpp"
#include "core/kept.hpp"
#include "reduce/reduce.hpp"

namespace relucover {

namespace {

struct LabelSum {
  using Scalar = double;
  Eigen::RowVectorXd sum, squares;
  Index samples = 0;
  void add(const Block<double>& block) {
    sum += block.y.colwise().sum();
    squares += block.y.colwise().squaredNorm();
    samples += block.rows();
  }
  void fields(auto& visit) { visit(sum, squares, samples); }
};

double mean_cost_of(const SampleSource& source, const SignFreeModel& model, const Loss& loss, const Control& control) {
  const auto sums = reduce(source, ResidualSum{&model, loss}, control);
  return sums.cost / static_cast<double>(std::max<Index>(sums.samples, 1));
}

// Damping by the gain ratio: looser after steps that did what they promised (with the cost itself, which keeps the last
// steps quadratic), tighter after the others. Below the rounding of the Gram matrix damping means nothing.
// As long as the residual is large, less damping than a part of it makes steps dearer, not better; in proportion to the
// residual it leaves the convergence quadratic.
double damping_after(double gain, double cost_ratio, double damping, double relative_cost, GramPrecision precision) {
  const double least = std::max(0.03 * std::sqrt(relative_cost), precision == GramPrecision::float32 ? 1e-7 : 1e-13);
  if (gain > 0.6) return std::max(damping * std::min(0.2, cost_ratio), least);
  if (gain < 0.1) return damping * 10;
  return gain < 0.25 ? damping * 3 : damping;
}

constexpr int most_rejections = 8;
// A step that fails this near to the answer may have failed for want of digits.
constexpr double precise_below = 1e-12;

}  // namespace

double label_variance(const SampleSource& source, const Control& control) {
  LabelSum empty{Eigen::RowVectorXd::Zero(source.outputs()), Eigen::RowVectorXd::Zero(source.outputs())};
  const auto sums = reduce(source, empty, control);
  const double samples = static_cast<double>(std::max<Index>(sums.samples, 1));
  const double variance = (sums.squares / samples - (sums.sum / samples).cwiseAbs2()).sum();
  return variance > 0 ? variance : 1;
}

double relative_cost(const SampleSource& source, const SignFreeModel& model, const Loss& loss, double variance, const Control& control) {
  return mean_cost_of(source, model, loss, control) / variance;
}

namespace {

/// All that the next iteration depends on.
struct Iterate {
  SolveOutcome outcome;
  double damping = 0;
  double tolerance = 0;  // of the inner solution, far from the answer
  int rejections = 0;
  GramPrecision product_precision = GramPrecision::float32;
  bool finished = false;
  void fields(auto& visit) { visit(outcome, damping, tolerance, rejections, product_precision, finished); }
};

constexpr double far = 1e-4;  // relative cost

/// How precisely to solve for a step. Far from the answer the linear model is not worth more than a loose one; near it every digit
/// counts, except those that the damping takes away and those beyond the cost asked for.
double inner_tolerance(const Iterate& at, const SolverOptions& options, double variance) {
  const double cost = at.outcome.cost / variance;
  if (cost > far) return at.tolerance;
  return std::clamp(std::max(at.damping, 0.1 * std::sqrt(options.relative_cost / cost)), options.tight, options.loose);
}

/// Precise steps of many units on few inputs, which are nearly dependent, take all the iterations there are.
Index expected_inner_iterations(const Iterate& at, const SolverOptions& options, double variance) {
  constexpr Index units_to_an_input = 4;
  const SignFreeModel& model = at.outcome.model;
  const bool crowded = model.units() >= units_to_an_input * model.inputs() && at.outcome.cost / variance < far;
  return crowded ? std::max(LinearisationOptions::usual_inner_iterations, options.max_inner_iterations)
                 : LinearisationOptions::usual_inner_iterations;
}

/// Steps that gain little, but more than the linear model promises, were not solved well enough; where it promises too much, they
/// were solved too well.
double tolerance_after(double gain, double decrease, double tolerance, double loose) {
  if (gain > 0.95 && decrease < 0.6) return std::max(tolerance / 3, loose / 30);
  return gain < 0.5 ? std::min(tolerance * 3, loose) : tolerance;
}

/// One step from the iterate along its linearisation. True if the step was taken: then the linearisation is outdated.
bool improve(const SampleSource& source, const Linearisation& linear, const SolverOptions& options, double variance, const Control& control,
             Iterate& at) {
  SolveOutcome& outcome = at.outcome;
  ++outcome.iterations;
  const Step step = linear.step(at.damping, inner_tolerance(at, options, variance), control);
  SignFreeModel trial = outcome.model;
  double cost = std::numeric_limits<double>::infinity();
  if (step.solved) {
    trial.add(1, step.delta);
    cost = mean_cost_of(source, trial, options.loss, control);
  }
  if (!(cost < outcome.cost)) {
    if (outcome.cost / variance < precise_below) at.product_precision = GramPrecision::float64;
    at.damping = std::max(at.damping * 5, 1e-6);
    at.tolerance = options.loose;
    at.finished = ++at.rejections > most_rejections;
    outcome.converged |= at.finished;
    return false;
  }
  at.rejections = 0;
  const double gain = (outcome.cost - cost) / std::max(step.predicted, 1e-300);
  const double decrease = (outcome.cost - cost) / outcome.cost;
  at.tolerance = tolerance_after(gain, decrease, at.tolerance, options.loose);
  at.damping = damping_after(gain, cost / outcome.cost, at.damping, cost / variance, options.precision);
  outcome.model = std::move(trial);
  if (outcome.model.output_is_free()) balance(outcome.model);
  outcome.cost = cost;
  outcome.history.push_back(cost / variance);
  at.finished = outcome.converged = decrease < options.relative_decrease && gain > 0.2;
  return true;
}

}  // namespace

SolveOutcome levenberg_marquardt(const SampleSource& source, SignFreeModel start, const SolverOptions& options, const Control& control) {
  const SingleThreadedBlas single_threaded;
  const double variance = options.label_variance > 0 ? options.label_variance : label_variance(source, control);
  LinearisationOptions linearisation;
  linearisation.form = options.form;
  linearisation.loss = options.loss;
  linearisation.precision = options.precision;
  linearisation.max_inner_iterations = options.max_inner_iterations;
  linearisation.second_moment =
      options.second_moment.size() > 0 ? options.second_moment : second_moment(source, options.loss.bias, control);
  linearisation.moment_inverse = inverse_of_moment(linearisation.second_moment);

  const Kept<Iterate> keeper(control);
  std::unique_ptr<Linearisation> linear;
  const auto linearise_at = [&](const Iterate& at) {
    linearisation.product_precision = at.product_precision;
    linearisation.expected_inner_iterations = expected_inner_iterations(at, options, variance);
    linear = linearise(source, at.outcome.model, linearisation, control);
  };
  Iterate at;
  if (!keeper.restore(at)) {
    at.outcome.model = std::move(start);
    balance(at.outcome.model);
    at.damping = options.initial_damping;
    at.tolerance = options.loose;
    at.outcome.cost = mean_cost_of(source, at.outcome.model, options.loss, control);
  }
  SolveOutcome& outcome = at.outcome;
  const auto more = [&] {
    return !at.finished && outcome.iterations < options.max_iterations && outcome.cost / variance > options.relative_cost;
  };
  while (more()) {
    if (!linear) linearise_at(at);
    if (improve(source, *linear, options, variance, control, at)) linear.reset();
    linearisation.product_precision = at.product_precision;
    keeper.keep(at);
  }
  outcome.relative_cost = outcome.cost / variance;
  outcome.converged |= outcome.relative_cost <= options.relative_cost;
  return outcome;
}

}  // namespace relucover
