#pragma once
// From close weights to the weights, without label noise: on S = {w·x > 0} a pure neuron q·y equals w·x, elsewhere it is 0.
// So (q, w) is the null vector of [y, -x 1_S] over all samples; solve, refresh S, repeat (BJW Algorithm 3 steps 5 to 8, in
// the form of MATH section 4).
#include "relucover/network.hpp"
#include "relucover/progress.hpp"
#include "relucover/samples.hpp"

namespace relucover {

struct ExactStepOptions {
  Index max_iterations = 30;
  /// Stop when no weight vector moves by more than this.
  double tolerance = 1e-14;
};

struct ExactStep {
  Matrix W;            // unit rows
  Vector null_values;  // least eigenvalue of each unit's normalised Gram matrix: 0 (rounding) where the step is exact
  Index iterations = 0;
};

/// `compress` (outputs by units) maps labels to as many values as there are units.
ExactStep exact_step(const SampleSource& source, const Matrix& compress, Matrix W, const Control& control,
                     const ExactStepOptions& options = {});

}  // namespace relucover
