#pragma once
// Weighted sums of packed tensor powers by matrix products.
#include <algorithm>
#include <vector>

#include "moments/packed.hpp"

namespace relucover {

/// Rows handled at once, so that their features stay in the cache.
inline Index rows_at_once(Index features) { return std::clamp<Index>((Index{1} << 17) / std::max<Index>(features, 1), 64, 4096); }

/// A sorted tuple of order k is its lowest ⌈k/2⌉ indices followed by its highest ⌊k/2⌋. If the highest ones start at j, the
/// lowest are among those with indices <= j, a prefix of the packed list: one product per j holds every tuple once.
class SplitTuples {
 public:
  SplitTuples(Index dimension, Index order);
  Index half() const { return lows_.order(); }
  Matrix empty_product() const { return Matrix::Zero(lows_.size(), highs_.size()); }
  /// Adds Σ r (lows)(highs)ᵀ of monomials of order 0 to half(), group by group; `weighted` is scratch.
  void add(const std::vector<Matrix>& monomials, const Vector& r, Matrix& weighted, Matrix& product) const;
  SymmetricTensor tensor(const Matrix& product) const;

 private:
  struct Group {
    Index first, count, prefix;
  };
  PackedIndex lows_, highs_;
  std::vector<Index> sorted_;  // places of the highs, by their least index
  std::vector<Group> groups_;
};

}  // namespace relucover
