// Rectified activations: one's own from C++, noise, fewer outputs than units.
#include "relucover/rectified.hpp"

#include <gtest/gtest.h>

#include "core/random.hpp"
#include "networks/assignment.hpp"

namespace relucover {
namespace {

struct Problem {
  Matrix W, A;
  MemorySource<double> samples;
};

Problem planted(const RectifiedFunction& f, Index inputs, Index units, Index outputs, Index samples, double noise, std::uint64_t seed) {
  RandomStream random(seed, purpose::study);
  const Matrix W = random_orthonormal(inputs, units, random).transpose(), A = random.normal_matrix(outputs, units);
  RowMatrix x = random.normal_matrix(samples, inputs);
  const Matrix hidden = (x * W.transpose()).unaryExpr([&](double t) { return t > 0 ? f.value(t) : 0.0; });
  RowMatrix y = hidden * A.transpose() + noise * random.normal_matrix(samples, outputs);
  return {W, A, MemorySource<double>(std::move(x), std::move(y))};
}

double worst_row(const Matrix& truth, const Matrix& answer) {
  Matrix cost(truth.rows(), answer.rows());
  for (Index i = 0; i < truth.rows(); ++i)
    for (Index j = 0; j < answer.rows(); ++j) cost(i, j) = (truth.row(i) - answer.row(j)).norm();
  double worst = 0;
  const auto partner = cheapest_assignment(cost);
  for (Index i = 0; i < truth.rows(); ++i) worst = std::max(worst, cost(i, partner[static_cast<std::size_t>(i)]));
  return worst;
}

TEST(Rectified, PowersAndOnesOwnAreExactWithoutNoise) {
  const RectifiedFunction own{[](double t) { return t + t * t; }, [](double t) { return 1 + 2 * t; }, false};
  for (const RectifiedFunction& f : {RectifiedFunction::power(1.5), RectifiedFunction::power(2), own}) {
    const Problem problem = planted(f, 5, 3, 4, 6000, 0, 1);
    const RectifiedResult result = learn_rectified(problem.samples, f, {.units = 3, .threads = 1});
    EXPECT_EQ(result.status, Status::exact) << result.message;
    EXPECT_LT(worst_row(problem.W, result.W), 1e-9);
  }
}

TEST(Rectified, IsEstimatedWithNoiseAndWithFewerOutputsThanUnits) {
  const RectifiedFunction square = RectifiedFunction::power(2);
  for (const Index outputs : {4, 2}) {
    const Problem problem = planted(square, 5, 3, outputs, 20'000, 0.05, 2);
    const RectifiedResult result = learn_rectified(problem.samples, square, {.units = 3, .threads = 1});
    EXPECT_EQ(result.status, Status::approximate) << outputs << " outputs: " << result.message;
    EXPECT_LT(worst_row(problem.W, result.W), 0.01);
  }
}

TEST(Rectified, IsNotCertifiedWithAUnitTooFewOrAnotherActivation) {
  const RectifiedFunction square = RectifiedFunction::power(2);
  const Problem problem = planted(square, 5, 3, 4, 20'000, 0.05, 3);
  for (const auto& [f, units] : {std::pair{square, Index{2}}, std::pair{RectifiedFunction::power(1.8), Index{3}}}) {
    const RectifiedResult result = learn_rectified(problem.samples, f, {.units = units, .threads = 1});
    EXPECT_FALSE(result.status == Status::exact || result.status == Status::recovered) << result.message;
  }
  EXPECT_THROW(RectifiedFunction::power(0), std::invalid_argument);
}

}  // namespace
}  // namespace relucover
