#pragma once
// The certificates behind `exact` and `recovered`: docs/certificates.md. Each says yes, or why not.
#include <string>

#include "relucover/learn.hpp"
#include "solve/sign_free.hpp"
#include "solve/uncertainty.hpp"
#include "verify/label_grid.hpp"

namespace relucover {

struct Certificate {
  bool given = false;
  std::string reason;  // in words, either way
};

/// Labels without noise: `error_rms` is the residual (at rounding level) on samples that the last solve did not use.
Certificate certify_exact(const SampleSource& source, const SignFreeModel& model, const Uncertainty& known,
                          double rounding_rms, const Control& control);

struct NoiseCertificateOptions {
  /// Units whose standard error exceeds this part of their size are not determined.
  double largest_unit_error = 0.15;
  /// Scores (standard deviations) above which chance is no longer an explanation.
  double halves_score = 3.5, holdout_score = 4;
  /// Where nothing is left, p more parameters score about -sqrt(p)/2 ± 1 on held-out samples.
  double leftover_score = 1.5, wave_score = 0.5;
  /// A mean of 50 or more squares is this far above its expectation in 1 of 500,000 cases; there are three for each unit.
  double kink_score = 6;
  /// Equations for each unknown in one half of the data, at least.
  Index equations_per_unknown = 10;
  std::uint64_t seed = 0;
};

/// Labels with noise of standard deviation `sigma`: (1) halves agree, (2) held-out residual as predicted, (3) nothing left.
Certificate certify_recovered(const SampleSource& source, const SignFreeModel& model, const Uncertainty& known, double sigma,
                              const NoiseCertificateOptions& options, const Control& control, Result& result);

}  // namespace relucover
