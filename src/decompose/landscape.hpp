#pragma once
// Objectives whose local minima are the (scaled, dual) components of T_2 and T_4 (GP section 2.1 and B.4, corrected).
#include <cstdint>

#include "relucover/progress.hpp"
#include "relucover/types.hpp"

namespace relucover {

struct LandscapeProblem {
  Matrix m;               // q by q: E[f H_2(z.x)] = zᵀ m z
  Matrix fourth;          // q² by q²: T_4
  double u2 = 0, u4 = 0;  // Hermite coefficients of the unit
  /// Smallest upper weight; lambda = factor |u4| / (u2² c_min), below factor 1 the objective is unbounded.
  double c_min = 0.7;
  double lambda_factor = 3;
};

struct LandscapeOptions {
  Index starts = 200;
  /// Two minima are the same if their overlap in the metric of m is above this.
  double same = 0.8;
  /// Weight of the H_4 term in the simultaneous form.
  double gamma = 0.01;
  std::uint64_t seed = 0;
};

struct LandscapeResult {
  Matrix components;  // rows, in the q coordinates, not normalised
  Index iterations = 0, starts = 0;
  bool complete = false;
};

/// G(z) = -sgn(u4) E[f H_4(z.x)] + λ (E[f H_2(z.x)] - u2)², one minimum at a time; components are m z. GP section 2.1
LandscapeResult landscape_one_by_one(const LandscapeProblem& problem, Index units, const LandscapeOptions& options, const Control& control);

/// All rows at once, kept apart by ψ(v, w) = H_2(v.x) H_2(w.x) + (v.w)² - 2 (v.x)(w.x)(v.w); components are W^{-T}. GP B.4
LandscapeResult landscape_simultaneous(const LandscapeProblem& problem, const LandscapeOptions& options, const Control& control);

}  // namespace relucover
