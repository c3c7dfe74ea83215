#include "reduce/reduce.hpp"

#include <gtest/gtest.h>

namespace relucover {
namespace {

struct SumOfProducts {
  using Scalar = double;
  double total = 0;
  Index rows = 0;
  void add(const Block<double>& block) {
    total += (block.x.array().colwise() * block.y.col(0).array()).sum();
    rows += block.rows();
  }
  void merge(const SumOfProducts& other) {
    total += other.total;
    rows += other.rows;
  }
};

TEST(Reduce, VisitsEverySampleOnceAndIsTheSameForAnyNumberOfThreads) {
  const auto source = synthetic_samples(planted_network({.inputs = 7, .units = 3, .seed = 1}), {.samples = 30011, .seed = 2});
  const auto one = reduce(*source, SumOfProducts{}, Control(1));
  EXPECT_EQ(one.rows, 30011);
  for (const int threads : {2, 3, 5}) {
    const auto many = reduce(*source, SumOfProducts{}, Control(threads));
    EXPECT_EQ(many.rows, one.rows);
    EXPECT_EQ(many.total, one.total);
  }
}

TEST(Reduce, StopsWhenTheTimeIsOver) {
  const auto source = synthetic_samples(planted_network({.inputs = 7, .units = 3}), {.samples = 30011});
  EXPECT_THROW(reduce(*source, SumOfProducts{}, Control(2, 0.0)), Interrupted);
}

}  // namespace
}  // namespace relucover
