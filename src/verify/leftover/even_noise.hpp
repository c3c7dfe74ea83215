#pragma once
// Residuals over the noise of their rows, bounded, and taken for normal: where a few rows far out hold most of a feature (a cube, a
// product), flips of their signs tell nothing, and that these rows err so much at once does.
#include "relucover/types.hpp"

namespace relucover {

struct EvenNoise {
  Vector weights;  // one over the noise of each row
  const Matrix& plain_basis;
  Matrix weighted_basis;  // the answer's tangent functions with these weights, where they differ
  Matrix residual;        // with these weights, of unit size, bounded, beyond the basis
  bool weighted;          // or all weights are one
  bool normal;            // no tails to speak of

  const Matrix& basis() const { return weighted ? weighted_basis : plain_basis; }
  /// The largest sum of squared scores over all outputs, of features of unit size beyond the basis.
  double largest(const Matrix& features) const;
};

/// `residual` is decorrelated over outputs, `basis` spans the tangent functions and must outlive what is returned, `noise` is expected of
/// each row.
EvenNoise even_noise(const Matrix& residual, const Matrix& basis, const Vector& noise);

}  // namespace relucover
