#pragma once
// Second step for ReLU units. Where all other units are at rest f depends on one unit alone:
// f = rest + q_i(w_i.x - t_i) with q_i a polynomial (degree 1: f = rest + c_i (w_i.x - t_i) exactly).
#include <vector>

#include "learners/threshold/labels.hpp"
#include "relucover/progress.hpp"
#include "relucover/types.hpp"

namespace relucover {

struct CellRegressionOptions {
  /// Degree of P in one variable.
  int degree = 1;
  /// The other units count as at rest below -margin; margins shrink as the directions get better.
  std::vector<double> margins = {0.5, 0.35, 0.25, 0.2, 0.15};
  /// Reweighted least squares: the first half of the rounds minimises |residual|, the second trims outliers.
  int rounds = 30;
  Index most_per_unit = 20'000;
  /// Labels carry noise: cells are predicted (w_i.x - t_i > margin), not seen in the labels.
  bool noisy = false;
  Index begin = 0, end = -1;
};

struct CellFit {
  Matrix W;
  Vector t;
  /// Slope c_i of f at the threshold: the linear coefficient of P.
  Vector slope;
  /// q_i: coefficients of (w_i.x - t_i)^k, k = 0..degree; the constant is zero at the threshold.
  Matrix curve;
  /// Standard error of the direction that the residual predicts; only for degree 1.
  Vector direction_error;
  /// Root mean square of the residuals that were not trimmed.
  Vector residual_rms;
  std::vector<Index> cell_samples;
  /// Median |residual| over the cell, relative to the median |label| and as it is.
  Vector residual, residual_median;
  /// Units whose cell had too few samples keep their start.
  std::vector<Index> skipped;
};

CellFit cell_regression(const SampleSource& source, const LabelView& view, const Matrix& W, const Vector& t,
                        const CellRegressionOptions& options, const Control& control);

}  // namespace relucover
