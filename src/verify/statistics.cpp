#include "verify/statistics.hpp"

#include <Eigen/Cholesky>
#include <cmath>
#include <limits>

namespace relucover {

double chi_square_score(double value, double freedom) {
  const double spread = 2 / (9 * freedom);
  return (std::cbrt(value / freedom) - (1 - spread)) / std::sqrt(spread);
}

double mahalanobis_square(const Vector& delta, const Matrix& covariance) {
  const Eigen::LLT<Matrix> factor(covariance);
  if (factor.info() != Eigen::Success) return std::numeric_limits<double>::infinity();
  return factor.matrixL().solve(delta).squaredNorm();
}

}  // namespace relucover
