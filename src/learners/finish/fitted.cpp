#include "learners/finish/fitted.hpp"

#include <algorithm>
#include <cmath>

#include "learners/stage_clock.hpp"
#include "reduce/reduce.hpp"
#include "solve/merging.hpp"
#include "solve/pruning.hpp"
#include "verify/gate_parts.hpp"

namespace relucover {

Fitted::Fitted(const SampleSource& source, SignFreeModel model, const Control& control)
    : source_(source), control_(control), model_(std::move(model)), variance_(label_variance(source, control)),
      data_(polish_data(source, model_, control)), sums_(reduce(*data_.fit, AffineSum(source.inputs(), source.outputs(), Loss{}), control)),
      moment_(second_moment(sums_)) {}

const LabelGrid& Fitted::grid() {
  if (!grid_) grid_ = label_grid(source_, control_);
  return *grid_;
}

SolveOutcome Fitted::solve(const SampleSource& data, SignFreeModel start, Index iterations, double decrease) const {
  SolverOptions solver;
  solver.label_variance = variance_;
  solver.initial_damping = 1e-7;
  solver.max_iterations = iterations;
  solver.relative_decrease = decrease;
  solver.max_inner_iterations = 300;
  solver.second_moment = moment_;
  solver.relative_cost = 1e-29;
  return levenberg_marquardt(data, std::move(start), solver, control_);
}

SolveOutcome Fitted::with_one_unit_fewer(Index iterations, double decrease) const {
  auto pruned = solve(source_, prune(source_, model_, model_.units() - 1, Loss{}, control_).model, iterations, decrease);
  if (pruned.relative_cost < noise_free_cost) return pruned;
  constexpr double alike = 0.9;
  auto merged = merge_closest_units(source_, model_, control_);
  if (merged.agreement < alike) return pruned;
  auto tried = solve(source_, std::move(merged.model), iterations, decrease);
  return tried.relative_cost < pruned.relative_cost ? tried : pruned;
}

SignFreeModel Fitted::without_idle_units() const {
  constexpr double nothing = 1e-11;
  return prune_while(*data_.fit, model_, nothing, Loss{}, control_, &sums_).model;
}

double Fitted::cost_held_out(const SignFreeModel& model) const {
  return relucover::relative_cost(*data_.judge, model, Loss{}, variance_, control_);
}

double Fitted::cost_of_all(const SignFreeModel& model) const {
  return relucover::relative_cost(source_, model, Loss{}, variance_, control_);
}

void Fitted::polish(Result& result) {
  const StageClock clock("polish");
  control_.progress("polish", 0);
  auto solved = solve(*data_.fit, model_, 25, 1e-4);
  model_ = std::move(solved.model);
  noise_free_ = cost_held_out(model_) < noise_free_cost;
  clock.file(result, solved.iterations, solved.relative_cost);
}

void Fitted::fit_all_samples(Result& result) {
  const StageClock clock("fit all samples");
  control_.progress("fit all samples", 0);
  auto solved = solve(source_, model_, 100, 1e-9);
  model_ = std::move(solved.model);
  clock.file(result, solved.iterations, solved.relative_cost);
  relative_cost_ = solved.relative_cost;
  noise_free_ = relative_cost_ < noise_free_cost && cost_held_out(model_) < noise_free_cost;
}

void Fitted::measure_uncertainty(Result& result) {
  if (model_.unknowns() > most_unknowns_for_uncertainty) return;
  if (noise_free_) {
    known_ = uncertainty(*data_.fit, model_, Loss{}, control_);
    if (well_known()) return;
    fit_all_samples(result);  // some unit is bent by so few samples that all are needed
  }
  known_ = uncertainty(source_, model_, Loss{}, control_);
  while (noise_free_ && !well_known() && model_.units() > 0) {
    auto smaller = with_one_unit_fewer(25, 1e-4);
    if (smaller.relative_cost >= noise_free_cost) return;
    ++not_needed_;
    model_ = std::move(smaller.model);
    known_ = uncertainty(source_, model_, Loss{}, control_);
  }
}

void Fitted::take(SignFreeModel model, Uncertainty known) {
  model_ = std::move(model);
  known_ = std::move(known);
}

void Fitted::take(SolveOutcome solved, Result& result) {
  model_ = std::move(solved.model);
  relative_cost_ = solved.relative_cost;
  measure_uncertainty(result);
}

double Fitted::sigma() const {
  const double equations = static_cast<double>(source_.samples() * source_.outputs());
  const double freedom = std::max(1.0, equations - static_cast<double>(model_.unknowns()));
  return std::sqrt(relative_cost_ * variance_ * static_cast<double>(source_.samples()) / freedom);
}

double Fitted::increase_to(double cost) const {
  const double noise = sigma();
  return std::max(0.0, (cost - relative_cost_) * variance_ * static_cast<double>(source_.samples())) / (noise * noise);
}

double Fitted::worst_unit_error() const {
  if (!known_ || !known_->determined) return std::numeric_limits<double>::infinity();
  return model_.units() == 0 ? 0 : sigma() * known_->unit_error.maxCoeff();
}

bool Fitted::all_known() const { return worst_unit_error() < noisy_claims::largest_unit_error; }

}  // namespace relucover
