#pragma once
// Least-squares fit of the labels by polynomials of degree 2: y ~ offset + linear x + <quadratic, x xᵀ>.
// For inputs that are symmetric about 0 and y = A relu(W x) the linear part is A W / 2 (GKLW Lemma 1), with far less variance
// than the plain moment because the even part of y is fitted away. For Gaussian inputs the quadratic part is the second
// Hermite moment up to a factor (BJW, order 2).
#include "relucover/progress.hpp"
#include "relucover/samples.hpp"

namespace relucover {

struct QuadraticFit {
  Vector offset;     // outputs
  Matrix linear;     // outputs by inputs
  Matrix quadratic;  // outputs by packed pairs of inputs (symmetric_packing.hpp); empty if degree is 1
  int degree = 2;    // 1 where there are too few samples, or too many inputs, for all products
  Vector input_mean;
  Matrix input_second;   // E[x xᵀ]
  Matrix output_second;  // E[y yᵀ]
  Vector output_mean;
  double residual_variance = 0;  // mean over outputs
  Index samples = 0;
};

struct QuadraticFitOptions {
  /// Products of inputs are used when there are at least this many samples per coefficient of one output.
  double samples_per_coefficient = 1.1;
  /// And at most this many coefficients (their Gram matrix is stored).
  Index max_coefficients = 2500;
};

QuadraticFit fit_quadratic(const SampleSource& source, const Control& control, const QuadraticFitOptions& options = {});

}  // namespace relucover
