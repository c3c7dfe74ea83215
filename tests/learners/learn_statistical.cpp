// Planted networks: seeds are fixed, every case says how many must be recovered. bench/accuracy has the whole table.
#include <gtest/gtest.h>

#include "core/random.hpp"
#include "support/planted.hpp"

namespace relucover {
namespace {

struct Case {
  const char* name;
  PlantedOptions network;
  SyntheticOptions samples;
  Index seeds, at_least;
  bool units_given = true;
};

class Recovery : public testing::TestWithParam<Case> {};

TEST_P(Recovery, IsExactAsOftenAsDemanded) {
  Case given = GetParam();
  Index exact = 0;
  for (Index seed = 1; seed <= given.seeds; ++seed) {
    given.network.seed = static_cast<std::uint64_t>(seed);
    const auto problem = test::planted(given.network, given.samples);
    const Result result = learn(problem.samples, {.units = given.units_given ? given.network.units : 0, .seed = 7});
    if (result.status != Status::exact) continue;
    const Comparison errors = compare(problem.truth, result.network);
    EXPECT_LT(errors.max_weight_error + errors.max_bias_error + errors.max_output_error, 1e-9) << "false claim, seed " << seed;
    ++exact;
  }
  EXPECT_GE(exact, given.at_least);
}

InputDistribution inputs(const char* name) { return InputDistribution::parse(name); }

INSTANTIATE_TEST_SUITE_P(
    Planted, Recovery,
    testing::Values(Case{"few_samples", {.inputs = 10, .units = 5}, {.samples = 2000}, 6, 6},
                    Case{"units_unknown", {.inputs = 10, .units = 5}, {.samples = 4000}, 4, 4, false},
                    Case{"twenty_inputs", {.inputs = 20, .units = 10}, {.samples = 5000}, 3, 2},
                    Case{"laplace", {.inputs = 10, .units = 5}, {.samples = 3000, .distribution = inputs("laplace")}, 3, 3},
                    Case{"signs_only", {.inputs = 12, .units = 5}, {.samples = 3000, .distribution = inputs("rademacher")}, 3, 3},
                    Case{"skewed", {.inputs = 10, .units = 5}, {.samples = 3000, .distribution = inputs("exponential")}, 3, 3},
                    Case{"correlated", {.inputs = 10, .units = 5}, {.samples = 3000, .distribution = inputs("correlated:10000")}, 3, 3},
                    Case{"more_units_than_inputs", {.inputs = 3, .units = 9}, {.samples = 10000}, 3, 3},
                    Case{"vector", {.inputs = 10, .units = 6, .outputs = 3}, {.samples = 3000}, 3, 3},
                    Case{"vector_few_samples", {.inputs = 10, .units = 10, .outputs = 10, .bias = 0}, {.samples = 100}, 5, 5}),
    [](const auto& chosen) { return chosen.param.name; });

// A unit far out on sign vectors: on the 60 samples that its rare side has, one input is constant.
TEST(WhatTheDataLeaveFree, IsFixedByTheShapeOfTheNetwork) {
  const auto problem = test::planted({.inputs = 20, .units = 10, .seed = 11}, {.samples = 5000, .distribution = inputs("rademacher")});
  const Result result = learn(problem.samples, {.units = 10});
  EXPECT_EQ(result.status, Status::exact) << result.message;
  EXPECT_LT(compare(problem.truth, result.network).max_weight_error, 1e-12);
}

// The same where the rare side is the active one: nothing can tell. A fit that puts a sample on the unit's kink looks
// as if it were the only one.
TEST(WhatTheDataLeaveFree, IsNotClaimedWhereNothingFixesIt) {
  const auto problem = test::planted({.inputs = 20, .units = 10, .seed = 2}, {.samples = 5000, .distribution = inputs("rademacher")});
  const Result result = learn(problem.samples, {.units = 10});
  EXPECT_EQ(result.status, Status::approximate) << result.message;
}

// Outputs in other units, with noise of other sizes: each is followed as well as its own noise allows.
TEST(NoisyLabels, OfOutputsMayDifferInSize) {
  int recovered = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const auto problem = test::planted({.inputs = 5, .units = 3, .outputs = 3, .seed = seed}, {.samples = 3000});
    const Vector units = (Vector(3) << 1, 1000, 1e-3).finished(), noise = (Vector(3) << 0.01, 100, 5e-4).finished();
    RandomStream random(seed, purpose::study);
    const RowMatrix clean = problem.samples.y() * units.asDiagonal();
    RowMatrix y = clean;
    for (Index i = 0; i < y.rows(); ++i)
      for (Index o = 0; o < 3; ++o) y(i, o) += noise[o] * random.normal();
    const Result result = learn(MemorySource<double>(problem.samples.x(), y), {.units = 3, .seed = seed});
    recovered += result.status == Status::recovered;
    const RowMatrix off = result.network.evaluate(problem.samples.x()) - clean;
    const Vector error = (off.colwise().norm().transpose() / std::sqrt(3000.0)).cwiseQuotient(noise);
    EXPECT_LT(error.maxCoeff(), 0.15) << seed << ": " << result.message;
  }
  EXPECT_GE(recovered, 3);
}

// The last digits of labels far from zero do not drown.
TEST(NoisyLabels, MayLieFarFromZero) {
  int recovered = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const auto problem = test::planted({.inputs = 5, .units = 3, .seed = seed}, {.samples = 2000, .noise = seed % 2 ? 0.0 : 0.05});
    const RowMatrix y = problem.samples.y().array() + 1e6;
    const Result result = learn(MemorySource<double>(problem.samples.x(), y), {.seed = seed});
    recovered += result.certified() && result.network.units() == 3;
  }
  EXPECT_GE(recovered, 5);
}

