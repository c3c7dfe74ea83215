#pragma once
// Weight vectors known up to sign, and close: find the signs, and without label noise the vectors themselves.
#include "relucover/network.hpp"
#include "relucover/progress.hpp"
#include "relucover/samples.hpp"

namespace relucover {

/// BJW Algorithm 6: unit i keeps its direction if the labels are closer to span{relu(±v_j x), j ≠ i, relu(v_i x)} than to the
/// same with relu(-v_i x). Works with label noise. One pass.
struct ProjectedSigns {
  Vector signs;    // ±1 per row of `directions`
  Vector margins;  // what the right sign explains more, as a share of the labels' square
};
ProjectedSigns signs_by_projection(const SampleSource& source, const Matrix& directions, const Control& control);

/// BJW Algorithm 5 with a dead band: q·y must vanish where v·x < -band, and equals w·x where v·x > band, for one of ±v.
struct DeadBandOptions {
  double error = 0.1;      // ε: how far the unit directions may be off
  double band_factor = 4;  // band = band_factor ε |x|/√d: four standard deviations of (v - w)·x for Gaussian inputs
  Index samples = 20000;   // at most
};
struct DeadBandRecovery {
  Matrix W;       // unit rows, signs found
  Vector ratios;  // least over largest singular value of the zero conditions: rounding where the row is exact
};
/// `compress` (outputs by units). Without label noise.
DeadBandRecovery recover_with_dead_band(const SampleSource& source, const Matrix& compress, const Matrix& directions,
                                        const Control& control, const DeadBandOptions& options = {});

/// BJW Algorithm 5 as printed: one-sided threshold tau, a row is accepted if its linear system has a solution.
/// Rows without a (unique) answer are zero.
Matrix recover_one_sided(const SampleSource& source, const Matrix& compress, const Matrix& directions, double tau, double tolerance,
                         const Control& control);

}  // namespace relucover
