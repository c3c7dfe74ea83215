#pragma once
// Sign-free Levenberg-Marquardt. Near the truth the signs are right, the model is linear in the parameters and one step
// lands on the answer; far away the damping, steered by the gain ratio, keeps steps where the linear model holds.
#include "relucover/progress.hpp"
#include "relucover/samples.hpp"
#include "solve/normal_equations.hpp"

namespace relucover {

struct SolverOptions {
  Index max_iterations = 60;
  /// Stop when (cost - next cost) / cost falls below this on a good step.
  double relative_decrease = 1e-4;
  /// Stop when cost / label variance falls below this.
  double relative_cost = 1e-29;
  double initial_damping = 1e-2;
  /// Inner tolerance of conjugate gradients: far from the answer (relative cost > 1e-4), and the least near it.
  double loose = 3e-2, tight = 1e-5;
  Index max_inner_iterations = 60;
  LinearisationOptions::Form form = LinearisationOptions::Form::automatic;
  GramPrecision precision = GramPrecision::float64;
  Loss loss;
  /// Summed variance of the labels: what costs are relative to. 0: measured.
  double label_variance = 0;
  /// Mean of x~ x~^T; empty: measured.
  Matrix second_moment;
};

struct SolveOutcome {
  SignFreeModel model;
  double cost = 0;           // mean squared residual per sample, summed over outputs (or the robust loss)
  double relative_cost = 1;  // over the label variance
  Index iterations = 0;
  bool converged = false;       // a stopping rule held; false: iterations ran out
  std::vector<double> history;  // relative cost after each accepted step
  void fields(auto& visit) { visit(model, cost, relative_cost, iterations, converged, history); }
};

SolveOutcome levenberg_marquardt(const SampleSource& source, SignFreeModel start, const SolverOptions& options, const Control& control);

/// Variance of the labels summed over outputs.
double label_variance(const SampleSource& source, const Control& control);

/// Mean squared residual per sample divided by `variance`.
double relative_cost(const SampleSource& source, const SignFreeModel& model, const Loss& loss, double variance, const Control& control);

}  // namespace relucover
