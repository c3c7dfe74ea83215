// Each stage of learning a first layer with thresholds, on planted data with fixed seeds; all seeds must succeed.
#include <gtest/gtest.h>

#include "learners/threshold/band_fit.hpp"
#include "learners/threshold/cell_regression.hpp"
#include "learners/threshold/first_step.hpp"
#include "support/threshold_planted.hpp"

namespace relucover {
namespace {

using support::samples_of;
using support::worst_angle;

TEST(FirstStep, FindsReluDirections) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const ThresholdModel model = planted_threshold_model({.inputs = 10, .units = 5, .seed = seed});
    const auto source = samples_of(model, {.samples = 100'000, .seed = seed});
    const FirstStep step = first_step(*source, {.units = 5}, Control(2));
    EXPECT_EQ(step.rest.value, 0.37);
    EXPECT_LT(worst_angle(model.W, step.W), 0.14);
    EXPECT_LT((step.t.array() - 2).abs().maxCoeff(), 0.2);
  }
}

TEST(FirstStep, UsesActivityWhereUpperWeightsHaveBothSigns) {
  ThresholdModel model = planted_threshold_model({.inputs = 10, .units = 5, .pair_probability = 0, .triples = false, .seed = 4});
  model.upper.monomials[0].coefficient *= -1;
  model.upper.monomials[3].coefficient *= -1;
  const auto source = samples_of(model, {.samples = 100'000, .seed = 4});
  const FirstStep step = first_step(*source, {.units = 5}, Control(2));
  EXPECT_EQ(step.view.kind, LabelView::Kind::activity);
  EXPECT_LT(worst_angle(model.W, step.W), 0.14);
}

TEST(FirstStep, IsTheSameForAnyNumberOfThreads) {
  const ThresholdModel model = planted_threshold_model({.inputs = 8, .units = 4, .seed = 5});
  const auto source = samples_of(model, {.samples = 20'000, .seed = 5});
  EXPECT_EQ(first_step(*source, {.units = 4}, Control(1)).W, first_step(*source, {.units = 4}, Control(3)).W);
}

TEST(CellRegression, IsExactWithoutNoise) {
  const ThresholdModel model = planted_threshold_model({.inputs = 20, .units = 10, .seed = 6});
  const auto source = samples_of(model, {.samples = 100'000, .seed = 6});
  const FirstStep step = first_step(*source, {.units = 10, .threshold = 2}, Control(2));
  const CellFit fit = cell_regression(*source, step.view, step.W, step.t, {}, Control(2));
  EXPECT_TRUE(fit.skipped.empty());
  EXPECT_LT(worst_angle(model.W, fit.W), 1e-12);
  EXPECT_LT((fit.t.array() - 2).abs().maxCoeff(), 1e-12);
}

TEST(CellRegression, FitsHigherPowersOfOneUnit) {
  const ThresholdModel model = planted_threshold_model({.inputs = 8, .units = 4, .powers = true, .seed = 7});
  const auto source = samples_of(model, {.samples = 100'000, .seed = 7});
  const FirstStep step = first_step(*source, {.units = 4, .threshold = 2}, Control(2));
  const CellFit fit = cell_regression(*source, step.view, step.W, step.t, {.degree = 3}, Control(2));
  EXPECT_LT(worst_angle(model.W, fit.W), 1e-10);
  EXPECT_LT((fit.t.array() - 2).abs().maxCoeff(), 1e-8);
}

TEST(BandFit, FindsHalfspacesWithFlippedLabels) {
  const ThresholdModel model = planted_threshold_model({.inputs = 8,
                                                        .units = 4,
                                                        .unit = UnitFunction::parse("step"),
                                                        .threshold = 1.6,
                                                        .threshold_high = 2.2,
                                                        .upper = UpperPart::Kind::any,
                                                        .seed = 8});
  for (const double flips : {0.0, 0.01}) {
    const auto source = samples_of(model, {.samples = 200'000, .flips = flips, .seed = 8});
    const FirstStep step = first_step(*source, {.units = 4, .unit = model.unit}, Control(2));
    EXPECT_LT(worst_angle(model.W, step.W), 0.3);
    const LabelView label{.rest = 0, .tolerance = 0.5};
    const BandFit fit = band_fit(*source, label, step.W, step.t, {}, Control(2));
    EXPECT_LT(worst_angle(model.W, fit.W), flips > 0 ? 0.02 : 0.01);
    EXPECT_NEAR(fit.flips, flips, 0.002);
  }
}

}  // namespace
}  // namespace relucover
