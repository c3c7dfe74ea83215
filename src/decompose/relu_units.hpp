#pragma once
// Scalars and signs of ReLU units whose directions are known up to sign, from Hermite moments.
#include <vector>

#include "moments/moment_source.hpp"
#include "relucover/types.hpp"

namespace relucover {

/// Units Σ a_i relu(w_i·x + b_i), |w_i| = 1; each (w_i, b_i) perhaps up to a common sign.
struct ReluUnits {
  Matrix w;  // one row each
  Vector b, a;
  Index count() const { return w.rows(); }
};

/// ζ with Σ ζ_i w_i^{⊗k} nearest to the tensor.
Vector weights_of_powers(const SymmetricTensor& tensor, const Matrix& directions);

/// Biases and output weights (ATV Algorithm 2, with its indices put right): ℓ = 1 and 2 use T_2 and T_3, larger ℓ the
/// orders ℓ to ℓ + 3.
ReluUnits recover_scalars(const HermiteMoments& moments, const Matrix& directions, Index tuple_order);

enum class SignRule {
  printed,  // sign(z): ATV Algorithm 3
  margin,   // z > Φ(b) - 1/2: the two possible values of z differ by 1, so the middle is the best threshold
};
/// Turns units of independent directions the right way round by Σ z_i a_i w_i = T_1.
ReluUnits fix_signs(ReluUnits units, const Vector& first_moment, SignRule rule);

/// Σ_k |T_k - T̂_k|²/k! over the orders given: the part of the risk E(f - f̂)² that these orders see (ATV Prop. B.1).
double moment_risk(const HermiteMoments& moments, const ReluUnits& units, Index first_order, Index last_order);

/// Newton-like least squares on (a, b, w) to match T_first..T_last: the last digits of a start from exact moments.
ReluUnits refine_on_moments(const HermiteMoments& moments, ReluUnits units, Index first_order, Index last_order, Index max_steps,
                            const Control& control);

}  // namespace relucover
