#pragma once
// Backward elimination of units: drop the one whose removal, with the linear weights refitted, raises the error least.
// All of it happens in the Gram matrix of the features, so the data are visited once.
#include "relucover/progress.hpp"
#include "relucover/samples.hpp"
#include "solve/sums.hpp"

namespace relucover {

struct Pruned {
  SignFreeModel model;
  /// Relative squared residual (to the labels' mean square) with k units left, at index k, for every k visited.
  std::vector<double> residual_at;
};

/// Prunes to `units`, refitting output weights and the affine part. `affine`: the sums of the affine part, if known.
Pruned prune(const SampleSource& source, const SignFreeModel& model, Index units, const Loss& loss, const Control& control,
             const AffineSum* affine = nullptr);

/// Prunes while the refitted relative squared residual stays below `allowed`.
Pruned prune_while(const SampleSource& source, const SignFreeModel& model, double allowed, const Loss& loss, const Control& control,
                   const AffineSum* affine = nullptr);

}  // namespace relucover
