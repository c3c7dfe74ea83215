#pragma once
// Structured weights (GP section 4): 0/1 weights on disjoint supports under exponential units, orthonormal weights under
// even units.
#include <vector>

#include "learners/threshold/task.hpp"

namespace relucover {

struct SupportOptions {
  /// u(a) = e^(rate a).
  double rate = 1;
  /// Edge where E[f x_i x_j] / (rate √(E[f x_i] E[f x_j])) is above this: 0.5 (Theorem 8), 0.75 (Theorem 9).
  double edge = 0.5;
  /// Inputs with a smaller share of the largest |E[f x_i]| belong to no unit.
  double present = 0.2;
};
struct Supports {
  std::vector<std::vector<Index>> groups;
  /// Every group is a clique: else the graph is not that of disjoint supports.
  bool cliques = true;
  /// Smallest ratio on an edge inside a group and largest ratio of a pair that is no edge: the margin of the answer.
  double smallest_inside = 0, largest_outside = 0;
};
/// Theorems 8 and 9: correlation graph, then its cliques.
Supports find_supports(const SampleSource& source, const SupportOptions& options, const Control& control);

struct EvenDirections {
  Matrix W;
  bool complete = false;
  double u4 = 0;
  /// E[f He_4] along each direction, and the deviation that sampling gives it.
  Vector strength;
  double noise = 0;
  /// Smallest gap between neighbouring |eigenvalues| of T_2 used, relative to its noise; only where û_4 = 0.
  double eigengap = 0;
};
/// Theorem 10: maxima of sgn(û_4) E[f h_4(z.x)] on the sphere; for û_4 = 0 the eigenvectors of T_2. `units` 0: as many as
/// stand out of the noise.
EvenDirections even_directions(const SampleSource& source, const UnitFunction& unit, Index units, std::uint64_t seed,
                               const Control& control, Index end = -1);

/// The task for these units.
void structured_layer(const SampleSource& source, const FirstLayerOptions& options, FirstLayerResult& result, const Control& control);

}  // namespace relucover
