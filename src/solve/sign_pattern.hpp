#pragma once
// On which side of each unit's kink every sample lies, one bit each: what a linearisation keeps of the data, so that its
// products need not look for it again.
#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "relucover/types.hpp"

namespace relucover {

class SignPattern {
 public:
  SignPattern(Index samples, Index units) : words_((units + 63) / 64), bits_(static_cast<std::size_t>(samples * words_), 0) {}

  /// Rows of t = theta x~ of the samples from `first` on. Different rows may be stored by different threads.
  void store(Index first, const RowMatrix& t) {
    for (Index i = 0; i < t.rows(); ++i) {
      std::uint64_t* const row = bits_.data() + (first + i) * words_;
      for (Index k = 0; k < t.cols(); ++k)
        if (t(i, k) < 0) row[k / 64] |= std::uint64_t{1} << (k % 64);
    }
  }

  /// values(i, k) times the sign of unit k on sample first + i, for the first `units` columns k.
  template <class Real>
  void apply(Index first, Index units, RowMajor<Real>& values) const {
    for (Index i = 0; i < values.rows(); ++i) {
      const std::uint64_t* const row = bits_.data() + (first + i) * words_;
      Real* const value = values.row(i).data();
      Index k = 0;
      for (; k + 8 <= units; k += 8) turn_eight(value + k, row[k / 64] >> (k % 64) & 255);
      for (; k < units; ++k) value[k] = (row[k / 64] >> (k % 64) & 1) != 0 ? -value[k] : value[k];
    }
  }

  /// For one sample: replaces values v by s_k w_k c with c = v_units + Σ s_k w_k v_k, s the signs; v_units becomes c.
  /// Between two products with the data this is all that one output needs, while the row is in the cache.
  template <class Real>
  void spread_change(Index sample, Index units, const Real* weights, Real* values) const {
    const std::uint64_t* const row = bits_.data() + sample * words_;
    std::array<Real, 8> sums{};
    Index k = 0;
    for (; k + 8 <= units; k += 8) {
      turn_eight(values + k, row[k / 64] >> (k % 64) & 255);
      for (Index j = 0; j < 8; ++j) sums[static_cast<std::size_t>(j)] += weights[k + j] * values[k + j];
    }
    Real change = values[units];
    for (const Real sum : sums) change += sum;
    for (Index rest = k; rest < units; ++rest) change += sign(row, rest) * weights[rest] * values[rest];
    for (k = 0; k + 8 <= units; k += 8) {
      for (Index j = 0; j < 8; ++j) values[k + j] = weights[k + j] * change;
      turn_eight(values + k, row[k / 64] >> (k % 64) & 255);
    }
    for (; k < units; ++k) values[k] = sign(row, k) * weights[k] * change;
    values[units] = change;
  }

 private:
  static int sign(const std::uint64_t* row, Index k) { return (row[k / 64] >> (k % 64) & 1) != 0 ? -1 : 1; }

  template <class Real>
  using Word = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;

  /// For each byte of signs the sign bits of eight numbers: turning is an exclusive or, which every processor does to several
  /// numbers at once.
  template <class Real>
  static const std::array<std::array<Word<Real>, 8>, 256>& sign_bits() {
    static const auto table = [] {
      std::array<std::array<Word<Real>, 8>, 256> bits{};
      for (std::size_t byte = 0; byte < 256; ++byte)
        for (std::size_t k = 0; k < 8; ++k) bits[byte][k] = static_cast<Word<Real>>(byte >> k & 1) << (8 * sizeof(Real) - 1);
      return bits;
    }();
    return table;
  }

  template <class Real>
  static void turn_eight(Real* values, std::uint64_t byte) {
    const auto& bits = sign_bits<Real>()[static_cast<std::size_t>(byte)];
    std::array<Word<Real>, 8> words;
    std::memcpy(words.data(), values, sizeof words);
    for (std::size_t k = 0; k < 8; ++k) words[k] ^= bits[k];
    std::memcpy(values, words.data(), sizeof words);
  }

  Index words_;
  std::vector<std::uint64_t> bits_;
};

}  // namespace relucover
