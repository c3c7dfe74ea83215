#pragma once
// Where the search begins: more units than needed, random directions, half of each sign.
#include <cstdint>

#include "relucover/samples.hpp"
#include "solve/sums.hpp"

namespace relucover {

struct StartOptions {
  Index units = 0;
  std::uint64_t seed = 0;
  Index attempt = 0;
  /// Typical distance of the kinks from the center, in units of the whitened inputs; half and double of it occur too.
  double bias_scale = 1;
  bool bias = true;
};

/// `affine` is the least-squares affine fit (outputs by inputs + 1), inputs are whitened, labels have variance near 1.
SignFreeModel random_start(const Matrix& affine, const StartOptions& options);

}  // namespace relucover
