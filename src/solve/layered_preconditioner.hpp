#pragma once
// What makes conjugate gradients on J^T J of a layered model short. The entry for weight a of unit i and weight b of unit j is
// E[g_i g_j z_a z_b], g the derivative by the unit's sum and z the features. Were slopes and features independent it would be
// E[g_i g_j] E[z_a z_b]: a Kronecker product C ⊗ S, but each unit sees only the features below it. In the sign-free form these are
// nested: the Cholesky factor L of S orthogonalises the features of every level by those before it, and what is left is C of the units
// that see a feature, level by level. (Plain: layer by layer.)
#include <vector>

#include "core/linear_algebra.hpp"
#include "solve/layered_jacobian.hpp"

namespace relucover {

/// `model` must outlive it.
class KroneckerPreconditioner {
 public:
  KroneckerPreconditioner(const LayeredModel& model, const LayeredMoments& moments);
  /// For J^T J with so much of its diagonal added.
  void damp(double damping);
  Vector inverse_times(const Vector& flat) const;

 private:
  /// Units [first_unit, first_unit + units) all see the features [first, first + count).
  struct Level {
    Index first_unit, units, first, count;
    Cholesky slopes;
  };
  const LayeredModel& model_;
  Matrix slopes_, features_;
  std::vector<Matrix> lower_;  // of each layer and the output: L of the features that it sees
  std::vector<Level> levels_;
};

}  // namespace relucover
