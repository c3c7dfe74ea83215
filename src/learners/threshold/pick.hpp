#pragma once
// Copies of the few samples that matter to a unit: those in its cell, or in a band around its boundary.
#include <functional>
#include <vector>

#include "learners/threshold/labels.hpp"
#include "relucover/progress.hpp"
#include "relucover/samples.hpp"

namespace relucover {

struct PickedSamples {
  RowMatrix x;
  Vector y;  // as the LabelView gives it
  Index rows() const { return x.rows(); }
};

/// Groups that a sample belongs to (such as units), given the first layer's arguments S = W x - t of a block.
/// Appends (row, group) pairs.
using PickRule = std::function<void(const RowMatrix& arguments, const Vector& labels, std::vector<std::pair<Index, Index>>& picked)>;

struct PickOptions {
  Index groups = 1;
  /// No group keeps more: memory does not grow with the number of samples.
  Index most_per_group = 40'000;
  Index begin = 0, end = -1;  // end -1: all
};

/// One PickedSamples per group, in the order of the samples; stops reading when every group is full.
std::vector<PickedSamples> pick_samples(const SampleSource& source, const Matrix& W, const Vector& t, const LabelView& view,
                                        const PickRule& rule, const PickOptions& options, const Control& control);

}  // namespace relucover
