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

/// t + t²: not homogeneous, nobody's but one's own.
RectifiedFunction own_function() {
  return {[](double t) { return t + t * t; }, [](double t) { return 1 + 2 * t; }, false};
}

bool certified(const RectifiedResult& result) { return result.status == Status::exact || result.status == Status::recovered; }

TEST(Rectified, PowersAndOnesOwnAreExactWithoutNoise) {
  for (const RectifiedFunction& f : {RectifiedFunction::power(1.5), RectifiedFunction::power(2), own_function()})
    for (const Index outputs : {4, 2, 1}) {
      const Problem problem = planted(f, 5, 3, outputs, 6000, 0, 1);
      const RectifiedResult result = learn_rectified(problem.samples, f, {.units = 3, .threads = 1});
      EXPECT_EQ(result.status, Status::exact) << outputs << " outputs: " << result.message;
      EXPECT_LT(worst_row(problem.W, result.W), 1e-9);
    }
}

TEST(Rectified, IsRecoveredWithNoiseAndWithFewerOutputsThanUnits) {
  for (const auto& [f, outputs] : {std::pair{RectifiedFunction::power(2), Index{4}}, std::pair{RectifiedFunction::power(1.5), Index{2}},
                                   std::pair{own_function(), Index{4}}, std::pair{own_function(), Index{2}}}) {
    const Problem problem = planted(f, 5, 3, outputs, 3000, 0.05, 2);
    const RectifiedResult result = learn_rectified(problem.samples, f, {.units = 3, .threads = 1});
    EXPECT_EQ(result.status, Status::recovered) << outputs << " outputs: " << result.message;
    EXPECT_LT(worst_row(problem.W, result.W), 0.02);
    EXPECT_LT(result.detection_limit, 0.5);
  }
}

TEST(Rectified, IsNotCertifiedWithAUnitTooFewOrAnotherActivation) {
  const RectifiedFunction square = RectifiedFunction::power(2);
  const Problem problem = planted(square, 5, 3, 4, 1500, 0.05, 3);
  for (const auto& [f, units] :
       {std::pair{square, Index{2}}, std::pair{RectifiedFunction::power(1.8), Index{3}}, std::pair{own_function(), Index{3}}}) {
    const RectifiedResult result = learn_rectified(problem.samples, f, {.units = units, .threads = 1});
    EXPECT_FALSE(certified(result)) << result.message;
  }
}

TEST(Rectified, IsNotCertifiedBesideWhatItLacks) {
  const RectifiedFunction square = RectifiedFunction::power(2);
  const Problem problem = planted(square, 5, 3, 3, 1500, 0.05, 4);
  const RowMatrix& x = problem.samples.x();
  const Vector first = x.col(0);
  const Matrix drive = x * problem.W.transpose();
  const std::vector<std::pair<std::string, Vector>> terms = {
      {"a constant", Vector::Constant(x.rows(), 0.02)},
      {"a linear term", 0.02 * first},
      {"a sine", 0.03 * (3 * first).array().sin()},
      {"a product", 0.02 * first.cwiseProduct(x.col(1))},
      {"a small bias", 0.04 * drive.col(0).cwiseMax(0)},
      {"a weak further unit", 0.02 * (x.rowwise().sum() / std::sqrt(5.0)).cwiseMax(0).cwiseAbs2()},
      {"a step", 0.04 * (first.array() > 0.3).cast<double>()},
  };
  for (const auto& [words, term] : terms) {
    RowMatrix y = problem.samples.y();
    y.colwise() += term;
    const RectifiedResult result = learn_rectified(MemorySource<double>(RowMatrix(x), std::move(y)), square, {.units = 3, .threads = 1});
    EXPECT_FALSE(certified(result)) << words << ": " << result.message;
  }
}

TEST(Rectified, OnesOwnFunctionIsChecked) {
  EXPECT_THROW(RectifiedFunction::power(0), std::invalid_argument);
  const Problem problem = planted(RectifiedFunction::power(2), 4, 2, 3, 500, 0, 1);
  RectifiedFunction wrong_slope = own_function(), not_homogeneous = own_function(), falling = own_function();
  wrong_slope.slope = [](double t) { return 1 + t; };
  not_homogeneous.homogeneous = true;
  falling.value = [](double t) { return t - t * t; };
  falling.slope = [](double t) { return 1 - 2 * t; };
  for (const RectifiedFunction& f : {wrong_slope, not_homogeneous, falling, RectifiedFunction{}})
    EXPECT_THROW(learn_rectified(problem.samples, f, {.units = 2}), std::invalid_argument);
}

}  // namespace
}  // namespace relucover
