// A sample of all small problems; bench/reliability/small_cases.cpp runs all of them.
#include <gtest/gtest.h>

#include "support/small_cases.hpp"

namespace relucover {
namespace {

TEST(SmallCases, NeitherCrashNorThrowNorLie) {
  constexpr Index every = 397;  // a prime: all values of all properties take turns
  Index number = 0, seen = 0, usable = 0;
  test::for_all_small_cases([&](const test::SmallCase& small) {
    if (number++ % every != 0) return;
    const test::SmallOutcome outcome = test::outcome_of(small);
    EXPECT_EQ(outcome.trouble, "") << small.name();
    ++seen;
    usable += outcome.status == Status::exact || outcome.status == Status::recovered || outcome.status == Status::approximate;
  });
  EXPECT_GT(seen, 400);
  EXPECT_GT(usable, seen / 20);
}

/// What running all of them has found.
TEST(SmallCases, ThatWereTroubleAreNot) {
  using test::Labels;
  const std::vector<test::SmallCase> found = {
      // Two and one unit explain so few samples; the others bend between them.
      {1, 3, 1, 15, Labels::network, "prune"},
      {1, 3, 1, 18, Labels::network, "robust"},
      {1, 4, 1, 17, Labels::network, "auto"},
      // No word about layers: none were taken.
      {3, 0, 3, 14, Labels::one_kink, "deep"},
      // A fit of exponentials that ran off to infinity.
      {1, 3, 2, 12, Labels::random, "rectified-exponential"},
  };
  for (const test::SmallCase& small : found) EXPECT_EQ(test::outcome_of(small).trouble, "") << small.name();
}

}  // namespace
}  // namespace relucover
