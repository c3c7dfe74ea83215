#pragma once
#include <cmath>
#include <stdexcept>

#include "relucover/network.hpp"

namespace relucover {

/// Applies the activation in place, with the choice outside the loop. `slope`: of leaky units.
template <class Derived>
void apply_in_place(Activation activation, Eigen::ArrayBase<Derived>& t, double slope = 0) {
  using Scalar = typename Derived::Scalar;
  switch (activation) {
    case Activation::relu: t = t.max(Scalar(0)); return;
    case Activation::relu2: t = t.max(Scalar(0)).square(); return;
    case Activation::relu3: t = t.max(Scalar(0)).cube(); return;
    case Activation::expm1: t = t.max(Scalar(0)).unaryExpr([](Scalar v) { return std::expm1(v); }); return;
    case Activation::step: t = (t > Scalar(0)).template cast<Scalar>(); return;
    case Activation::sigmoid: t = Scalar(1) / (Scalar(1) + (-t).exp()); return;
    case Activation::abs: t = t.abs(); return;
    case Activation::leaky: t = t.max(Scalar(0)) + static_cast<Scalar>(slope) * t.min(Scalar(0)); return;
  }
  throw std::invalid_argument("unknown activation");
}

/// act(c t) = c^degree act(t) for c > 0; 0 where there is no such degree.
int homogeneity(Activation activation);

}  // namespace relucover
