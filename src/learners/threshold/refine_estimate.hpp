#pragma once
// RefineEstimate and EstimateTanAlpha (GP Algorithms 1 and 2): a direction made better by random steps, judged by fresh
// samples from a band across it. Needs an oracle: on a fixed data set it stalls at a few hundredths.
#include <cstdint>

#include "relucover/progress.hpp"
#include "relucover/threshold.hpp"

namespace relucover {

struct RefineEstimateOptions {
  Index iterations = 300;
  /// Fresh samples per band.
  Index band_samples = 8000;
  /// Thresholds are looked for in [0, highest_threshold].
  double highest_threshold = 4;
  /// The value of f at rest; answers this close to it are at rest.
  double rest = 0, tolerance = 1e-12;
  /// Stops below this angle.
  double stop = 1e-5;
  std::uint64_t seed = 0;
};

struct RefineEstimate {
  Vector w;
  double angle = 0;      // as estimated
  double threshold = 0;  // where half of the samples along w are active
  /// No place in [0, highest_threshold] has some answers at rest below it and active ones above it: there is no boundary to place.
  bool lost = false;
  Index accepted = 0, iterations = 0, queries = 0;
};

/// tan of the angle between z and the direction next to it: (t_2 - t_1) / (Φ⁻¹(.6) - Φ⁻¹(.4)) where t_1 and t_2 are the
/// places at which Pr[f is not at rest | z.x in [t' - ε, t']] is .4 and .6. GP Algorithm 2. NaN where there is no such place.
double estimate_tan_alpha(const Oracle& oracle, const Vector& z, double epsilon, const RefineEstimateOptions& options, std::uint64_t stream,
                          Index& queries);

RefineEstimate refine_estimate(const Oracle& oracle, const Vector& start, const RefineEstimateOptions& options, const Control& control);

}  // namespace relucover
