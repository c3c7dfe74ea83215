// What learn() answers to data that can't carry an answer, and how options are refused.
#include <gtest/gtest.h>

#include "core/random.hpp"
#include "support/planted.hpp"

namespace relucover {
namespace {

TEST(Learn, RefusesMisuseWithEveryProblem) {
  const auto problem = test::planted({.inputs = 3, .units = 2}, {.samples = 100});
  LearnOptions options;
  options.units = -1;
  options.method = "magic";
  options.starts = 0;
  try {
    learn(problem.samples, options);
    FAIL();
  } catch (const std::invalid_argument& error) {
    const std::string text = error.what();
    for (const char* part : {"units", "magic", "starts", "prune"}) EXPECT_NE(text.find(part), std::string::npos) << text;
  }
}

TEST(Learn, FewerEquationsThanUnknownsIsAnAssumptionFailed) {
  const auto problem = test::planted({.inputs = 20, .units = 10}, {.samples = 60});
  const Result result = learn(problem.samples, {.units = 10});
  EXPECT_EQ(result.status, Status::assumption_failed);
  EXPECT_NE(result.message.find("60 samples"), std::string::npos) << result.message;
}

TEST(Learn, ConstantAndDuplicatedColumnsAreHandledAndReported) {
  const auto problem = test::planted({.inputs = 5, .units = 3, .seed = 6}, {.samples = 3000});
  RowMatrix x(3000, 7);
  x << problem.samples.x().leftCols(2), RowMatrix::Constant(3000, 1, 4.0), problem.samples.x().rightCols(3), problem.samples.x().col(0);
  const MemorySource<double> samples(x, problem.samples.y());
  const Result result = learn(samples, {.units = 3});
  EXPECT_EQ(result.status, Status::exact) << result.message;
  ASSERT_EQ(result.network.inputs(), 7);
  EXPECT_TRUE(result.network.W.col(2).isZero(0));
  EXPECT_LT((result.network.evaluate(x) - problem.samples.y()).norm(), 1e-10);
  EXPECT_EQ(result.notes.size(), 2u);
}

TEST(Learn, ConstantLabelsAndInputsAreSaid) {
  const RowMatrix varied = RowMatrix::Random(100, 2), same = RowMatrix::Ones(100, 1);
  EXPECT_EQ(learn(MemorySource<double>(varied, same)).status, Status::assumption_failed);
  EXPECT_EQ(learn(MemorySource<double>(RowMatrix::Ones(100, 2), RowMatrix::Random(100, 1))).status, Status::assumption_failed);
  EXPECT_EQ(learn(MemorySource<double>(RowMatrix(0, 2), RowMatrix(0, 1))).status, Status::assumption_failed);
}

TEST(Learn, NotANumberIsFoundAndNamed) {
  auto problem = test::planted({.inputs = 3, .units = 2}, {.samples = 500});
  RowMatrix x = problem.samples.x();
  x(123, 1) = std::numeric_limits<double>::quiet_NaN();
  const Result result = learn(MemorySource<double>(x, problem.samples.y()), {.units = 2});
  EXPECT_EQ(result.status, Status::assumption_failed);
  EXPECT_NE(result.message.find("123"), std::string::npos) << result.message;
}

TEST(Learn, AffineLabelsNeedNoUnits) {
  const auto samples = test::labelled(1000, 4, 1, [](const Vector& x) { return 2 * x[0] - x[3] + 0.5; });
  const Result result = learn(samples, {.units = 2});
  EXPECT_EQ(result.status, Status::exact) << result.message;
  EXPECT_EQ(result.network.units(), 0);
  EXPECT_NEAR(result.network.skip(0, 0), 2, 1e-12);
}

TEST(Learn, ThreeSamplesOfOneInput) {
  const RowMatrix x = Vector{{0.0, 1.0, 2.0}}, y = Vector{{0.0, 1.0, 3.0}};
  for (const Index units : {0, 1, 2, 3})
    EXPECT_FALSE(learn(MemorySource<double>(x, y), {.units = units, .threads = 1}).certified()) << units;
}

/// Many over-parameterised fits of these are perfect on the samples and useless beside them: there is no best model yet.
TEST(Learn, FewSamplesOfFewInputs) {
  int usable = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    RandomStream random(seed, purpose::study, 18);
    const Index inputs = 2 + static_cast<Index>(seed % 5), samples = 20 + 10 * static_cast<Index>(seed % 4);
    const RowMatrix x = random.normal_matrix(samples, inputs);
    const RowMatrix y = (x * random.normal_matrix(inputs, 4)).cwiseMax(0) * random.normal_matrix(4, 1);
    usable += learn(MemorySource<double>(x, y), {.threads = 1}).usable();
  }
  EXPECT_GT(usable, 20);
}

/// Probabilities as labels: behind the link is a network of two units; taken as they are, they have steps that no number of units follows.
TEST(Learn, ProbabilitiesAsLabels) {
  RandomStream random(1, purpose::study, 19);
  const RowMatrix x = random.normal_matrix(300, 6);
  RowMatrix y(300, 2);
  for (Index i = 0; i < x.rows(); ++i) {
    const double p = 1 / (1 + std::exp(-5 * x(i, 0) + 3 * std::abs(x(i, 1))));
    y.row(i) << 1 - p, p;
  }
  const Result behind = learn(MemorySource<double>(x, y), {.method = "prune", .threads = 1});
  EXPECT_EQ(behind.status, Status::exact) << behind.message;
  EXPECT_EQ(behind.network.link, Link::softmax);
  const Result result = learn(MemorySource<double>(x, y), {.method = "prune", .link = Link::identity, .threads = 1});
  EXPECT_EQ(result.status, Status::approximate) << result.message;
  EXPECT_EQ(result.network.outputs(), 2);
}

TEST(Learn, EqualUnitsAreMergedAndSaid) {
  Network truth = planted_network({.inputs = 6, .units = 4, .seed = 3});
  truth.W.row(1) = truth.W.row(0);
  truth.b[1] = truth.b[0];
  truth.A(0, 1) = 0.7 * truth.A(0, 0);  // the same sign, or they would nearly cancel
  const auto source = synthetic_samples(truth, {.samples = 3000, .seed = 3});
  const Result result = learn(*source, {.units = 4});
  EXPECT_EQ(result.status, Status::exact) << result.message;
  EXPECT_EQ(result.network.units(), 3);
  EXPECT_NE(result.message.find("3 units are enough"), std::string::npos) << result.message;
}

TEST(Learn, TheTimeLimitStopsAndSaysHowFar) {
  const auto problem = test::planted({.inputs = 60, .units = 40}, {.samples = 20000});
  const Result result = learn(problem.samples, {.units = 40, .time_limit = 0.3});
  EXPECT_EQ(result.status, Status::budget_exhausted);
  EXPECT_NE(result.message.find("time limit"), std::string::npos) << result.message;
  EXPECT_LT(result.seconds, 20);
}

TEST(Learn, ThreadsDoNotChangeABit) {
  const auto problem = test::planted({.inputs = 6, .units = 4, .seed = 9}, {.samples = 5000});
  const Result one = learn(problem.samples, {.units = 4, .threads = 1}), two = learn(problem.samples, {.units = 4, .threads = 2});
  EXPECT_EQ(one.network.W, two.network.W);
  EXPECT_EQ(one.network.A, two.network.A);
  EXPECT_EQ(one.network.b, two.network.b);
}

TEST(Learn, Float32LabelsAreExactToTheirRounding) {
  const auto problem = test::planted({.inputs = 6, .units = 4, .seed = 9}, {.samples = 5000});
  const RowMatrix rounded = problem.samples.y().cast<float>().cast<double>();
  const Result result = learn(MemorySource<double>(problem.samples.x(), rounded), {.units = 4});
  EXPECT_EQ(result.status, Status::exact) << result.message;
  EXPECT_LT(compare(problem.truth, result.network).max_weight_error, 1e-6);
}

}  // namespace
}  // namespace relucover
