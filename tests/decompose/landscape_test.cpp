#include "decompose/landscape.hpp"

#include <gtest/gtest.h>

#include "support/threshold_planted.hpp"

namespace relucover {
namespace {

// Exact moments of Σ c_i u(w_i.x - t): m = û_2 Σ c_i w_i w_iᵀ, T_4 = √24 û_4 Σ c_i w_i^{⊗4}.
LandscapeProblem exact_problem(const Matrix& W, const Vector& c, double u2, double u4) {
  LandscapeProblem problem{
      Matrix::Zero(W.cols(), W.cols()), Matrix::Zero(W.cols() * W.cols(), W.cols() * W.cols()), u2, u4, c.minCoeff(), 3};
  for (Index i = 0; i < W.rows(); ++i) {
    const Matrix square = W.row(i).transpose() * W.row(i);
    problem.m += u2 * c[i] * square;
    problem.fourth += std::sqrt(24.0) * u4 * c[i] * square.reshaped() * square.reshaped().transpose();
  }
  return problem;
}

class Landscape : public ::testing::TestWithParam<double> {};

TEST_P(Landscape, MinimaOfExactMomentsAreTheComponents) {
  const double threshold = GetParam();  // û_4 changes its sign between the two
  const ThresholdModel model = planted_threshold_model({.inputs = 5, .units = 5, .seed = 8});
  Vector c(5);
  c << 0.7, 0.9, 1, 1.1, 1.3;
  const LandscapeProblem problem =
      exact_problem(model.W, c, model.unit.hermite_coefficient(2, threshold), model.unit.hermite_coefficient(4, threshold));
  const LandscapeResult one = landscape_one_by_one(problem, 5, {}, Control(1));
  ASSERT_TRUE(one.complete);
  EXPECT_LT(support::worst_angle(model.W, one.components, false), 1e-6);
  const LandscapeResult all = landscape_simultaneous(problem, {.seed = 1}, Control(1));
  ASSERT_TRUE(all.complete);
  EXPECT_LT(support::worst_angle(model.W, all.components, false), 1e-4);
}
INSTANTIATE_TEST_SUITE_P(BothSignsOfTheFourthCoefficient, Landscape, ::testing::Values(0.5, 2.0));

}  // namespace
}  // namespace relucover
