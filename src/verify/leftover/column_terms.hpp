#pragma once
// Does the residual go with a term that people write down: a product of columns, a column squared or beyond a threshold?
#include "core/random.hpp"
#include "relucover/types.hpp"
#include "verify/leftover/flipped_scores.hpp"

namespace relucover {

/// p-values: 1 where there is nothing to test.
struct ColumnTerms {    // against flips of signs; where noise is of one size and has no tails
  TermChance of_two;    // powers, thresholds, kinks and humps of single columns, and products of two of these
  TermChance of_three;  // products of three and four columns, and of the signs of three to five
};
/// The best of all terms of the user's own columns, beyond what the answer can do. Along random directions such terms hide: a product of
/// three columns has next to nothing along any one of them.
ColumnTerms terms_left(const Matrix& x, const Matrix& residual, const RoughBasis& basis, const EvenNoise& even, RandomStream& random,
                       const Control& control = {});

/// Waves of every length along single variables (columns, units, distances), against flips: along random directions they hide too.
double waves_along(const Matrix& variables, const Matrix& residual, const RoughBasis& basis, RandomStream& random,
                   const Control& control = {});

}  // namespace relucover
