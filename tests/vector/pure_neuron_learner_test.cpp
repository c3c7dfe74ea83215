// The pure-neuron methods through learn(): status, message and figures.
#include <gtest/gtest.h>

#include "core/random.hpp"
#include "moments/distinguishing.hpp"
#include "vector/planted.hpp"

namespace relucover {
namespace {

Result learn_with(const SampleSource& source, const char* method, Index units = 0) {
  LearnOptions options;
  options.method = method;
  options.units = units;
  options.threads = 2;
  return learn(source, options);
}

double error_of(const Network& truth, const Result& result) {
  const Comparison errors = compare(truth, result.network);
  return std::max({errors.max_weight_error, errors.max_bias_error, errors.max_output_error});
}

TEST(PureNeuronLearner, IsExactAndFindsTheNumberOfUnits) {
  for (const char* distribution : {"gaussian", "mixture"}) {
    const Planted planted = planted_vector({10, 6, 8, 2, 2}, of_samples(2000, distribution), 1);
    const Result result = learn_with(*planted.source, "pure-neuron");
    EXPECT_EQ(result.status, Status::exact) << result.message;
    EXPECT_LE(error_of(planted.truth, result), 1e-12);
    EXPECT_GT(result.figures.at("distinguishing_least"), 0);
  }
}

TEST(PureNeuronLearner, ReachesTheNoiseLimit) {
  const Planted planted = planted_vector({10, 10, 10}, of_samples(10000, "gaussian", 0.1), 2);
  const Result result = learn_with(*planted.source, "pure-neuron", 10);
  ASSERT_TRUE(result.usable()) << result.message;
  EXPECT_LE(squared_errors(planted.truth, result.network).worst(), 10 * 0.01 * 10 * 9 / 10000);
}

TEST(PureNeuronLearner, NamesRankDeficientOutputs) {
  Network truth = vector_network({8, 4, 6});
  truth.A.col(3) = truth.A.col(0) + truth.A.col(1);
  const auto source = synthetic_samples(truth, {.samples = 5000, .seed = 1});
  const Result result = learn_with(*source, "pure-neuron", 4);
  EXPECT_EQ(result.status, Status::assumption_failed);
  EXPECT_NE(result.message.find("rank 3"), std::string::npos) << result.message;
}

TEST(PureNeuronLearner, ClaimsNothingFalseOnInputsThatAreNotSymmetric) {
  const Planted planted = planted_vector({8, 4, 4}, of_samples(3000, "exponential"), 1);
  const Result result = learn_with(*planted.source, "pure-neuron", 4);
  if (result.certified())
    EXPECT_LE(error_of(planted.truth, result), 1e-6);
  else
    EXPECT_EQ(result.status, Status::assumption_failed) << result.message;
}

TEST(PureNeuronLearner, PrintedAlgorithmsSayWhichShapeTheyNeed) {
  const Planted planted = planted_vector({8, 4, 6}, of_samples(500), 1);
  const Result result = learn_with(*planted.source, "pure-neuron-printed", 4);
  EXPECT_EQ(result.status, Status::assumption_failed);
  EXPECT_NE(result.message.find("4 units, 6 outputs"), std::string::npos) << result.message;
}

TEST(VectorMethods, FindNoUnitsInPureNoise) {
  RandomStream random(3, purpose::study);
  const RowMatrix x = random.normal_matrix(400, 4), y = random.normal_matrix(400, 3);
  for (const char* method : {"pure-neuron", "order-two", "independent-components", "proportional-labels", "cells", "direction-net"}) {
    const Result result = learn_with(MemorySource<double>(x, y), method);
    EXPECT_FALSE(result.certified()) << method << ": " << result.message;
    EXPECT_FALSE(result.message.empty());
  }
}

TEST(Distinguishing, IsWellConditionedForOrthonormalUnits) {
  const Planted planted = planted_vector({8, 4, 4}, of_samples(20000), 1);
  const auto found = distinguishing(*planted.source, planted.truth.W, Control(1));
  EXPECT_TRUE(found.findings.empty());
  EXPECT_GT(found.least(), 0.1);
  EXPECT_GT(found.least_augmented(), 0.05);
  EXPECT_NEAR(found.opposite(0, 1), 0.5, 0.03);
}

TEST(Distinguishing, NamesUnitsThatShareASign) {
  RowMatrix x(200, 3);
  RandomStream random(1, purpose::study);
  for (Index i = 0; i < 200; ++i) {
    const double side = random.sign();
    for (Index j = 0; j < 3; ++j) x(i, j) = side * (0.1 + random.uniform());  // all inputs share a sign
  }
  Matrix W(3, 3);
  W << 1, 0, 0, 0, 1, 0, 1, -1, 0.2;
  const MemorySource<double> source(x, RowMatrix::Zero(200, 3));
  const auto found = distinguishing(source, W, Control(1));
  ASSERT_FALSE(found.findings.empty());
  EXPECT_EQ(found.findings[0], "units 1 and 2 always share a sign on these inputs");
}

}  // namespace
}  // namespace relucover
