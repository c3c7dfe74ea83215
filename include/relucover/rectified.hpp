#pragma once
// y = A f(W x) for an activation of one's own: f(t) = 0 for t <= 0, increasing for t > 0 (BJW section 1). Gaussian inputs, any
// number of outputs, at most as many units as inputs, no biases.
#include <functional>
#include <limits>
#include <string>

#include "relucover/learn.hpp"

namespace relucover {

struct RectifiedFunction {
  std::function<double(double)> value, slope;  // for t > 0
  /// f(c t) = c^p f(t): the length of w is free, and 1.
  bool homogeneous = false;
  /// max(t, 0)^p, p > 0.
  static RectifiedFunction power(double p);
};

struct RectifiedResult {
  AnswerStatus status;
  std::string message = "nothing was learned";
  Matrix W, A;
  double residual_rms = 0;
  /// With `recovered`: the smallest further unit that the samples would have shown, relative to the smallest one found. NaN: not known.
  double detection_limit = std::numeric_limits<double>::quiet_NaN();
  RowMatrix predict(const Eigen::Ref<const RowMatrix>& x) const;
  RectifiedFunction function;
};

/// options.units = 0: as many as the quadratic part of the labels shows.
RectifiedResult learn_rectified(const SampleSource& source, const RectifiedFunction& function, const LearnOptions& options = {});

}  // namespace relucover
