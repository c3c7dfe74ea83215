// Directions without linear terms, and refinement by questions; fixed seeds, all must succeed.
#include <gtest/gtest.h>

#include "core/random.hpp"
#include "learners/threshold/direction_test.hpp"
#include "learners/threshold/refine_estimate.hpp"
#include "support/threshold_planted.hpp"

namespace relucover {
namespace {

TEST(DirectionTest, FindsStepsUnderProductsAlone) {
  ThresholdModel model = planted_threshold_model({.inputs = 3,
                                                  .units = 3,
                                                  .unit = UnitFunction::parse("step"),
                                                  .threshold = 0,
                                                  .weights = PlantedThresholdOptions::Weights::orthonormal,
                                                  .seed = 1});
  model.upper.monomials = {{{{0, 1}, {1, 1}}, 1}, {{{1, 1}, {2, 1}}, 1}, {{{0, 1}, {2, 1}}, 1}};
  const auto source = support::samples_of(model, {.samples = 50'000, .seed = 1});
  const DirectionTest found = find_directions(*source, model.unit, {.units = 3, .threshold = 0}, Control(2));
  EXPECT_LT(support::worst_angle(model.W, found.W), 0.1);
}

TEST(DirectionTest, IsForTwoOrThreeInputs) {
  const ThresholdModel model = planted_threshold_model({.inputs = 4, .units = 3, .seed = 1});
  const auto source = support::samples_of(model, {.samples = 100, .seed = 1});
  EXPECT_THROW(find_directions(*source, model.unit, {.units = 3}, Control(1)), std::invalid_argument);
}

TEST(RefineEstimate, ReducesTheAngleByQuestions) {
  const ThresholdModel model =
      planted_threshold_model({.inputs = 6, .units = 3, .unit = UnitFunction::parse("step"), .upper = UpperPart::Kind::any, .seed = 2});
  const auto oracle = model_oracle(model);
  RandomStream random(3, purpose::study);
  const Vector truth = model.W.row(0).transpose();
  Vector aside = random.normal_vector(6);
  aside = (aside - aside.dot(truth) * truth).normalized();
  const Vector start = std::cos(0.1) * truth + std::sin(0.1) * aside;
  Index queries = 0;
  EXPECT_NEAR(std::atan(estimate_tan_alpha(*oracle, start, 0.01, {.band_samples = 20'000}, 0, queries)), 0.1, 0.02);
  const RefineEstimate refined = refine_estimate(*oracle, start, {.iterations = 60, .band_samples = 1000}, Control(1));
  EXPECT_LT((refined.w - truth).norm(), 0.05);
  EXPECT_GT(refined.queries, queries);
}

}  // namespace
}  // namespace relucover
