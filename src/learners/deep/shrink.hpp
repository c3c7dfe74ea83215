#pragma once
// Units that can go. The candidate without a unit: its value regressed on the other features of its level, or the parameters moved
// along the linear model to where it has no effect (optimal brain surgeon), or simply without it; each also with new output weights.
#include "learners/deep/deep_data.hpp"

namespace relucover {

struct ShrinkOptions {
  /// Widths below which no layer falls.
  std::vector<Index> least;
  double exact = 1e-20;
  /// While the fit is not exact a removal may raise the cost by this factor.
  double allowed = 1.5;
  /// Candidates tried for each removal.
  Index tries = 3;
  Index most_steps = 30;
};
struct Shrunk {
  LayeredModel model;
  double cost = 0;
};
/// Drops the cheapest unit, with a descent where that costs, while nothing is lost; in large models first those that hardly matter, all
/// together. An exact fit stays exact; one that becomes exact
/// on the way is returned at once.
Shrunk shrink(LayeredModel model, const MemorySource<double>& samples, const ShrinkOptions& options, const Control& control);

}  // namespace relucover
