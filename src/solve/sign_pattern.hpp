#pragma once
// On which side of each unit's kink every sample lies, one bit each: what a linearisation keeps of the data, so that its
// products need not look for it again.
#include <cstdint>
#include <vector>

#include "relucover/types.hpp"

namespace relucover {

class SignPattern {
 public:
  SignPattern(Index samples, Index units)
      : words_((units + 63) / 64), bits_(static_cast<std::size_t>(samples * words_), 0) {}

  /// Rows of t = theta x~ of the samples from `first` on. Different rows may be stored by different threads.
  void store(Index first, const RowMatrix& t) {
    for (Index i = 0; i < t.rows(); ++i) {
      std::uint64_t* const row = bits_.data() + (first + i) * words_;
      for (Index k = 0; k < t.cols(); ++k)
        if (t(i, k) < 0) row[k / 64] |= std::uint64_t{1} << (k % 64);
    }
  }

  /// values(i, k) times the sign of unit k on sample first + i.
  template <class Real>
  void apply(Index first, RowMajor<Real>& values) const {
    for (Index i = 0; i < values.rows(); ++i) {
      const std::uint64_t* const row = bits_.data() + (first + i) * words_;
      Real* const value = values.row(i).data();
      for (Index k = 0; k < values.cols(); ++k) value[k] *= static_cast<Real>(1 - 2 * static_cast<int>(row[k / 64] >> (k % 64) & 1));
    }
  }

 private:
  Index words_;
  std::vector<std::uint64_t> bits_;
};

}  // namespace relucover
