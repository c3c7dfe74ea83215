#pragma once
// Counter-based random numbers (Philox 4x32-10): the value at a place in a stream depends on nothing but that place.
#include <array>
#include <cstdint>

#include "relucover/types.hpp"

namespace relucover {

class RandomStream {
 public:
  /// `purpose` and `index` name the stream; different names give independent streams for the same seed.
  RandomStream(std::uint64_t seed, std::uint32_t purpose, std::uint64_t index = 0);

  std::uint32_t bits();
  std::uint64_t bits64();
  double uniform();  // in (0, 1), never an end
  double normal();
  /// An integer in [0, bound).
  Index below(Index bound);
  double sign() { return bits() & 1 ? 1.0 : -1.0; }

  Vector normal_vector(Index size);
  Matrix normal_matrix(Index rows, Index cols);

 private:
  void refill();
  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> counter_;
  std::array<std::uint32_t, 4> ready_{};
  int left_ = 0;
  double spare_ = 0;
  bool has_spare_ = false;
};

/// Names of streams, one list for the whole project so that no two uses share draws.
namespace purpose {
inline constexpr std::uint32_t inputs = 1, noise = 2, network = 3, covariance = 4, starts = 5, subsample = 6, pencil = 7, compare = 8,
                               split = 9, sketch = 10, study = 11, judge = 12, certificate = 13;
inline constexpr std::uint32_t queries = 40;
}  // namespace purpose

/// Random orthogonal matrix (Haar), rows by cols with orthonormal columns, rows >= cols.
Matrix random_orthonormal(Index rows, Index cols, RandomStream& random);

}  // namespace relucover
