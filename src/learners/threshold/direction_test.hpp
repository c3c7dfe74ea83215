#pragma once
// Directions without linear terms in P, in two or three dimensions (GP section 3): the correlation of f with
// δ'(z.x - t) (step) or δ''(z.x - t) (ReLU), of finite width, is largest along the true directions.
#include "relucover/progress.hpp"
#include "relucover/threshold.hpp"

namespace relucover {

struct DirectionTestOptions {
  Index units = 0;
  double threshold = 1;
  /// Half width of the bands; 0: 0.1 for step, 0.15 for ReLU.
  double width = 0;
  /// Directions of the net, evenly spread.
  Index net = 600;
  /// Two directions of the answer are at least this far apart.
  double separation = 0.4;
  std::uint64_t seed = 0;
};

struct DirectionTest {
  Matrix W;
  Vector score;  // correlation at each direction
};

/// Step: E[f (1[z.x in (t, t+2ε)] - 1[z.x in (t-2ε, t)])] / 2ε. ReLU: the second difference of three such bands.
Vector direction_scores(const SampleSource& source, const UnitFunction& unit, const Matrix& directions, double threshold, double width,
                        const Control& control);

/// Net of directions, greedy choice of separated maxima, local search by shrinking random steps. 2 or 3 inputs.
DirectionTest find_directions(const SampleSource& source, const UnitFunction& unit, const DirectionTestOptions& options,
                              const Control& control);

}  // namespace relucover
