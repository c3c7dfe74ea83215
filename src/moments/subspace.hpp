#pragma once
// The span of the weight vectors as the range of T_2, and how many units its spectrum shows.
#include <cstdint>

#include "moments/moment_source.hpp"

namespace relucover {

struct SubspaceOptions {
  /// Directions kept at most, as a multiple of the number of units, where the gap is small.
  double excess = 1.5;
  /// A gap |λ_m| >= clear_gap * |λ_{m+1}| needs no extra directions.
  double clear_gap = 2.0;
  std::uint64_t seed = 0;
};

struct Subspace {
  Matrix directions;  // rows, orthonormal, by falling |eigenvalue|
  Vector spectrum;    // of T_2 by falling |eigenvalue| (all of it, or what the range finder saw)
  double gap = 0;     // |λ_units| / |λ_{units+1}|; infinite if there is no further one
};

/// Top |eigenvalue| eigenvectors of T_2: `units` of them, up to excess·units where the gap behind them is small.
Subspace subspace_of(const MomentSource& source, Index units, const SubspaceOptions& options, const Control& control);

/// Number of eigenvalues that stand out of the noise: for exact moments the numerical rank, for samples the place of the
/// largest ratio of neighbours among those above the noise edge (the median of the lower half of |λ| scales it).
Index count_by_spectrum(const Vector& falling, bool exact);

}  // namespace relucover
