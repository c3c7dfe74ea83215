#include <gtest/gtest.h>

#include "relucover/errors.hpp"
#include "relucover/threshold.hpp"

namespace relucover {
namespace {

ThresholdModel union_of_halfspaces() {
  return planted_threshold_model({.inputs = 5, .units = 3, .unit = UnitFunction::parse("step"), .upper = UpperPart::Kind::any, .seed = 1});
}

TEST(ThresholdSamples, AreTheSameWhereverReadingStarts) {
  const auto source = threshold_samples(union_of_halfspaces(), {.samples = 1000, .flips = 0.1, .seed = 4});
  BlockBuffer<double> whole_buffer, part_buffer;
  const auto whole = source->read(0, 1000, whole_buffer);
  const auto part = source->read(600, 100, part_buffer);
  EXPECT_EQ(part.x, whole.x.middleRows(600, 100));
  EXPECT_EQ(part.y, whole.y.middleRows(600, 100));
}

TEST(ThresholdSamples, FlipsAsManyLabelsAsAsked) {
  const ThresholdModel model = union_of_halfspaces();
  const auto source = threshold_samples(model, {.samples = 20000, .flips = 0.1, .seed = 4});
  BlockBuffer<double> buffer;
  const auto block = source->read(0, 20000, buffer);
  const double flipped = (block.y.col(0) - model.evaluate(block.x)).cwiseAbs().mean();
  EXPECT_NEAR(flipped, 0.1, 5 * std::sqrt(0.09 / 20000));  // five standard deviations
}

TEST(BiasedOracleSamples, AcceptInProportionToTheFunction) {
  // f is 0 or 1, so every accepted input is active.
  const ThresholdModel model = union_of_halfspaces();
  const std::shared_ptr<const Oracle> oracle = model_oracle(model);
  const auto source = biased_oracle_samples(oracle, 200, 1, 9);
  BlockBuffer<double> buffer;
  const auto block = source->read(0, 200, buffer);
  EXPECT_EQ(oracle->answer(block.x).minCoeff(), 1);
  EXPECT_EQ(block.y.minCoeff(), 1);
}

TEST(BiasedOracleSamples, GivesUpWithAReason) {
  const std::shared_ptr<const Oracle> oracle = model_oracle(union_of_halfspaces());
  const auto source = biased_oracle_samples(oracle, 200, 1e9, 9, 1000);
  BlockBuffer<double> buffer;
  EXPECT_THROW(source->read(0, 10, buffer), DataError);
}

}  // namespace
}  // namespace relucover
