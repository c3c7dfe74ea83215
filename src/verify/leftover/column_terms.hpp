#pragma once
// Does the residual go with a term that people write down: a product of columns, a column squared or beyond a threshold?
#include "core/random.hpp"
#include "relucover/types.hpp"

namespace relucover {

/// p-values: 1 where there is nothing to test.
struct ColumnTerms {
  double of_two = 1;    // powers, thresholds, kinks and humps of single columns, and products of two of these
  double of_three = 1;  // products of three and four columns, and of the signs of three to five
};
/// The best of all terms of the user's own columns, beyond what the answer can do. Along random directions such terms hide: a product of
/// three columns has next to nothing along any one of them.
ColumnTerms terms_left(const Matrix& x, const Matrix& residual, const Matrix& basis, RandomStream& random);

/// Waves of every length along single variables (columns, units, distances), against flips: along random directions they hide too.
double waves_along(const Matrix& variables, const Matrix& residual, const Matrix& basis, RandomStream& random);

}  // namespace relucover
