// Population mode: the moment algorithms on exact moments, over fixed seeds.
#include <gtest/gtest.h>

#include <cmath>

#include "learners/hermite/moment_methods.hpp"
#include "relucover/population.hpp"

namespace relucover {
namespace {

constexpr int seeds = 10, few = 2;  // the full tables are in bench/accuracy

/// Biases drawn, with the roots of He_1, He_2 and He_3 among them (each vanishes from one tensor), or all zero.
Network planted(Index inputs, Index units, std::uint64_t seed, bool without_bias = false) {
  Network network = planted_network({.inputs = inputs, .units = units, .seed = seed});
  if (without_bias)
    network.b.setZero();
  else
    network.b.head(5) << 0.0, 1.0, -1.0, std::sqrt(3.0), -std::sqrt(3.0);
  return network;
}

/// Largest error of any parameter; signs count only if asked for.
double worst_error(const Network& truth, const MomentAnswer& answer, bool with_signs) {
  if (answer.units.count() != truth.units()) return 1e3;
  const Comparison errors = compare(truth, answer.network());
  if (errors.units_matched != truth.units() || (with_signs && errors.up_to_sign)) return 1e3;
  return std::max({errors.max_weight_error, errors.max_bias_error, errors.max_output_error});
}

TEST(Population, DefaultFindsIndependentUnitsToTenDigits) {
  for (int seed = 1; seed <= seeds; ++seed) {
    const Network truth = planted(10, 10, static_cast<std::uint64_t>(seed));
    EXPECT_LE(worst_error(truth, pencil_units(ExactMoments(truth), {.units = 10}, Control()), true), 1e-10) << seed;
  }
}

TEST(Population, PrintedAlgorithmsFindIndependentUnitsToEightDigits) {
  for (const auto which : {Decomposition::jennrich, Decomposition::power, Decomposition::als})
    for (int seed = 1; seed <= few; ++seed) {
      const Network truth = planted(10, 10, static_cast<std::uint64_t>(seed));
      const auto answer = printed_units(ExactMoments(truth), {.units = 10, .decomposition = which}, Control());
      EXPECT_LE(worst_error(truth, answer, true), 1e-8) << seed << " " << static_cast<int>(which);
    }
}

TEST(Population, DefaultFindsMoreUnitsThanInputsUpToSign) {
  struct Shape {
    Index inputs, units, tuple_order;
  };
  for (const auto& [inputs, units, tuple_order] : {Shape{6, 15, 2}, Shape{4, 15, 3}, Shape{5, 25, 3}})
    for (const bool without_bias : {false, true})
      for (int seed = 1; seed <= few; ++seed) {
        const Network truth = planted(inputs, units, static_cast<std::uint64_t>(seed), without_bias);
        const auto answer = pencil_units(ExactMoments(truth), {.units = units}, Control());
        EXPECT_EQ(answer.tuple_order, tuple_order);
        EXPECT_LE(worst_error(truth, answer, false), 1e-10) << inputs << " " << units << " " << seed << " " << without_bias;
      }
}

TEST(Population, FindsTheNumberOfUnits) {
  for (const Index units : {4, 10}) {
    const Network truth = planted_network({.inputs = 10, .units = units, .seed = 3});
    EXPECT_EQ(pencil_units(ExactMoments(truth), {}, Control()).units.count(), units);
  }
}

TEST(Population, ParallelUnitsAreNotClaimed) {
  Network truth = planted_network({.inputs = 6, .units = 3, .seed = 1});
  truth.W.row(1) = truth.W.row(0);
  for (const char* method : {"hermite", "hermite-printed"}) {
    const Result result = learn_from_network(truth, {.units = 3, .method = method});
    EXPECT_NE(result.status, Status::exact) << method;
  }
}

TEST(Population, NothingToFindIsAnAnswerNotACrash) {
  Network linear(4, 0, 1);
  linear.skip << 1, 2, 3, 4;
  for (const char* method : {"hermite", "hermite-printed"})
    for (const Index units : {0, 3}) EXPECT_LE(learn_from_network(linear, {.units = units, .method = method}).network.units(), 3);
}

}  // namespace
}  // namespace relucover
