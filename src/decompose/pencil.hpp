#pragma once
// Directions of all units at once as eigenvectors of pencils of random contractions of Hermite moments.
#include <vector>

#include "core/random.hpp"
#include "moments/moment_source.hpp"

namespace relucover {

struct PencilOptions {
  /// Tuples of this many indices: 1 for independent weight vectors, 2 and 3 for more units than inputs.
  Index tuple_order = 1;
  /// Which of the orders 2ℓ, 2ℓ+1, 2ℓ+2 take part.
  bool use_middle = true, use_top = true;
};

/// The pencils of one set of moments: draw as many as wanted.
class Pencils {
 public:
  /// Moments of orders up to 2ℓ+1 or 2ℓ+2; `units` is the rank the range of all slices is cut to.
  Pencils(const HermiteMoments& moments, Index units, const PencilOptions& options);
  /// Unit direction of each unit as a row, up to sign; empty if the draw was degenerate.
  struct Draw {
    Matrix directions;
    bool real = true;
  };
  Draw draw(RandomStream& random) const;
  /// Singular values of all slices side by side (ℓ >= 2) or |eigenvalues| of T_2 (ℓ = 1).
  const Vector& spectrum() const { return spectrum_; }
  Index units() const { return basis_.cols(); }

 private:
  Matrix random_slice(RandomStream& random, bool with_bottom) const;
  Index dimension_, tuple_order_;
  double bottom_scale_ = 0, middle_scale_ = 0, top_scale_ = 0;
  Matrix bottom_;                          // T_{2ℓ} flattened
  std::vector<Contraction> middle_, top_;  // empty where not used
  Matrix basis_;                           // of the common range, orthonormal columns
  Vector spectrum_;
};

}  // namespace relucover
