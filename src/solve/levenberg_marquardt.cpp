#include "solve/levenberg_marquardt.hpp"

#include <algorithm>
#include <cmath>

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
  void merge(const LabelSum& other) {
    sum += other.sum;
    squares += other.squares;
    samples += other.samples;
  }
};

double mean_cost(const SampleSource& source, const SignFreeModel& model, const Loss& loss, const Control& control) {
  const auto sums = reduce(source, ResidualSum{&model, loss}, control);
  return sums.cost / static_cast<double>(std::max<Index>(sums.samples, 1));
}

// Damping by the gain ratio: looser after steps that did what they promised (with the cost itself, which keeps the last
// steps quadratic), tighter after the others. Below the rounding of the Gram matrix damping means nothing.
double damping_after(double gain, double cost_ratio, double damping, GramPrecision precision) {
  const double least = precision == GramPrecision::float32 ? 1e-7 : 1e-13;
  if (gain > 0.6) return std::max(damping * std::min(0.2, cost_ratio), least);
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

double relative_cost(const SampleSource& source, const SignFreeModel& model, const Loss& loss, double variance,
                     const Control& control) {
  return mean_cost(source, model, loss, control) / variance;
}

SolveOutcome levenberg_marquardt(const SampleSource& source, SignFreeModel start, const SolverOptions& options,
                                 const Control& control) {
  const SingleThreadedBlas single_threaded;
  const double variance = options.label_variance > 0 ? options.label_variance : label_variance(source, control);
  LinearisationOptions linearisation;
  linearisation.form = options.form;
  linearisation.loss = options.loss;
  linearisation.precision = options.precision;
  linearisation.max_inner_iterations = options.max_inner_iterations;
  linearisation.second_moment =
      options.second_moment.size() > 0 ? options.second_moment : second_moment(source, options.loss.bias, control);

  SolveOutcome outcome;
  outcome.model = std::move(start);
  balance(outcome.model);
  double damping = options.initial_damping;
  int rejections = 0;
  auto linear = linearise(source, outcome.model, linearisation, control);
  outcome.cost = linear->cost();
  while (outcome.iterations < options.max_iterations && outcome.cost / variance > options.relative_cost) {
    ++outcome.iterations;
    const double tolerance = outcome.cost / variance > 1e-4 ? options.loose : options.tight;
    const Step step = linear->step(damping, tolerance, control);
    SignFreeModel trial = outcome.model;
    double cost = std::numeric_limits<double>::infinity();
    if (step.solved) {
      trial.add(1, step.delta);
      cost = mean_cost(source, trial, options.loss, control);
    }
    if (!(cost < outcome.cost)) {
      if (outcome.cost / variance < precise_below) linearisation.product_precision = GramPrecision::float64;
      damping = std::max(damping * 5, 1e-6);
      if (++rejections > most_rejections) {
        outcome.converged = true;
        break;
      }
      continue;
    }
    rejections = 0;
    const double gain = (outcome.cost - cost) / std::max(step.predicted, 1e-300);
    const double decrease = (outcome.cost - cost) / outcome.cost;
    damping = damping_after(gain, cost / outcome.cost, damping, options.precision);
    outcome.model = std::move(trial);
    if (outcome.model.output_is_free()) balance(outcome.model);
    outcome.cost = cost;
    outcome.history.push_back(cost / variance);
    if (decrease < options.relative_decrease && gain > 0.2) {
      outcome.converged = true;
      break;
    }
    if (outcome.iterations < options.max_iterations && cost / variance > options.relative_cost)
      linear = linearise(source, outcome.model, linearisation, control);
  }
  outcome.relative_cost = outcome.cost / variance;
  outcome.converged |= outcome.relative_cost <= options.relative_cost;
  return outcome;
}

}  // namespace relucover
