#include "verify/network_error.hpp"

#include <gtest/gtest.h>

namespace relucover {
namespace {

TEST(NetworkError, OfTheTruthIsRounding) {
  const Network truth = planted_network({.inputs = 5, .units = 3, .outputs = 2, .seed = 3});
  const auto source = synthetic_samples(truth, {.samples = 5000, .seed = 4});
  const auto error = network_error(truth, *source, Control(2));
  EXPECT_LT(error.rms, 1e-14);
  EXPECT_LT(error.max_abs, 1e-13);
  EXPECT_EQ(error.samples, 5000);
}

TEST(NetworkError, FindsTheNoiseLevelAndTheWorstSample) {
  RowMatrix x = RowMatrix::Zero(1000, 2), y = RowMatrix::Constant(1000, 1, 1e6);
  for (Index i = 0; i < 1000; ++i) y(i, 0) += i % 2 ? 0.5 : -0.5;
  y(617, 0) += 3;
  Network constant(2, 0, 1);
  constant.offset[0] = 1e6;
  const MemorySource<double> source(x, y);
  const auto error = network_error(constant, source, Control(1));
  EXPECT_EQ(error.worst_sample, 617);
  EXPECT_DOUBLE_EQ(error.max_abs, 3.5);
  EXPECT_NEAR(error.rms, std::sqrt((999 * 0.25 + 3.5 * 3.5) / 1000), 1e-12);
  EXPECT_NEAR(error.relative, 1, 1e-4);  // as good as a constant, though the labels are a million off zero
}

TEST(NetworkError, RefusesOtherShapes) {
  const auto source = synthetic_samples(planted_network({.inputs = 5, .units = 3}), {.samples = 10});
  EXPECT_THROW(network_error(Network(4, 3, 1), *source, Control(1)), std::invalid_argument);
  EXPECT_THROW(network_error(Network(5, 3, 2), *source, Control(1)), std::invalid_argument);
}

}  // namespace
}  // namespace relucover
