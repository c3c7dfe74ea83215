#include "samples/subsample.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace relucover {
namespace {

std::vector<Index> sorted(std::vector<Index> rows) {
  std::sort(rows.begin(), rows.end());
  return rows;
}

void expect_distinct_in_range(const std::vector<Index>& rows, Index size) {
  const auto order = sorted(rows);
  EXPECT_EQ(std::adjacent_find(order.begin(), order.end()), order.end()) << "a row twice";
  if (order.empty()) return;
  EXPECT_GE(order.front(), 0);
  EXPECT_LT(order.back(), size);
}

TEST(SpreadRows, AreDistinctInRangeAndTheSameForTheSameSeed) {
  for (const Index size : {0, 1, 2, 63, 64, 1000, 100003})
    for (const Index count : {0, 1, 2, 64, 999, 200000}) {
      const auto rows = spread_rows(size, count, 5);
      EXPECT_EQ(static_cast<Index>(rows.size()), std::min(size, count));
      expect_distinct_in_range(rows, size);
      EXPECT_EQ(rows, spread_rows(size, count, 5));
    }
  EXPECT_NE(spread_rows(1000, 100, 5), spread_rows(1000, 100, 6));
}

TEST(SpreadRows, HaveOneRowInEveryStretch) {
  const auto order = sorted(spread_rows(100000, 1000, 1));
  for (Index i = 0; i < 1000; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)] / 100, i);
}

TEST(SpreadRuns, AreDistinctInRangeInRunsAllOverTheSamples) {
  for (const Index size : {0, 1, 100, 1000, 100003})
    for (const Index count : {1, 64, 999, 200000}) expect_distinct_in_range(spread_runs(size, count, 5), size);
  EXPECT_EQ(spread_runs(1000, 1000, 5).size(), 1000U) << "all of them if all are wanted";
  const auto order = sorted(spread_runs(1 << 20, 6400, 1));
  ASSERT_EQ(order.size(), 6400U);
  Index breaks = 0;
  for (std::size_t i = 1; i < order.size(); ++i) breaks += order[i] != order[i - 1] + 1;
  EXPECT_LT(breaks, 100);
  for (Index part = 0; part < 10; ++part) {
    const Index low = part * (1 << 20) / 10, high = (part + 1) * (1 << 20) / 10;
    const auto inside = std::count_if(order.begin(), order.end(), [&](Index row) { return row >= low && row < high; });
    EXPECT_NEAR(static_cast<double>(inside), 640, 130);
  }
}

TEST(Gather, KeepsTheOrderAskedForWhateverTheGaps) {
  constexpr Index samples = 3000;
  RowMatrix x(samples, 2), y(samples, 1);
  for (Index i = 0; i < samples; ++i) {
    x.row(i) << static_cast<double>(i), static_cast<double>(-i);
    y(i, 0) = 0.5 * static_cast<double>(i);
  }
  const MemorySource<double> source(std::move(x), std::move(y));
  for (const Index count : {1, 10, 100, 1000, 3000}) {
    const auto rows = spread_rows(samples, count, 3);
    const auto part = gather(source, rows, Control(1));
    ASSERT_EQ(part.samples(), count);
    for (Index i = 0; i < count; ++i) {
      EXPECT_EQ(part.x()(i, 1), -static_cast<double>(rows[static_cast<std::size_t>(i)]));
      EXPECT_EQ(part.y()(i, 0), 0.5 * static_cast<double>(rows[static_cast<std::size_t>(i)]));
    }
  }
}

}  // namespace
}  // namespace relucover
