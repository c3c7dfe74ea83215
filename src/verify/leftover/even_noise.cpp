#include "verify/leftover/even_noise.hpp"

#include <algorithm>
#include <cmath>

#include "verify/leftover/features.hpp"
#include "verify/leftover/noise_shape.hpp"

namespace relucover {

double EvenNoise::largest(const Matrix& features) const {
  return features.cols() > 0 ? (features.transpose() * residual).rowwise().squaredNorm().maxCoeff() : 0.0;
}

EvenNoise even_noise(const Matrix& residual, const Matrix& basis, const Vector& noise) {
  constexpr double bound = 3, nearly_even = 1.01, nearly_normal = 1.1;
  EvenNoise rows{Vector::Ones(noise.size()), basis, {}, residual, noise.maxCoeff() > nearly_even * noise.minCoeff(), true};
  if (rows.weighted) {
    rows.weights = noise.cwiseInverse();
    rows.weighted_basis = spanning_basis(rows.weights.asDiagonal() * basis, Orthogonal::to_nine_digits);
    rows.residual.array().colwise() *= rows.weights.array();
  }
  rows.normal = tail_weight(rows.residual) < nearly_normal;
  const double freedom = std::max(1.0, static_cast<double>(residual.rows() - basis.cols()));
  for (auto output : rows.residual.colwise()) {
    output *= std::sqrt(freedom) / std::max(output.norm(), 1e-300);
    output = output.cwiseMin(bound).cwiseMax(-bound).eval();
  }
  rows.residual = orthogonal_to(rows.basis(), std::move(rows.residual));
  return rows;
}

}  // namespace relucover
