#pragma once
// Given the span of {z_i z_iᵀ} (as packed symmetric matrices), find the z_i, up to sign and order.
#include "core/random.hpp"
#include "relucover/progress.hpp"

namespace relucover {

struct RankOneOptions {
  /// Pairs of random elements of the span whose common eigenvectors are pooled.
  Index pairs = 30;
  /// Steps of z <- normalise(mat(project(z zᵀ)) z).
  Index iterations = 60;
  /// Two candidates are different when |z·z'| is below this.
  double distinct_below = 0.9;
};

struct RankOneVectors {
  Matrix rows;       // unit vectors, best first; fewer than the dimension of the span if no more were found
  Vector residuals;  // 1 - ‖project(z zᵀ)‖² of each
};

/// `basis`: orthonormal columns, each a packed symmetric matrix of the given size; as many vectors as columns are looked for.
RankOneVectors rank_one_vectors(const Matrix& basis, Index size, RandomStream& random, const Control& control,
                                const RankOneOptions& options = {});

/// Eigenvectors of X Y⁻¹ for two random elements of the span, real parts, as unit rows (GKLW Algorithm 2, steps 7 and 8).
/// `elements`: packed matrices as columns, not necessarily orthonormal.
Matrix eigenvectors_of_random_pair(const Matrix& elements, Index size, RandomStream& random);

struct AlternatingLeastSquaresOptions {
  Index draws_per_vector = 10;  // GKLW section 4.1: 10 k random elements of the span
  Index restarts = 10;
  Index iterations = 200;
  /// Stop when ‖residual‖/‖tensor‖ changes less than this.
  double tolerance = 1e-7;
};

/// CP decomposition, by alternating least squares, of random elements of the span stacked to a tensor (GKLW section 4).
Matrix alternating_least_squares(const Matrix& elements, Index size, RandomStream& random, const Control& control,
                                 const AlternatingLeastSquaresOptions& options = {});

}  // namespace relucover
