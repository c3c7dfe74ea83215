#pragma once
// Outputs that share their units: what a change of these can do for one output it does for the others too.
#include "core/random.hpp"
#include "relucover/types.hpp"
#include "verify/leftover/rough_basis.hpp"

namespace relucover {

/// An answer Σ_k outputs_k relu(forms_k·z~) + an affine part.
struct SharedUnits {
  const Matrix& tangent;  // {z~, 1[t_k > 0] z~}, a block each
  const Matrix& forms;    // of the units, a row each
  const Matrix& outputs;  // outputs by units
};

/// Chance of so much in the residual that the answer's functions explain only where each output may have units of its own, which the other
/// tests take for granted and look beyond. `basis` spans the tangent. Two ways to look: at all of it, and at the most that one and the same
/// function explains, which is what a missing unit leaves.
double units_not_shared(const SharedUnits& answer, const Matrix& residual, const RoughBasis& basis, RandomStream& random);

}  // namespace relucover
