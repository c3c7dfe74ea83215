#pragma once
// Minimises a smooth function by a trust region with truncated conjugate gradients (Steihaug), which leaves saddle points
// along directions of negative curvature.
#include <functional>

#include "relucover/progress.hpp"
#include "relucover/types.hpp"

namespace relucover {

struct SmoothFunction {
  /// Value, and gradient where the pointer is not null.
  std::function<double(const Vector& point, Vector* gradient)> value;
  /// Hessian at `point` times `direction`.
  std::function<Vector(const Vector& point, const Vector& direction)> hessian_times;
};

struct TrustRegionOptions {
  Index max_iterations = 500;
  double first_radius = 0.5, largest_radius = 10;
  /// Stops when |gradient| <= gradient_tolerance * (1 + |value|).
  double gradient_tolerance = 1e-10;
  /// Gives up beyond this |point|: the function is unbounded below.
  double escape_norm = 1e3;
};

struct TrustRegionResult {
  Vector point;
  double value = 0;
  Index iterations = 0;
  bool converged = false;
  bool escaped = false;
};
TrustRegionResult trust_region_minimise(const SmoothFunction& function, Vector start, const TrustRegionOptions& options,
                                        const Control& control);

}  // namespace relucover
