#pragma once
// Probabilists' Hermite polynomials at a point, and means over N(0,1) by Gauss-Hermite quadrature.
#include "relucover/types.hpp"

namespace relucover {

/// He_order(x), by He_{r+1}(x) = x He_r(x) - r He_{r-1}(x).
double hermite_polynomial(int order, double x);

struct GaussHermite {
  Vector nodes, weights;
  explicit GaussHermite(Index points);
  template <class Function>
  double mean(Function&& f) const {
    double total = 0;
    for (Index i = 0; i < nodes.size(); ++i) total += weights[i] * f(nodes[i]);
    return total;
  }
};

}  // namespace relucover
