#pragma once
// Symmetric tensors as sums of powers: Jennrich's algorithm on a flattening, subspace power method, alternating least
// squares.
#include <cstdint>

#include "moments/packed.hpp"
#include "relucover/progress.hpp"

namespace relucover {

struct RankOneTerms {
  Matrix directions;  // unit rows
  Vector weights;     // Σ weights_i directions_i^{⊗k}
  Index count() const { return directions.rows(); }
};

enum class Decomposition { jennrich, power, als };

struct TensorDecompositionOptions {
  Decomposition algorithm = Decomposition::jennrich;
  /// The tensor of order 2ℓ + c is decomposed as ℓ, ℓ, c.
  Index tuple_order = 1;
  /// Rank: number of singular values of the (ℓ, ℓ + c) flattening above this.
  double rank_threshold = 1e-9;
  /// At most this many terms.
  Index max_rank = 0;
  /// Random contractions (Jennrich) or starts (power, ALS); the answer that leaves least of the tensor is taken.
  Index draws = 10;
  std::uint64_t seed = 0;
};

RankOneTerms decompose_tensor(const SymmetricTensor& tensor, const TensorDecompositionOptions& options, const Control& control);

}  // namespace relucover
