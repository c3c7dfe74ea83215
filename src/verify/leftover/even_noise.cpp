#include "verify/leftover/even_noise.hpp"

#include <algorithm>
#include <cmath>

#include "verify/leftover/features.hpp"
#include "verify/leftover/noise_shape.hpp"

namespace relucover {

double EvenNoise::largest(const RoughMatrix& features) const {
  return features.cols() > 0 ? (features.transpose() * residual).rowwise().squaredNorm().maxCoeff() : 0.0;
}

EvenNoise even_noise(const Matrix& residual, const RoughBasis& basis, const Vector& noise) {
  constexpr double bound = 3, nearly_normal = 1.1;
  EvenNoise rows{RoughVector::Ones(noise.size()), basis, {}, noise.maxCoeff() > nearly_even_noise * noise.minCoeff(), true};
  Matrix over_noise = residual;
  if (rows.weighted) {
    const Vector weights = std::max(noise.minCoeff(), 1e-300) * noise.cwiseInverse();
    rows.weights = weights.cast<float>();
    over_noise.array().colwise() *= weights.array();
  }
  rows.normal = tail_weight(over_noise) < nearly_normal;
  const double freedom = std::max(1.0, static_cast<double>(residual.rows() - basis.size()));
  for (auto output : over_noise.colwise()) {
    output *= std::sqrt(freedom) / std::max(output.norm(), 1e-300);
    output = output.cwiseMin(bound).cwiseMax(-bound).eval();
  }
  rows.residual = basis.without(RoughMatrix(over_noise.cast<float>()));
  return rows;
}

}  // namespace relucover
