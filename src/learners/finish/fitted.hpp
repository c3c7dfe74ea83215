#pragma once
// A candidate on its way to an answer: the model as it is fitted so far, what it leaves of the labels, and what the samples determine.

#include <optional>

#include "learners/finish/polish_data.hpp"
#include "relucover/learn.hpp"
#include "solve/levenberg_marquardt.hpp"
#include "solve/sums.hpp"
#include "solve/uncertainty.hpp"
#include "verify/label_grid.hpp"

namespace relucover {

class Fitted {
 public:
  /// Below this relative squared residual labels carry at most float64 rounding.
  static constexpr double noise_free_cost = 1e-20;

  Fitted(const SampleSource& source, SignFreeModel model, const Control& control);

  const SampleSource& samples() const { return source_; }
  /// Of these: rows to polish on where few are enough, and rows that polishing has not seen.
  const SampleSource& few() const { return *data_.fit; }
  const SampleSource& held_out() const { return *data_.judge; }
  const Control& control() const { return control_; }
  const SignFreeModel& model() const { return model_; }
  double variance() const { return variance_; }
  const LabelGrid& grid();
  bool noise_free() const { return noise_free_; }
  double relative_cost() const { return relative_cost_; }
  /// What the samples determine; empty: too many unknowns to say it so.
  const std::optional<Uncertainty>& known() const { return known_; }
  /// Units of a noise-free fit that no sample needed.
  Index not_needed() const { return not_needed_; }

  void polish(Result& result);
  void fit_all_samples(Result& result);
  void measure_uncertainty(Result& result);

  SolveOutcome solve(const SampleSource& data, SignFreeModel start, Index iterations, double decrease) const;
  /// The best that one unit fewer can do: the one that matters least dropped, or the two most alike made one.
  SolveOutcome with_one_unit_fewer(Index iterations, double decrease) const;
  /// Units equal to others or without effect on the rows that were polished on, gone.
  SignFreeModel without_idle_units() const;
  double cost_held_out(const SignFreeModel& model) const;
  double cost_of_all(const SignFreeModel& model) const;

  void take(SignFreeModel model) { model_ = std::move(model); }
  void take(SignFreeModel model, Uncertainty known);
  void take(SolveOutcome solved, Result& result);
  void has_cost(double relative_cost) { relative_cost_ = relative_cost; }

  /// Standard deviation of the labels' noise.
  double sigma() const;
  /// By how much χ² is larger with this residual.
  double increase_to(double cost) const;
  double worst_unit_error() const;
  bool well_known() const { return known_->determined && (model_.units() == 0 || known_->unit_error.maxCoeff() < 1e6); }
  bool all_known() const;
  bool labels_are_float32() { return grid().float32 && !grid().rounded(); }

 private:
  const SampleSource& source_;
  const Control& control_;
  SignFreeModel model_;
  double variance_ = 1;
  PolishData data_;
  AffineSum sums_;  // of data_.fit
  Matrix moment_;   // of the inputs: damps and preconditions
  bool noise_free_ = false;
  double relative_cost_ = 0;
  std::optional<Uncertainty> known_;
  std::optional<LabelGrid> grid_;
  Index not_needed_ = 0;
};

}  // namespace relucover
