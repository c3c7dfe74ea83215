#pragma once
// Probabilists' Hermite polynomials and the Hermite coefficients of a ReLU with bias.
#include <cmath>
#include <numbers>

#include "relucover/types.hpp"

namespace relucover {

/// k!
inline double factorial(Index k) { return std::tgamma(static_cast<double>(k) + 1); }

/// He_k(x): He_{r+1} = x He_r - r He_{r-1}.
inline double hermite(Index order, double x) {
  double before = 1, value = x;
  if (order == 0) return before;
  for (Index r = 1; r < order; ++r) {
    const double next = x * value - static_cast<double>(r) * before;
    before = value;
    value = next;
  }
  return value;
}

inline double normal_density(double x) { return std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi); }
inline double normal_distribution(double x) { return std::erfc(-x / std::numbers::sqrt2) / 2; }

/// E[relu(z + b) He_k(z)] for a standard normal z: the weight of w^{⊗k} in T_k.
inline double relu_hermite_coefficient(Index order, double bias) {
  if (order == 0) return bias * normal_distribution(bias) + normal_density(bias);  // ATV (3)
  if (order == 1) return normal_distribution(bias);                                // ATV (3)
  return (order % 2 ? -1 : 1) * hermite(order - 2, bias) * normal_density(bias);   // ATV (4)
}

}  // namespace relucover
