#pragma once
// Alternating least squares for symmetric slices S_k = A diag(c_k) Aᵀ, k = 1..n.
#include <vector>

#include "core/random.hpp"
#include "relucover/progress.hpp"

namespace relucover {

struct AlternatingOptions {
  Index max_iterations = 2000;
  /// Stops where the squared residual relative to the slices' falls below this, ...
  double fits = 1e-28;
  /// ... or by less than this part over `patience` iterations.
  double relative_decrease = 1e-4;
  Index patience = 50;
};

struct AlternatingFit {
  Matrix vectors;       // columns of A, unit length
  double residual = 1;  // squared, relative
  Index iterations = 0;
};

/// Slices that share one decomposition, in coordinates where their rows and they themselves are orthonormal: factors that are
/// nearly collinear in the slices as they stand, where alternating least squares crawls, are nearly orthogonal there.
class BalancedSlices {
 public:
  /// Symmetric r by r matrices; directions below `negligible` of the largest are cut off.
  BalancedSlices(const std::vector<Matrix>& slices, double negligible);
  /// From a random start; as many vectors as the slices have rows.
  AlternatingFit alternate(RandomStream& random, const AlternatingOptions& options, const Control& control) const;
  Index size() const { return back_.cols(); }

 private:
  Matrix core_;  // rows (of the slice) by (slices side by side)
  Matrix back_;  // coordinates of the slices as given from those of the core
  Index count_ = 0;
};

}  // namespace relucover
