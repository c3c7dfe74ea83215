#pragma once
// Does the residual differ from group to group, where groups are what people make of columns: the levels of a column, residues of whole
// numbers (days of the week, last digits), which column is the largest, values that were filled in; which units are on?
#include <vector>

#include "core/random.hpp"
#include "relucover/progress.hpp"
#include "relucover/types.hpp"
#include "verify/leftover/even_noise.hpp"

namespace relucover {

struct Grouping {
  std::vector<Index> group;  // of each row, 0 to count - 1
  Index count = 0;
};
/// Of rows of columns. Those with few rows a group are left out.
std::vector<Grouping> groupings_of(const Matrix& x);
/// Which units are on, and how many; `t`: their arguments.
std::vector<Grouping> patterns_of(const Matrix& t);

/// What chance is held against: flipped signs of a residual, or other rows (for masks of rows).
enum class Chance { flips, places };

/// The least chance of Σ over groups of (Σ w r)² / count, among all groupings and weights w (1, and the columns of `weights` where groups
/// are large), times their number. Flips are held against what groups hold beyond `basis`, if there is one.
double groups_left(const std::vector<Grouping>& groupings, const Matrix& weights, const RoughBasis* basis, const Matrix& residual,
                   Chance chance, RandomStream& random, const Control& control = {});

/// The same without weights, where noise is even and normal: a group of few rows that all err one way is seen, which flips of so few signs
/// can't tell. 1 where noise is not.
double groups_left(const std::vector<Grouping>& groupings, const EvenNoise& even);

}  // namespace relucover
