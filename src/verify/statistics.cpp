#include "verify/statistics.hpp"

#include <cmath>
#include <limits>

#include "core/linear_algebra.hpp"

namespace relucover {

double chi_square_score(double value, double freedom) {
  const double spread = 2 / (9 * freedom);
  return (std::cbrt(value / freedom) - (1 - spread)) / std::sqrt(spread);
}

double mahalanobis_square(const Vector& delta, const Matrix& covariance) {
  const Cholesky factor(covariance);
  if (!factor.definite()) return std::numeric_limits<double>::infinity();
  return solve_lower(factor.lower(), delta).squaredNorm();
}

}  // namespace relucover
