#pragma once
// Levenberg-Marquardt steps of layered models: (J^T J + damping D) delta = J^T r, means over samples, D the diagonal of J^T J, at least
// a small share of its mean. Two forms behind one interface: dense (J^T J is formed once for all dampings) and matrix-free (conjugate
// gradients, two products with the Jacobian per iteration).
#include <memory>
#include <vector>

#include "relucover/progress.hpp"
#include "relucover/samples.hpp"
#include "solve/layered.hpp"

namespace relucover {

struct LayeredStep {
  /// Empty: the equations could not be solved. The solution is the last one; conjugate gradients came by those before it, which are
  /// shorter and no more trouble to try.
  std::vector<Vector> path;
  double predicted = 0;  // decrease of the cost that the linear model promises for the last one
  Index iterations = 0;  // of conjugate gradients
};

class LayeredLinearisation {
 public:
  virtual ~LayeredLinearisation() = default;
  virtual LayeredStep step(double damping, const Control& control) = 0;
};

struct LayeredLinearisationOptions {
  enum class Form { automatic, dense, matrix_free } form = Form::automatic;
  /// Of the products with samples; gradients are in double precision.
  bool single_precision = true;
  /// Conjugate gradients end where the residual, in the norm of the preconditioner, is this share of the first.
  double tolerance = 0.03;
  Index most_iterations = 80;
};

/// Whether a model of so many parameters is too large for many matrices of their square; steps form one up to 2500.
bool too_large_for_dense(Index parameters);

/// `model` and `samples` must outlive the linearisation.
std::unique_ptr<LayeredLinearisation> linearise(const LayeredModel& model, const SampleSource& samples,
                                                const LayeredLinearisationOptions& options, const Control& control);

}  // namespace relucover
