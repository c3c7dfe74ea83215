#pragma once
// y = A f(W x) without label noise for a rectified activation: f(t) = 0 for t <= 0, increasing for t > 0, with known inverse
// (BJW section 1, "rectified activations"). The zero conditions of the exact step do not see f; f⁻¹ then gives w·x.
#include <functional>

#include "relucover/network.hpp"
#include "relucover/progress.hpp"
#include "relucover/samples.hpp"

namespace relucover {

struct RectifiedActivation {
  std::function<double(double)> value;    // for t > 0
  std::function<double(double)> inverse;  // of value
  /// d inverse / d value, wanted where the activation is not homogeneous.
  std::function<double(double)> inverse_slope;
  /// f(c t) = c^p f(t): the scale of w is free.
  bool homogeneous = true;
};
/// Of relu, relu2, relu3 and expm1; throws std::invalid_argument for others.
RectifiedActivation rectified(Activation activation);

struct RectifiedRecovery {
  Matrix W;  // rows; unit vectors if homogeneous
  Matrix A;
  std::string problem;
  Vector zero_ratios;  // least over largest singular value of each unit's zero conditions: rounding where exact
  double misfit = 1;   // ‖y - A f(W x)‖ / ‖y‖ on samples kept apart
};
struct RectifiedOptions {
  Index samples = 20000;     // at most
  double zero_share = 0.25;  // of samples, those with the most negative v·x, taken as zeros
  Index max_rounds = 8;
};
/// `directions`: close rows, up to sign; `compress`: outputs by units.
RectifiedRecovery recover_rectified(const SampleSource& source, const Matrix& compress, const Matrix& directions,
                                    const RectifiedActivation& activation, const Control& control, const RectifiedOptions& options = {});

}  // namespace relucover
