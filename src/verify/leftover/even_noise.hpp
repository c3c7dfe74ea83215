#pragma once
// Residuals over the noise of their rows, bounded, and taken for normal: where a few rows far out hold most of a feature (a cube, a
// product), flips of their signs tell nothing, and that these rows err so much at once does.
#include "verify/leftover/rough_basis.hpp"

namespace relucover {

constexpr double nearly_even_noise = 1.01;

struct EvenNoise {
  RoughVector weights;      // one over the noise of each row, in units of the least
  const RoughBasis& basis;  // the answer's tangent functions with these weights
  RoughMatrix residual;     // with these weights, of unit size, bounded, beyond the basis
  bool weighted;            // or all weights are one
  bool normal;              // no tails to speak of

  /// The largest sum of squared scores over all outputs, of features of unit size beyond the basis.
  double largest(const RoughMatrix& features) const;
};

/// `residual` is decorrelated over outputs, `noise` is expected of each row; `basis` spans the tangent functions over it, or where it is
/// nearly even the functions themselves, and must outlive what is returned.
EvenNoise even_noise(const Matrix& residual, const RoughBasis& basis, const Vector& noise);

}  // namespace relucover
