#pragma once
// From the sign-free form back to ReLUs, once the signs are known, and least squares within that form.
#include "relucover/network.hpp"
#include "solve/levenberg_marquardt.hpp"

namespace relucover {

/// What is left of the affine part when unit i is written as 2 output_i relu(sign_i theta_i·x~): skip and offset.
Matrix leftover_affine(const SignFreeModel& model, const std::vector<int>& signs);

/// The network with the given signs (±1 per unit); |w| = 1; skip and offset are what is left over.
Network relu_network(const SignFreeModel& model, const std::vector<int>& signs);

/// Derivatives when the affine part is tied to the units by known signs: of all parameters (in the order of full_gram) by
/// those of theta and output.
class Tie {
 public:
  Tie(const SignFreeModel& model, const std::vector<int>& signs);
  /// map^T gram map, and map^T vector.
  Matrix gram(const Matrix& full) const;
  Vector gradient(const Vector& full) const;
  /// All parameters' change for a change of the free ones.
  Vector all(const Vector& free) const;

 private:
  Matrix affine_;  // derivative of the affine part: the map is the identity on top of it
};

/// Gauss-Newton with the affine part tied to the units, affine = sum_i sign_i output_i theta_i: a network without skip
/// and offset has fewer unknowns than its sign-free form, so with noisy labels this is the better estimate.
SolveOutcome refine_in_relu_form(const SampleSource& source, SignFreeModel model, const std::vector<int>& signs, Index max_iterations,
                                 const Control& control);

}  // namespace relucover
