// Tasks about a first layer, on planted data with fixed seeds; all seeds must succeed, and no status may lie.
#include "relucover/first_layer.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/threshold_planted.hpp"

namespace relucover {
namespace {

using support::samples_of;
using support::worst_angle;

TEST(LowestLayer, IsExactForReluUnderAPolynomial) {
  const ThresholdModel model = planted_threshold_model({.inputs = 8, .units = 4, .triples = false, .seed = 1});
  const auto source = samples_of(model, {.samples = 60'000, .seed = 1});
  const FirstLayerResult result = learn_lowest_layer(*source, {.units = 4, .degree = 2, .threads = 2});
  EXPECT_EQ(result.status, Status::exact) << result.full();
  EXPECT_LT(worst_angle(model.W, result.model.W), 1e-12);
  EXPECT_LT(result.holdout_error, 1e-10);
}

TEST(LowestLayer, CountsUnits) {
  const ThresholdModel model = planted_threshold_model({.inputs = 8, .units = 3, .seed = 2});
  const auto source = samples_of(model, {.samples = 60'000, .seed = 2});
  const FirstLayerResult result = learn_lowest_layer(*source, {.threads = 2});
  EXPECT_EQ(result.model.units(), 3);
  EXPECT_EQ(result.status, Status::exact) << result.full();
}

TEST(LowestLayer, IsNotCertifiedWithAUnitTooFew) {
  const ThresholdModel model = planted_threshold_model({.inputs = 8, .units = 4, .seed = 3});
  const auto source = samples_of(model, {.samples = 60'000, .seed = 3});
  const FirstLayerResult result = learn_lowest_layer(*source, {.units = 3, .threads = 2});
  EXPECT_FALSE(result.status == Status::exact || result.status == Status::recovered) << result.full();
}

TEST(LowestLayer, RecoversNoisyRelu) {
  const ThresholdModel model = planted_threshold_model({.inputs = 8, .units = 4, .seed = 4});
  const auto source = samples_of(model, {.samples = 200'000, .noise = 0.01, .seed = 4});
  const FirstLayerResult result = learn_lowest_layer(*source, {.units = 4, .threads = 2});
  EXPECT_EQ(result.status, Status::recovered) << result.full();
  EXPECT_LT(worst_angle(model.W, result.model.W), 0.005);
}

TEST(LowestLayer, OfPureNoiseIsNotCertified) {
  const ThresholdModel model = planted_threshold_model({.inputs = 8, .units = 4, .threshold = 9, .seed = 4});  // never active
  const auto source = samples_of(model, {.samples = 50'000, .noise = 1, .seed = 4});
  const FirstLayerResult result = learn_lowest_layer(*source, {.units = 4, .threads = 2});
  EXPECT_FALSE(result.status == Status::exact || result.status == Status::recovered) << result.full();
}

TEST(LowestLayer, OfADeepTeacherIsRecovered) {
  const ThresholdModel model = planted_threshold_model(
      {.inputs = 8, .units = 4, .upper = UpperPart::Kind::layers, .hidden_kind = DenseLayer::Kind::sigmoid, .seed = 5});
  const auto source = samples_of(model, {.samples = 200'000, .seed = 5});
  const FirstLayerResult result = learn_lowest_layer(*source, {.units = 4, .threads = 2});
  EXPECT_EQ(result.status, Status::recovered) << result.full();
  EXPECT_LT(worst_angle(model.W, result.model.W), 0.01);
  const auto handed_on = handed_on_samples(*source, result.model);
  EXPECT_EQ(handed_on->inputs(), 4);
  BlockBuffer<double> buffer, original;
  const auto block = handed_on->read(100, 10, buffer);
  EXPECT_EQ(RowMatrix(block.x), result.model.first_layer(source->read(100, 10, original).x));
}

TEST(LowestLayer, IsExactForSigmoidOfKnownDegreeAndRefusesTheFirstStepAlone) {
  const UnitFunction sigmoid = UnitFunction::parse("sigmoid");
  const ThresholdModel model = planted_threshold_model({.inputs = 6, .units = 3, .unit = sigmoid, .threshold = 2.5, .seed = 6});
  const auto source = samples_of(model, {.samples = 200'000, .seed = 6});
  const FirstLayerResult result = learn_lowest_layer(*source, {.units = 3, .unit = sigmoid, .threshold = 2.5, .threads = 2});
  EXPECT_EQ(result.status, Status::exact) << result.full();
  EXPECT_LT(worst_angle(model.W, result.model.W), 1e-8);
  const FirstLayerResult refused =
      learn_lowest_layer(*source, {.units = 3, .unit = sigmoid, .threshold = 2.5, .refine = false, .threads = 2});
  EXPECT_EQ(refused.status, Status::assumption_failed);
  EXPECT_NE(refused.message.find("2.50 <= 3"), std::string::npos) << refused.message;
}

TEST(LowestLayer, FindsSupportsOfExponentialUnits) {
  const UnitFunction unit = UnitFunction::parse("exponential:0.5");
  const ThresholdModel model = planted_threshold_model({.inputs = 20,
                                                        .units = 4,
                                                        .unit = unit,
                                                        .threshold = 5,
                                                        .weights = PlantedThresholdOptions::Weights::supports,
                                                        .support = 4,
                                                        .seed = 7});
  const auto source = samples_of(model, {.samples = 200'000, .seed = 7});
  const FirstLayerResult result = learn_lowest_layer(*source, {.units = 4, .unit = unit, .threshold = 5, .threads = 2});
  EXPECT_TRUE(result.usable()) << result.full();
  EXPECT_EQ(worst_angle(model.W, result.model.W), 0);
}

TEST(LowestLayer, FindsDirectionsOfEvenUnitsAndRefusesSquares) {
  for (const char* text : {"cosine", "abs", "power:2"}) {
    const UnitFunction unit = UnitFunction::parse(text);
    const ThresholdModel model = planted_threshold_model({.inputs = 4,
                                                          .units = 4,
                                                          .unit = unit,
                                                          .threshold = 0,
                                                          .weights = PlantedThresholdOptions::Weights::orthonormal,
                                                          .pair_probability = 0,
                                                          .triples = false,
                                                          .seed = 8});
    ThresholdModel equal = model;
    for (Monomial& monomial : equal.upper.monomials) monomial.coefficient = 1;
    const auto source = samples_of(equal, {.samples = 200'000, .seed = 8});
    const FirstLayerResult result = learn_lowest_layer(*source, {.units = 4, .unit = unit, .threads = 2});
    if (unit.kind == UnitFunction::Kind::power) {
      EXPECT_EQ(result.status, Status::assumption_failed) << result.full();
    } else {
      const bool smooth = unit.kind == UnitFunction::Kind::cosine;  // all weights are refined together from the maxima
      EXPECT_EQ(result.status, smooth ? Status::exact : Status::approximate) << result.full();
      EXPECT_LT(worst_angle(model.W, result.model.W, false), smooth ? 1e-7 : 0.1) << text;
    }
  }
}

ThresholdModel halfspaces(UpperPart::Kind upper, double threshold, std::uint64_t seed) {
  return planted_threshold_model(
      {.inputs = 8, .units = 4, .unit = UnitFunction::parse("step"), .threshold = threshold, .upper = upper, .seed = seed});
}

TEST(Halfspaces, UnionAndIntersectionAreRecovered) {
  for (const auto upper : {UpperPart::Kind::any, UpperPart::Kind::all}) {
    const ThresholdModel model = halfspaces(upper, 2, 9);
    const auto source = samples_of(model, {.samples = 200'000, .flips = 0.005, .seed = 9});
    const FirstLayerResult result = learn_halfspaces(*source, {.units = 4, .threads = 2});
    EXPECT_EQ(result.status, Status::recovered) << result.full();
    // The model of an intersection w.x > -t is its complement: -w.x > t.
    EXPECT_LT(worst_angle(upper == UpperPart::Kind::any ? model.W : Matrix(-model.W), result.model.W), 0.02);
    EXPECT_LT(result.holdout_error, 0.008);
    const auto object = nlohmann::json::parse(result.json());
    EXPECT_EQ(object.at("status"), "recovered");
    EXPECT_EQ(object.at("units"), 4);
  }
}

TEST(Halfspaces, ThatOverlapTooMuchAreRefusedWithTheNumber) {
  const ThresholdModel model = halfspaces(UpperPart::Kind::any, 1.2, 10);
  const auto source = samples_of(model, {.samples = 50'000, .seed = 10});
  const FirstLayerResult result = learn_halfspaces(*source, {.units = 4, .threads = 2});
  EXPECT_EQ(result.status, Status::assumption_failed);
  EXPECT_NE(result.message.find("> 0.3"), std::string::npos) << result.message;
}

TEST(Halfspaces, AreNotCertifiedWithAUnitTooFew) {
  const ThresholdModel model = halfspaces(UpperPart::Kind::any, 2, 11);
  const auto source = samples_of(model, {.samples = 100'000, .seed = 11});
  const FirstLayerResult result = learn_halfspaces(*source, {.units = 3, .threads = 2});
  EXPECT_NE(result.status, Status::recovered) << result.full();
  EXPECT_NE(result.status, Status::exact);
}

TEST(FirstLayerTasks, NameEveryMisuseAndStopWhenTheTimeIsOver) {
  const auto source = samples_of(halfspaces(UpperPart::Kind::any, 2, 12), {.samples = 1'000, .seed = 12});
  try {
    learn_halfspaces(*source, {.units = 9, .method = "nonsense", .degree = 99});
    FAIL();
  } catch (const std::invalid_argument& error) {
    const std::string text = error.what();
    for (const char* part : {"9 units", "nonsense", "99"}) EXPECT_NE(text.find(part), std::string::npos) << text;
  }
  EXPECT_EQ(learn_halfspaces(*source, {.units = 4, .time_limit = 1e-9}).status, Status::budget_exhausted);
}

}  // namespace
}  // namespace relucover
