#include "verify/leftover/even_noise.hpp"

#include <algorithm>
#include <cmath>

#include "verify/leftover/features.hpp"
#include "verify/leftover/flipped_scores.hpp"
#include "verify/leftover/noise_shape.hpp"
#include "verify/leftover/tails.hpp"

namespace relucover {

double EvenNoise::chance_of(double square) const {
  const auto outputs = static_cast<double>(residual.cols());
  return residual.cols() > 1 ? gamma_tail(outputs, 2 * outputs, square) : 2 * normal_tail(std::sqrt(square));
}

double EvenNoise::chance_of_best(Index blocks, const std::function<Matrix(Index)>& features) const {
  constexpr double alike = 2;  // so many features say the same
  if (!normal) return 1;
  double largest = 0, count = 0;
  for (Index block = 0; block < blocks; ++block) {
    Matrix some = features(block);
    count += static_cast<double>(some.cols());
    some.array().colwise() *= weights.array();
    some = beyond(basis, likely_ones(residual, some));
    if (some.cols() > 0) largest = std::max(largest, (some.transpose() * residual).rowwise().squaredNorm().maxCoeff());
  }
  return std::min(1.0, chance_of(largest) * count / alike);
}

EvenNoise even_noise(const Matrix& residual, const Matrix& basis, const Vector& noise) {
  constexpr double bound = 3, nearly_even = 1.01, nearly_normal = 1.1;
  EvenNoise rows{noise.cwiseInverse(), basis, residual, true};
  if (noise.maxCoeff() > nearly_even * noise.minCoeff()) rows.basis = spanning_basis(rows.weights.asDiagonal() * basis);
  rows.residual.array().colwise() *= rows.weights.array();
  rows.normal = tail_weight(rows.residual) < nearly_normal;
  const double freedom = std::max(1.0, static_cast<double>(residual.rows() - basis.cols()));
  for (auto output : rows.residual.colwise()) {
    output *= std::sqrt(freedom) / std::max(output.norm(), 1e-300);
    output = output.cwiseMin(bound).cwiseMax(-bound).eval();
  }
  rows.residual = orthogonal_to(rows.basis, std::move(rows.residual));
  return rows;
}

}  // namespace relucover
