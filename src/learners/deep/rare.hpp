#pragma once
// Units with a side that few samples see. A fit that is exact but for few samples lacks one of them, or has it wrong.
#include <optional>

#include "core/random.hpp"
#include "learners/deep/deep_data.hpp"

namespace relucover {

/// Descends on all samples but the worst few, and again; empty unless that becomes exact.
std::optional<LayeredModel> fitted_without_worst(const LayeredModel& model, const MemorySource<double>& samples, double exact,
                                                 const Control& control);

/// The smaller of the shares of samples on the two sides of each unit's kink, layer by layer.
std::vector<Vector> smaller_sides(const LayeredModel& model, const RowMatrix& x);

/// Unit `unit` of the last layer replaced by its affine function on the side that most samples see (sign-free form).
LayeredModel with_linear_unit(const LayeredModel& model, const RowMatrix& x, Index unit);

/// A fit exact on most samples taken to all of them.
struct Settled {
  LayeredModel model;
  std::vector<char> wrong;  // of all samples of the data
  std::vector<Index> used;  // rows that were fitted
};
/// Descends on `some` rows and all that are wrong; where that is not enough, seats a rare unit of the last layer again, or leaves the
/// worst samples aside.
Settled settle(LayeredModel model, const DeepData& data, const std::vector<Index>& some, int rounds, RandomStream& random,
               const Control& control);

}  // namespace relucover
