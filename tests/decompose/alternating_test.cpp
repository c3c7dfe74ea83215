#include "decompose/alternating.hpp"

#include <gtest/gtest.h>

namespace relucover {
namespace {

TEST(BalancedSlices, AlternatingConvergesToRoundingWhereFactorsAreNearlyCollinear) {
  RandomStream random(3, purpose::study);
  constexpr Index size = 8;
  Matrix factors = random.normal_matrix(size, size);
  for (Index i = 1; i < size; ++i) factors.col(i) = 0.8 * factors.col(0) + 0.4 * factors.col(i);  // condition in the hundreds
  factors.colwise().normalize();
  std::vector<Matrix> slices;
  for (Index k = 0; k < size; ++k) slices.push_back(factors * random.normal_vector(size).asDiagonal() * factors.transpose());
  const BalancedSlices balanced(slices, 1e-7);
  EXPECT_EQ(balanced.size(), size);
  double best = 1;
  Matrix found;
  for (int start = 0; start < 10 && best > 1e-24; ++start) {
    const AlternatingFit fit = balanced.alternate(random, {}, Control());
    if (fit.residual < best) {
      best = fit.residual;
      found = fit.vectors;
    }
  }
  EXPECT_LT(best, 1e-24);
  const Matrix cosines = (factors.transpose() * found).cwiseAbs();
  for (Index i = 0; i < size; ++i) EXPECT_NEAR(cosines.row(i).maxCoeff(), 1, 1e-10) << i;
}

}  // namespace
}  // namespace relucover
