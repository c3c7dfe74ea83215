#include <gtest/gtest.h>

#include "solve/layered_descent.hpp"
#include "solve/layered_sums.hpp"
#include "support/layered_models.hpp"

namespace relucover {
namespace {

TEST(Layered, GramIsThatOfDifferences) {
  for (const Index plain_layers : {0, 1, 2})
    for (const Index outputs : {1, 2}) {
      const LayeredModel model = random_layered(plain_layers, 3, {4, 2}, outputs, 1);
      const auto samples = samples_of_layered(random_layered(plain_layers, 3, {4, 2}, outputs, 2), 300, 3);
      const auto sums = reduce(samples, LayeredGram<double>(model), Control(1));
      const Vector at = model.flat();
      ASSERT_EQ(at.size(), LayeredModel::parameters(3, {4, 2}, outputs, plain_layers));
      Matrix jacobian(300 * outputs, at.size());
      for (Index p = 0; p < at.size(); ++p) {
        constexpr double step = 1e-7;
        Vector up = at, down = at;
        up[p] += step;
        down[p] -= step;
        LayeredModel moved = model;
        moved.set_flat(up);
        const RowMatrix above = predict(moved, samples.x());
        moved.set_flat(down);
        jacobian.col(p) = ((above - predict(moved, samples.x())) / (2 * step)).reshaped();
      }
      const Matrix gram = Matrix(sums.gram.selfadjointView<Eigen::Lower>());
      const Vector gradient = jacobian.transpose() * (samples.y() - predict(model, samples.x())).reshaped();
      // A sample or two may cross a kink within the step.
      EXPECT_LT((gram - jacobian.transpose() * jacobian).norm(), 1e-4 * gram.norm());
      EXPECT_LT((sums.gradient - gradient).norm(), 1e-4 * gradient.norm());
      const auto single = reduce(samples, LayeredGram<float>(model), Control(1));
      EXPECT_LT((single.gram.cast<double>() - sums.gram).norm(), 1e-5 * gram.norm());
    }
}

TEST(Layered, BalanceAndRemovalKeepTheFunction) {
  for (const Index plain_layers : {0, 1}) {
    LayeredModel model = random_layered(plain_layers, 3, {4, 3}, 2, 4);
    const auto samples = samples_of_layered(model, 50, 5);
    balance(model);
    EXPECT_LT((predict(model, samples.x()) - samples.y()).norm(), 1e-12 * samples.y().norm());
    EXPECT_NEAR(model.theta[1].row(2).norm(), 1, 1e-14);
  }
  LayeredModel model = random_layered(0, 3, {4, 3}, 2, 4);
  const auto samples = samples_of_layered(model, 50, 5);
  const Index column = model.values_at(0) + 1;  // without effect, the unit can go
  model.theta[1].col(column).setZero();
  model.output.col(column).setZero();
  EXPECT_LT((predict(without_unit(model, 0, 1), samples.x()) - predict(model, samples.x())).norm(), 1e-12);
}

TEST(Layered, DerivativesAreThoseOfDifferences) {
  for (const Index plain_layers : {0, 1, 2}) {
    const LayeredModel model = random_layered(plain_layers, 3, {4, 2}, 2, 11);
    const RowMatrix x = RandomStream(12, purpose::inputs).normal_matrix(200, 3);
    LayeredValues values;
    evaluate(model, x, values);
    const RowMatrix derivative = derivative_by_features(model, values, 1);
    Index crossed = 0;  // a sample may cross a kink within the step
    for (Index input = 0; input < 3; ++input) {
      constexpr double step = 1e-7;
      RowMatrix up = x, down = x;
      up.col(input).array() += step;
      down.col(input).array() -= step;
      const Vector difference = (predict(model, up) - predict(model, down)).col(1) / (2 * step);
      crossed += ((difference - derivative.col(input)).cwiseAbs().array() > 1e-5).count();
    }
    EXPECT_LE(crossed, 1) << plain_layers;
  }
}

TEST(Layered, NetworksAndPlainModelsAreTheSame) {
  const Network network = planted_deep_network({.inputs = 3, .layers = {4, 2}, .outputs = 2, .seed = 6});
  const RowMatrix x = RandomStream(1, purpose::inputs).normal_matrix(50, 3);
  const LayeredModel model = plain_model(network);
  EXPECT_LT((predict(model, x) - network.evaluate(x)).norm(), 1e-12);
  EXPECT_LT((network_of(model).evaluate(x) - network.evaluate(x)).norm(), 1e-12);
}

TEST(Layered, DescentReturnsFromADisturbanceWithTheSameBytesOnAnyThreads) {
  const LayeredModel truth = random_layered(0, 4, {3, 2}, 1, 7);
  auto samples = samples_of_layered(truth, 6000, 8);
  LayeredModel start = truth;
  start.set_flat(truth.flat() + 0.02 * RandomStream(9, purpose::starts).normal_vector(truth.parameters()));
  const Descent one = descend(start, samples, {}, Control(1)), two = descend(start, samples, {}, Control(2));
  EXPECT_LT(one.cost, 1e-24);
  EXPECT_EQ(one.steps, two.steps);
  EXPECT_EQ(one.model.flat(), two.model.flat());
}

TEST(Layered, DescentOfALargeModelReturnsTooWithTheSameBytes) {
  for (const Index plain_layers : {0, 1, 2}) {
    const std::vector<Index> widths = plain_layers > 0 ? std::vector<Index>{36, 14} : std::vector<Index>{24, 14};
    const LayeredModel truth = random_layered(plain_layers, 30, widths, 1, 7);
    const auto samples = samples_of_layered(truth, 3000, 8);
    ASSERT_GT(truth.parameters(), 1500);
    LayeredModel start = truth;
    start.set_flat(truth.flat() + 1e-3 * RandomStream(9, purpose::starts).normal_vector(truth.parameters()));
    const double scale = samples.y().squaredNorm() / static_cast<double>(samples.samples());
    const DescentOptions options{.goal = 1e-26 * scale};
    const Descent one = descend(start, samples, options, Control(1)), two = descend(start, samples, options, Control(2));
    EXPECT_LT(one.cost, 1e-24 * scale);
    EXPECT_LT(one.steps, 12);
    EXPECT_EQ(one.model.flat(), two.model.flat());
  }
}

}  // namespace
}  // namespace relucover
