#pragma once
// The tests that certificates are made of.
#include "relucover/types.hpp"

namespace relucover {

/// How many standard deviations a chi-square value with `freedom` degrees lies above what chance gives
/// (Wilson-Hilferty: the cube root is nearly normal).
double chi_square_score(double value, double freedom);

/// delta^T covariance^{-1} delta, or infinity where the covariance is not positive definite.
double mahalanobis_square(const Vector& delta, const Matrix& covariance);

}  // namespace relucover
