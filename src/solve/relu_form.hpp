#pragma once
// From the sign-free form back to ReLUs, once the signs are known, and least squares within that form.
#include "relucover/network.hpp"
#include "solve/levenberg_marquardt.hpp"

namespace relucover {

/// What is left of the affine part when unit i is written as 2 output_i relu(sign_i theta_i·x~): skip and offset.
Matrix leftover_affine(const SignFreeModel& model, const std::vector<int>& signs);

/// The network with the given signs (±1 per unit); |w| = 1; skip and offset are what is left over.
Network relu_network(const SignFreeModel& model, const std::vector<int>& signs);

/// Derivative of all parameters (in the order of full_gram) by those of theta and output when the affine part is tied.
Matrix tie_map(const SignFreeModel& model, const std::vector<int>& signs);

/// Gauss-Newton with the affine part tied to the units, affine = sum_i sign_i output_i theta_i: a network without skip
/// and offset has fewer unknowns than its sign-free form, so with noisy labels this is the better estimate.
SolveOutcome refine_in_relu_form(const SampleSource& source, SignFreeModel model, const std::vector<int>& signs,
                                 Index max_iterations, const Control& control);

}  // namespace relucover