TEST(NoisyLabels, AreRecoveredWithinTheirStandardErrors) {
  Index recovered = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const auto problem = test::planted({.inputs = 5, .units = 3, .seed = seed}, {.samples = 8000, .noise = 0.1});
    const Result result = learn(problem.samples, {.units = 3});
    if (result.status != Status::recovered) continue;
    ++recovered;
    EXPECT_NEAR(result.noise_estimate, 0.1, 0.005);
    EXPECT_LT(compare(problem.truth, result.network).max_weight_error, 0.05);
  }
  EXPECT_GE(recovered, 2);
}

class NotANetwork : public testing::TestWithParam<int> {};

TEST_P(NotANetwork, IsNeverCertified) {
  const std::uint64_t seed = 5;
  const Index samples = 6000, inputs = 5;
  const auto data = [&]() -> MemorySource<double> {
    switch (GetParam()) {
      case 0: return test::labelled(samples, inputs, seed, [](const Vector& x) { return std::sin(2 * x[0] + x[1]); });
      case 1:
        return test::labelled(samples, inputs, seed, [](const Vector& x) {
          return x[0] > 0.3 ? (x[1] > 0 ? 2.0 : -1.0) : x[2] > 0.5 ? 0.5 : 0.0;
        });
      case 2: {
        const Network lower = planted_network({.inputs = 5, .units = 6, .outputs = 4, .seed = 1}),
                      upper = planted_network({.inputs = 4, .units = 3, .seed = 2});
        return test::labelled(samples, inputs, seed, [=](const Vector& x) {
          const RowMatrix hidden = lower.evaluate(x.transpose()).cwiseMax(0);
          return upper.evaluate(hidden)(0, 0);
        });
      }
      case 3: return test::planted({.inputs = 5, .units = 6, .seed = 3}, {.samples = samples}).samples;  // 3 units asked for
      default:
        return test::labelled(samples, inputs, seed, [n = 0](const Vector& x) mutable {
          ++n;
          return std::cos(1e4 * x[0] * n);
        });  // noise
    }
  }();
  const Result result = learn(data, {.units = 3});
  EXPECT_FALSE(result.certified()) << result.message;
}
INSTANTIATE_TEST_SUITE_P(Labels, NotANetwork, testing::Range(0, 5));

}  // namespace
}  // namespace relucover
