#include "verify/input_diagnostics.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/random.hpp"
#include "verify/normal_statistics.hpp"

namespace relucover {
namespace {

InputDiagnostics diagnose_planted(const std::string& distribution, double noise = 0, Index samples = 20000) {
  const Network truth = planted_network({.inputs = 8, .units = 4, .seed = 5});
  const auto source =
      synthetic_samples(truth, {.samples = samples, .distribution = InputDistribution::parse(distribution), .noise = noise, .seed = 6});
  return diagnose(*source, {}, Control(2));
}

TEST(Diagnostics, GaussianInputs) {
  const auto found = diagnose_planted("gaussian");
  EXPECT_TRUE(found.gaussian.passed) << found.gaussian.worst << " " << found.gaussian.worst_z;
  EXPECT_TRUE(found.symmetric.passed) << found.symmetric.worst << " " << found.symmetric.worst_z;
  EXPECT_TRUE(found.whitened);
  EXPECT_EQ(found.units_at_least, 4);
  EXPECT_EQ(found.label_rank, 1);
  EXPECT_EQ(found.grid.decimals, -1);
  EXPECT_FALSE(found.grid.float32);
  EXPECT_GT(found.affine_fit_residual, 0.05);
  EXPECT_LT(found.affine_fit_residual, 0.95);
}

TEST(Diagnostics, CorrelatedGaussianInputsAreStillGaussian) {
  const auto found = diagnose_planted("correlated:1000");
  EXPECT_TRUE(found.gaussian.passed) << found.gaussian.worst << " " << found.gaussian.worst_z;
  EXPECT_FALSE(found.whitened);
  EXPECT_NEAR(found.covariance_condition, 1000, 100);
}

TEST(Diagnostics, OtherDistributions) {
  for (const char* name : {"mixture", "uniform", "laplace", "rademacher"}) {
    const auto found = diagnose_planted(name);
    EXPECT_FALSE(found.gaussian.passed) << name;
    EXPECT_TRUE(found.symmetric.passed) << name << " " << found.symmetric.worst << " " << found.symmetric.worst_z;
    EXPECT_FALSE(found.units_at_least.has_value()) << name;
  }
  const auto exponential = diagnose_planted("exponential");
  EXPECT_FALSE(exponential.gaussian.passed);
  EXPECT_FALSE(exponential.symmetric.passed);
}

// At level 1e-3 a test that is honest says no to about 1 in 1000 Gaussian samples; the statistics are correlated, so fewer.
TEST(Diagnostics, RarelyRejectsWhatIsGaussian) {
  int rejected = 0;
  const Network truth = planted_network({.inputs = 4, .units = 2});
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto source = synthetic_samples(truth, {.samples = 300, .seed = seed});
    const auto found = diagnose(*source, {.features = 1}, Control(1));
    rejected += !found.gaussian.passed + !found.symmetric.passed;
  }
  EXPECT_LE(rejected, 3);
}

TEST(Diagnostics, NoiseIsBoundedFromAbove) {
  const auto found = diagnose_planted("gaussian", 0.5);
  EXPECT_GT(found.noise_at_most, 0.48);
  EXPECT_LT(found.noise_at_most, 0.75);
}

TEST(Diagnostics, ConstantDuplicatedAndDependentColumns) {
  RandomStream random(1, purpose::study);
  RowMatrix x = random.normal_matrix(500, 6), y = random.normal_matrix(500, 2);
  x.col(1).setConstant(3);
  x.col(4) = x.col(0);
  x.col(5) = 2 * x.col(2) - x.col(3);
  y.col(1) = -2 * y.col(0);
  const auto found = diagnose(MemorySource<double>(x, y), {}, Control(1));
  EXPECT_EQ(found.constant_columns, std::vector<Index>{1});
  ASSERT_EQ(found.duplicated_columns.size(), 1u);
  EXPECT_EQ(found.duplicated_columns[0], (std::pair<Index, Index>{0, 4}));
  EXPECT_EQ(found.dependent_columns.size(), 2u);
  EXPECT_EQ(found.label_rank, 1);
}

TEST(Diagnostics, HardlyAnySamples) {
  EXPECT_THROW(diagnose(MemorySource<double>(RowMatrix::Zero(1, 2), RowMatrix::Zero(1, 1)), {}, Control(1)), std::invalid_argument);
  RandomStream random(2, purpose::study);
  const auto found = diagnose(MemorySource<double>(random.normal_matrix(3, 5), random.normal_matrix(3, 1)), {}, Control(1));
  EXPECT_FALSE(found.gaussian.passed);
  const auto constant = diagnose(MemorySource<double>(RowMatrix::Ones(50, 2), RowMatrix::Ones(50, 1)), {}, Control(1));
  EXPECT_EQ(constant.constant_columns.size(), 2u);
  EXPECT_EQ(constant.label_rank, 0);
}

// Reference values: the published formulas, computed in Python.
TEST(NormalStatistics, AgreeWithReference) {
  EXPECT_NEAR(skewness_z(0.3, 100), 1.2809301279636935, 1e-9);
  EXPECT_NEAR(kurtosis_z(3.5, 100), 1.240750100823869, 1e-9);
  EXPECT_NEAR(two_sided_threshold(0.05), 1.959963984540054, 1e-9);
}

TEST(LabelGrid, FindsDecimalsFloatsAndFewValues) {
  RandomStream random(3, purpose::study);
  const RowMatrix x = RowMatrix::Zero(3000, 1), y = random.normal_matrix(3000, 1);
  const auto grid_of = [&](const RowMatrix& labels) { return label_grid(MemorySource<double>(x, labels), Control(2)); };
  EXPECT_EQ(grid_of(y).decimals, -1);
  EXPECT_FALSE(grid_of(y).float32);
  const RowMatrix rounded = y.unaryExpr([](double v) { return std::round(v * 1e3) / 1e3; });
  EXPECT_EQ(grid_of(rounded).decimals, 3);
  EXPECT_DOUBLE_EQ(grid_of(rounded).rounding(), 5e-4);
  EXPECT_TRUE(grid_of(y.cast<float>().cast<double>()).float32);
  EXPECT_EQ(grid_of(y.cast<float>().cast<double>()).decimals, -1);
  const RowMatrix signs = y.unaryExpr([](double v) { return v > 0 ? 1.0 : -1.0; });
  EXPECT_EQ(grid_of(signs).values, (std::vector<double>{-1, 1}));
  EXPECT_TRUE(grid_of(y).values.empty());
  const RowMajor<float> narrow = rounded.cast<float>();
  EXPECT_EQ(label_grid(MemorySource<float>(x.cast<float>(), narrow), Control(2)).decimals, 3);
}

TEST(LabelGrid, DoesNotTakeTheSpacingOfFloatsForDecimals) {
  RandomStream random(4, purpose::study);
  const RowMajor<float> x = RowMajor<float>::Zero(400, 1);
  const RowMajor<float> large = (100 * random.normal_matrix(400, 1).array().abs() + 20).cast<float>();  // neighbours 2e-6 and more apart
  const LabelGrid grid = label_grid(MemorySource<float>(x, large), Control(1));
  EXPECT_TRUE(grid.float32);
  EXPECT_FALSE(grid.rounded());
}

TEST(LabelGrid, FindsSignificantDigits) {
  RandomStream random(5, purpose::study);
  RowMatrix y = random.normal_matrix(500, 1).array().exp();
  for (double& label : y.reshaped()) label = std::stod(fmt::format("{:.3e}", label));
  const LabelGrid grid = label_grid(MemorySource<double>(RowMatrix::Zero(500, 1), y), Control(1));
  EXPECT_EQ(grid.digits, 4);
  EXPECT_EQ(grid.decimals, -1);
  EXPECT_NEAR(grid.half_step(Matrix::Constant(1, 1, 2.345))(0, 0), 5e-4, 1e-12);
  EXPECT_NEAR(grid.half_step(Matrix::Constant(1, 1, 0.02345))(0, 0), 5e-6, 1e-14);
}

}  // namespace
}  // namespace relucover
