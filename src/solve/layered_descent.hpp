#pragma once
// Levenberg-Marquardt for layered models. Labels have variance 1 (summed over outputs), so that costs are relative.
#include <functional>

#include "relucover/progress.hpp"
#include "relucover/samples.hpp"
#include "solve/layered.hpp"

namespace relucover {

/// A model on its way, and all that its next step depends on.
struct Descent {
  LayeredModel model;
  double cost = 0;  // mean squared residual, summed over outputs
  double damping = 1e-4;
  Index steps = 0;
  Index slow = 0;  // steps in a row that gained little
  bool finished = false;
  template <class Visit>
  void fields(Visit& visit) {
    visit(model, cost, damping, steps, slow, finished);
  }
};

double mean_cost(const LayeredModel& model, const SampleSource& samples, const Control& control);

/// One step that lowers the cost, the damping raised up to `tries` times for it. False: there is none.
/// (J^T J + damping D) delta = J^T r with D the diagonal of J^T J, at least `least_diagonal` of its mean.
bool descend_once(Descent& at, const SampleSource& samples, int tries, const Control& control);

struct DescentOptions {
  Index most_steps = 100;
  double damping = 1e-4;
  /// Stops after `patience` steps in a row with (cost - next) / cost below this.
  double slow = 2e-3;
  Index patience = 3;
  double goal = 1e-27;
};
/// Steps on one set of samples.
Descent descend(LayeredModel start, const SampleSource& samples, const DescentOptions& options, const Control& control);

struct RotationOptions {
  Index most_batches = 300;
  Index steps_per_batch = 3;
  double damping = 1e-2;
  /// Stops when a batch not seen before has this cost, or the least of the last `stall` batches is no better than before.
  double goal = 1e-7;
  Index stall = 20;
  /// Within a batch: fitted.
  double exact = 1e-20;
  /// Told the model and its cost on every batch before it is fitted.
  std::function<void(const LayeredModel&, double)> told;
};
/// Steps on a fresh batch every few steps, so that the search never fits a batch alone. `batch(i)` draws batch i. The cost is that
/// of the last batch before it was fitted.
Descent descend_on_batches(LayeredModel start, const std::function<MemorySource<double>(Index)>& batch, const RotationOptions& options,
                           const Control& control);

/// Least squares for the output weights alone, with `ridge` times the diagonal added.
void refit_output(LayeredModel& model, const SampleSource& samples, double ridge, const Control& control);

}  // namespace relucover
