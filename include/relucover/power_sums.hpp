#pragma once
// Sums of powers of samples: moments of shards made apart (by a job array, say), added up, and learned from.
#include <filesystem>
#include <vector>

#include "relucover/learn.hpp"
#include "relucover/samples.hpp"

namespace relucover {

/// Σ x~^{⊗input_order} and Σ y_j x~^{⊗order} over samples, with x~ = (1, x): every moment of lower order is among them.
/// Symmetric tensors, one number per sorted tuple of indices i_1 <= ... <= i_k, at the place Σ_t C(i_t + t - 1, t).
struct PowerSums {
  Index samples = 0, inputs = 0, outputs = 0;
  Index order = 0, input_order = 0;
  Vector of_inputs;
  Matrix of_labels;       // one column per output
  Matrix label_products;  // Σ y yᵀ
};

/// `order` from 2 to 6. The sums of the inputs go one order higher (a control variate that halves the sampling error of what
/// is learned), unless that were more than 2e7 numbers. Throws std::invalid_argument if the sums were too large to hold.
PowerSums power_sums(const SampleSource& source, Index order, const Control& control);
/// Throws std::invalid_argument if they are of other inputs, outputs or orders.
void add_power_sums(PowerSums& total, const PowerSums& part);

/// An .npz archive under any name; written whole or not at all.
void write_power_sums(const PowerSums& sums, const std::filesystem::path& path);
/// Throws DataError.
PowerSums read_power_sums(const std::filesystem::path& path);

/// Gaussian inputs of any covariance, one output, at most as many units as order/2 tuples of inputs have room for: pencils of
/// Hermite moments. Moments alone certify nothing: the status is approximate, unless `samples` are given. A few suffice: from
/// the answer of the moments the engine solves for the weights on them, and certifies.
Result learn_from_power_sums(const PowerSums& sums, const LearnOptions& options = {}, const SampleSource* samples = nullptr);

}  // namespace relucover
