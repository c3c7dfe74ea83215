#pragma once
// Gaussian inputs, any covariance: E[y ⊗ He_2(z)] = Σ φ(b_j) A_j ⊗ v_j ⊗ v_j in whitened inputs z, which vanishes for no bias
// (BJW with order 2 in place of its order 3, which is zero for ReLU). One decomposition gives directions and outputs; the
// linear part Σ Φ(b_j) A_j ⊗ v_j then gives signs and biases. Works for 2 <= outputs < units too, as long as units <= inputs.
#include "moments/quadratic_fit.hpp"
#include "relucover/network.hpp"

namespace relucover {

struct TensorStart {
  Network network;  // without units if a stage failed
  std::string problem;
  /// Singular values of the slices side by side, relative to the largest: as many as units should stand apart.
  Vector slice_spectrum;
  /// ‖T_2 - Σ A_j v_j v_j‖² / ‖T_2‖².
  double tensor_residual = 0;
};

struct TensorOptions {
  /// Look for biases; without, b = 0.
  bool biases = true;
  Index pairs = 30;
  std::uint64_t seed = 0;
};

/// Rank of the slices of T_2 that stands above the noise of the fitted coefficients.
Index units_from_quadratic_part(const QuadraticFit& fit);

TensorStart order_two_start(const QuadraticFit& fit, Index units, const Control& control, const TensorOptions& options = {});

}  // namespace relucover
