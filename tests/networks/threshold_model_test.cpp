#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "networks/hermite_series.hpp"
#include "relucover/errors.hpp"
#include "relucover/threshold.hpp"

namespace relucover {
namespace {

// A fine Riemann sum: knows nothing of the closed forms. The functions with a kink or a jump converge slowest.
double coefficient_by_summation(const UnitFunction& unit, int order, double t) {
  const Index points = 400'000;
  const double low = -12, width = 24.0 / static_cast<double>(points);
  double total = 0;
  for (Index i = 0; i < points; ++i) {
    const double g = low + (static_cast<double>(i) + 0.5) * width;
    total += std::exp(-0.5 * g * g) * unit(g - t) * hermite_polynomial(order, g);
  }
  return total * width / std::sqrt(2 * std::numbers::pi) / std::sqrt(std::tgamma(order + 1.0));
}

TEST(UnitFunction, HermiteCoefficientsAreTheIntegrals) {
  for (const char* text : {"relu", "step", "sigmoid", "exponential:0.5", "abs", "cosine:2", "gaussian", "power:4"}) {
    const UnitFunction unit = UnitFunction::parse(text);
    for (const double t : {0.0, 1.3})
      for (const int order : {0, 1, 2, 3, 4})
        EXPECT_NEAR(unit.hermite_coefficient(order, t), coefficient_by_summation(unit, order, t), 2e-5)
            << text << " order " << order << " threshold " << t;
  }
}

TEST(UnitFunction, FourthCoefficientVanishesWhereThePrintedObjectiveFails) {
  EXPECT_NEAR(UnitFunction::parse("relu").hermite_coefficient(4, 1), 0, 1e-15);
  EXPECT_NEAR(UnitFunction::parse("step").hermite_coefficient(4, std::sqrt(3.0)), 0, 1e-15);
  const UnitFunction sigmoid = UnitFunction::parse("sigmoid");
  EXPECT_LT(sigmoid.hermite_coefficient(4, 3.00), 0);
  EXPECT_GT(sigmoid.hermite_coefficient(4, 3.04), 0);
}

TEST(UnitFunction, NamesAreReadBackAndNonsenseIsNot) {
  for (const char* text : {"relu", "step", "sigmoid", "exponential:0.5", "abs", "cosine:2", "gaussian", "power:4"})
    EXPECT_EQ(UnitFunction::parse(text).name(), text);
  for (const char* text : {"", "rel", "relu:2", "power:1.5", "cosine:", "cosine:x"})
    EXPECT_THROW(UnitFunction::parse(text), std::invalid_argument) << text;
}

TEST(ThresholdModel, UpperPartsAreWhatTheySay) {
  ThresholdModel model{UnitFunction::parse("step"), Matrix::Identity(2, 2), Vector::Constant(2, 1), {}};
  RowMatrix x(4, 2);
  x << 0, 0, 2, 0, 0, 2, 2, 2;
  model.upper.kind = UpperPart::Kind::any;
  EXPECT_EQ(model.evaluate(x), (Vector(4) << 0, 1, 1, 1).finished());
  model.upper.kind = UpperPart::Kind::all;
  EXPECT_EQ(model.evaluate(x), (Vector(4) << 0, 0, 0, 1).finished());
  model.upper = {UpperPart::Kind::polynomial, 5, {{{{0, 1}}, 2}, {{{0, 1}, {1, 2}}, -3}}, {}};
  EXPECT_EQ(model.evaluate(x), (Vector(4) << 5, 7, 5, 4).finished());
  model.unit = UnitFunction::parse("relu");
  model.upper = {UpperPart::Kind::layers,
                 0,
                 {},
                 {{DenseLayer::Kind::relu, (Matrix(1, 2) << 1, -2).finished(), Vector::Constant(1, 0.5)},
                  {DenseLayer::Kind::linear, Matrix::Constant(1, 1, 3), Vector::Constant(1, 1)}}};
  EXPECT_EQ(model.evaluate(x), (Vector(4) << 2.5, 5.5, 1, 1).finished());
}

TEST(ThresholdModel, FilesKeepEveryUpperPart) {
  const auto path = std::filesystem::temp_directory_path() / "relucover_threshold_model_test.json";
  for (const auto upper : {UpperPart::Kind::polynomial, UpperPart::Kind::any, UpperPart::Kind::all, UpperPart::Kind::layers}) {
    const ThresholdModel model =
        planted_threshold_model({.inputs = 6, .units = 4, .threshold = 1, .threshold_high = 2, .upper = upper, .powers = true, .seed = 3});
    write_threshold_model(model, path);
    const ThresholdModel copy = read_threshold_model(path);
    const RowMatrix x = 2 * RowMatrix::Random(50, 6);
    EXPECT_EQ(copy.evaluate(x), model.evaluate(x));
  }
  std::ofstream(path) << "{\"format\": \"relucover-threshold-model\", \"version\": 1, \"unit\": \"relu\"}";
  EXPECT_THROW(read_threshold_model(path), DataError);
  std::filesystem::remove(path);
}

TEST(PlantedThresholdModel, WeightsHaveTheShapeAskedFor) {
  using Weights = PlantedThresholdOptions::Weights;
  const ThresholdModel mild = planted_threshold_model({.inputs = 10, .units = 5, .weights = Weights::mild, .seed = 1});
  EXPECT_LT((mild.W.rowwise().norm().array() - 1).abs().maxCoeff(), 1e-14);
  const ThresholdModel supports =
      planted_threshold_model({.inputs = 12, .units = 3, .weights = Weights::supports, .support = 4, .seed = 1});
  EXPECT_EQ(supports.W * supports.W.transpose(), 4 * Matrix::Identity(3, 3));
  EXPECT_THROW(planted_threshold_model({.inputs = 2, .units = 3}), std::invalid_argument);
}

}  // namespace
}  // namespace relucover
