#pragma once
// Hermite moments of whitened inputs from sums of powers of the inputs themselves: no samples needed.
#include "moments/moment_source.hpp"
#include "relucover/power_sums.hpp"

namespace relucover {

/// One output.
class SummedMoments : public SampledMoments {
 public:
  explicit SummedMoments(const PowerSums& sums);
  Matrix second_moment(const Control& control) const override;
  /// Order k is taken of the residual of the best polynomial of degree g <= k - 1 whose products with order k the sums hold:
  /// g + k <= input_order.
  HermiteMoments moments(const Matrix& directions, Index max_order, const Control& control) const override;
  /// How many standard deviations E|z|⁴ is from that of Gaussian inputs; 0 if the sums don't go so far.
  double fourth_moment_score() const;

 private:
  SymmetricTensor input_powers_, label_powers_;  // means, on (1, x)
};

/// The symmetric tensor T(M·, ..., M·): Σ c v^{⊗k} becomes Σ c (M v)^{⊗k}.
SymmetricTensor mapped(const SymmetricTensor& tensor, const Matrix& map);

}  // namespace relucover
