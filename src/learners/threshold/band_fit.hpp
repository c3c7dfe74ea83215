#pragma once
// Second step for steps and halfspaces: per unit a logistic fit of width s on the samples near its boundary where all
// other units are clearly at rest, s shrinking. Labels are 0/1 (or whether f is at rest), some of them flipped.
#include <vector>

#include "learners/threshold/labels.hpp"
#include "relucover/progress.hpp"
#include "relucover/types.hpp"

namespace relucover {

struct BandFitOptions {
  /// A hard boundary is found the better the narrower the fit, down to s ~ inputs / (samples * density); units with fewer
  /// than 10 samples per unknown in a band keep their last fit.
  std::vector<double> widths = {0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0002};
  /// Fits per width, each on samples that are chosen anew, at least and at most; they end when no boundary moves by more
  /// than `still` of the width. A unit in a wrong place spoils the samples of others, so all must come to rest.
  int rounds = 2, most_rounds = 10;
  double still = 0.1;
  int newton_steps = 8;
  Index most_per_unit = 20'000;
  Index begin = 0, end = -1;
};

struct BandFit {
  Matrix W;
  Vector t;
  /// Share of labels that are wrong far from every boundary.
  double flips = 0;
  /// Width of the last fit of each unit, and the samples in it.
  Vector width;
  std::vector<Index> band_samples;
};

BandFit band_fit(const SampleSource& source, const LabelView& view, const Matrix& W, const Vector& t, const BandFitOptions& options,
                 const Control& control);

}  // namespace relucover
