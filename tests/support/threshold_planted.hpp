#pragma once
// Angles after pairing, and planted samples in memory, for tests of models with thresholds.
#include <cmath>
#include <limits>
#include <memory>

#include "networks/assignment.hpp"
#include "relucover/threshold.hpp"

namespace relucover::support {

/// Largest angle between paired rows, in radians; pi where rows are missing.
inline double worst_angle(const Matrix& truth, const Matrix& answer, bool with_sign = true) {
  if (answer.rows() < truth.rows()) return std::acos(-1.0);
  const auto angle = [&](Index i, Index j) {
    const Vector a = truth.row(i).normalized(), b = answer.row(j).normalized();
    const double plus = 2 * std::asin(std::min(1.0, (a - b).norm() / 2));
    return with_sign ? plus : std::min(plus, 2 * std::asin(std::min(1.0, (a + b).norm() / 2)));
  };
  Matrix cost(truth.rows(), answer.rows());
  for (Index i = 0; i < truth.rows(); ++i)
    for (Index j = 0; j < answer.rows(); ++j) cost(i, j) = angle(i, j);
  const auto partner = cheapest_assignment(cost);
  double worst = 0;
  for (Index i = 0; i < truth.rows(); ++i) worst = std::max(worst, cost(i, partner[static_cast<std::size_t>(i)]));
  return worst;
}

/// The coefficient of unit i alone, to the first power, in a polynomial upper part.
inline double linear_coefficient(const UpperPart& upper, Index unit) {
  for (const Monomial& monomial : upper.monomials)
    if (monomial.factors.size() == 1 && monomial.factors[0] == std::pair<Index, int>{unit, 1}) return monomial.coefficient;
  return 0;
}

/// Largest difference of linear coefficients between paired units (directions must be right already).
inline double worst_linear_coefficient(const ThresholdModel& truth, const ThresholdModel& answer) {
  if (answer.units() != truth.units()) return std::numeric_limits<double>::infinity();
  double worst = 0;
  for (Index i = 0; i < truth.units(); ++i) {
    Index partner = 0;
    (answer.W * truth.W.row(i).transpose()).maxCoeff(&partner);
    worst = std::max(worst, std::abs(linear_coefficient(truth.upper, i) - linear_coefficient(answer.upper, partner)));
  }
  return worst;
}

inline std::unique_ptr<SampleSource> in_memory(const SampleSource& source) {
  BlockBuffer<double> buffer;
  const auto block = source.read(0, source.samples(), buffer);
  return std::make_unique<MemorySource<double>>(RowMatrix(block.x), RowMatrix(block.y));
}

inline std::unique_ptr<SampleSource> samples_of(const ThresholdModel& model, const ThresholdSampleOptions& options) {
  return in_memory(*threshold_samples(model, options));
}

}  // namespace relucover::support
