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

}  // namespace
}  // namespace relucover
