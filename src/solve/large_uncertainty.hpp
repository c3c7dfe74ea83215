#pragma once
// What the data determine of a model too large to form its Gram matrix G: a bound on the least eigenvalue of G, relative to its
// Kronecker approximation P = C ⊗ E[x~ x~^T] (solve/preconditioner.hpp), by Lanczos' method with products alone.
#include <string>

#include "relucover/progress.hpp"
#include "relucover/samples.hpp"
#include "solve/sign_free.hpp"

namespace relucover {

struct LargeUncertainty {
  bool determined = false;
  /// Least and largest eigenvalue of G relative to P as far as they were found; `bound`: what the least can't be below.
  double least = 0, largest = 0, bound = 0;
  /// Bound on the standard error of each unit relative to its size, for noise of standard deviation 1 in the labels: G^{-1} is at most
  /// P^{-1} / bound.
  Vector unit_error;
  Index products = 0;  // with the data
  bool single_precision = false;
};

/// `second_moment`: mean of x~ x~^T over the samples. The start of Lanczos' method is random: the bound misses with a chance below 1e-6,
/// or the least eigenvalue has converged, and then a smaller one, further from all others, would have done so before it.
LargeUncertainty large_uncertainty(const SampleSource& source, const SignFreeModel& model, const Matrix& second_moment,
                                   const Control& control);

}  // namespace relucover
