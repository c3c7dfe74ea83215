#pragma once
// Smoothed analysis (ATV Appendix E): an adversary's network, its weights perturbed by τ, learned from moments.
#include <vector>

#include "relucover/progress.hpp"
#include "relucover/types.hpp"

namespace relucover {

struct SmoothedStudyOptions {
  Index inputs = 6;
  std::vector<double> taus = {1, 0.3, 0.1, 0.03, 0};
  /// Units for each input; above 1 pairs of indices are used.
  std::vector<double> units_per_input = {0.5, 1, 2};
  /// 0: exact moments.
  std::vector<Index> samples = {0, 10000, 100000};
  Index seeds = 3;
};

struct SmoothedStudyRow {
  double tau = 0;
  Index inputs = 0, units = 0, samples = 0;
  /// Share of seeds with every direction within 0.1 (exact moments: 1e-6) up to sign, and the median of the worst angle.
  double success = 0, median_error = 0;
  /// Median least singular value of the weight matrix' tuples (columns w_i^{⊗ℓ}).
  double least_singular_value = 0;
};

/// The adversary's network has all units parallel in pairs; w_i + N(0, τ²/d) is what is learned.
std::vector<SmoothedStudyRow> smoothed_study(const SmoothedStudyOptions& options, const Control& control);

}  // namespace relucover
