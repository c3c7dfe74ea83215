#pragma once
// An activation that is 0 for t <= 0, as functions: ReLU unless others are given.
#include <functional>

#include "relucover/types.hpp"

namespace relucover {

struct Rectifier {
  /// f(t) for t > 0 and its derivative; empty: ReLU.
  std::function<double(double)> value, slope;
  /// f(c t) = c^p f(t): the length of w is free, and 1.
  bool homogeneous = true;

  bool is_relu() const { return !value; }
  Matrix values(const Matrix& t) const {
    if (is_relu()) return t.cwiseMax(0);
    return t.unaryExpr([this](double v) { return v > 0 ? value(v) : 0.0; });
  }
  Matrix slopes(const Matrix& t) const {
    if (is_relu()) return (t.array() > 0).cast<double>();
    return t.unaryExpr([this](double v) { return v > 0 ? slope(v) : 0.0; });
  }
};

}  // namespace relucover
