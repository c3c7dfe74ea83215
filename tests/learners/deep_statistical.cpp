// Planted deep networks, fixed seeds. Small, so that all of it takes seconds; bench/accuracy/deep.py has the rates of larger ones.
#include <gtest/gtest.h>

#include <algorithm>

#include "relucover/relucover.hpp"

namespace relucover {
namespace {

double worst_of(const Comparison& errors) { return std::max({errors.max_weight_error, errors.max_bias_error, errors.max_output_error}); }

// A seed whose units all have a seventh of the samples or more on each side of their kinks. Demanded: exact, all weights to 1e-10
// (another such seed is in tests/cli/test_deep.py).
TEST(DeepStatistical, WellSeenNetworksAreExact) {
  const Network truth = planted_deep_network({.inputs = 10, .layers = {8, 5}, .seed = 1});
  const auto samples = synthetic_samples(truth, {.samples = 20000, .seed = 1});
  const Result result = learn(*samples, {.layers = {8, 5}, .seed = 1, .threads = 1, .starts = 4});
  EXPECT_TRUE(result.certified()) << result.brief();
  EXPECT_LT(worst_of(compare(truth, result.network)), 1e-10);
}

// Units that are on or off nearly everywhere: whatever is found, nothing false may be claimed.
TEST(DeepStatistical, BadlySeenNetworksAreNotClaimedFalsely) {
  for (const std::uint64_t seed : {1, 3, 4}) {
    const Network truth = planted_deep_network({.inputs = 4, .layers = {4, 3}, .seed = seed});
    const auto samples = synthetic_samples(truth, {.samples = 6000, .seed = seed});
    const Result result = learn(*samples, {.layers = {4, 3}, .threads = 1, .starts = 1});
    if (result.certified()) {
      EXPECT_LT(worst_of(compare(truth, result.network)), 1e-10) << "a false claim, seed " << seed;
    }
  }
}

TEST(DeepStatistical, ThreadsDoNotChangeABit) {
  const Network truth = planted_deep_network({.inputs = 3, .layers = {3, 2}, .seed = 2});
  const auto samples = synthetic_samples(truth, {.samples = 4000, .seed = 2});
  const Result one = learn(*samples, {.layers = {3, 2}, .threads = 1, .starts = 2});
  const Result two = learn(*samples, {.layers = {3, 2}, .threads = 2, .starts = 2});
  EXPECT_EQ(one.message, two.message);
  ASSERT_EQ(one.network.widths(), two.network.widths());
  EXPECT_EQ(one.network.W, two.network.W);
  EXPECT_EQ(one.network.A, two.network.A);
}

TEST(DeepStatistical, NoiseIsNotClaimed) {
  const Network truth = planted_deep_network({.inputs = 3, .layers = {3, 2}, .seed = 3});
  const auto samples = synthetic_samples(truth, {.samples = 3000, .noise = 0.01, .seed = 3});
  EXPECT_FALSE(learn(*samples, {.layers = {3, 2}, .threads = 1, .starts = 1}).certified());
}

}  // namespace
}  // namespace relucover
