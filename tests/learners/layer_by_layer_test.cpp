// A fit in the sign-free form that is not exact yet: its lowest layer becomes plain, with the right units and signs.
#include "learners/deep/layer_by_layer.hpp"

#include <gtest/gtest.h>

#include "core/random.hpp"
#include "relucover/relucover.hpp"
#include "solve/layered_descent.hpp"

namespace relucover {
namespace {

/// relu(t) = (|t| + t)/2 in every layer; signs of the rows turned at random, which changes nothing.
LayeredModel sign_free_form(const Network& network, RandomStream& random) {
  const LayeredModel plain = plain_model(network);
  LayeredModel free(plain.inputs, 0, plain.outputs());
  RowMatrix below = RowMatrix::Identity(plain.inputs + 1, plain.inputs + 1);  // values of the layer below, and 1, in the free features
  for (Index l = 0; l <= plain.depth(); ++l) {
    RowMatrix rows = plain.rows_of(l) * below;
    if (l == plain.depth()) {
      free.output = std::move(rows);
      break;
    }
    for (Index j = 0; j < rows.rows(); ++j) rows.row(j) *= random.sign();
    const RowMatrix linear = plain.rows_of(l) * below;
    RowMatrix above = RowMatrix::Zero(rows.rows() + 1, rows.cols() + rows.rows());
    above.topLeftCorner(rows.rows(), rows.cols()) = linear / 2;
    above.topRightCorner(rows.rows(), rows.rows()).diagonal().setConstant(0.5);
    above(rows.rows(), plain.inputs) = 1;
    below = std::move(above);
    free.theta.push_back(std::move(rows));
  }
  return free;
}

struct Planted {
  Network truth;
  MemorySource<double> samples;
  LayeredModel free;
};

Planted planted(Index inputs, const std::vector<Index>& layers, Index outputs, std::uint64_t seed) {
  const Network truth = planted_deep_network({.inputs = inputs, .layers = layers, .outputs = outputs, .seed = seed});
  RandomStream random(seed, purpose::starts);
  const RowMatrix x = RandomStream(seed, purpose::inputs).normal_matrix(6000, inputs);
  const RowMatrix y = truth.evaluate(x);
  return {truth, {x, y}, sign_free_form(truth, random)};
}

/// Every row of the truth's first layer, up to its length, is one of the model's.
double worst_row(const Network& truth, const LayeredModel& model) {
  double worst = 0;
  for (Index i = 0; i < truth.units(); ++i) {
    Eigen::RowVectorXd row(truth.inputs() + 1);
    row << truth.W.row(i), truth.b[i];
    double nearest = 2;
    for (Index j = 0; j < model.width(0); ++j) nearest = std::min(nearest, (row.normalized() - model.theta[0].row(j).normalized()).norm());
    worst = std::max(worst, nearest);
  }
  return worst;
}

TEST(LayerByLayer, TheSignFreeFormIsTheNetwork) {
  const Planted case_ = planted(5, {4, 3, 2}, 2, 1);
  EXPECT_LT(mean_cost(case_.free, case_.samples, Control(1)), 1e-24);
}

TEST(LayerByLayer, AnExactFitIsSettledExactly) {
  for (const Index outputs : {1, 2}) {
    const Planted case_ = planted(6, {4, 3, 2}, outputs, 3);
    const auto once = with_layer_settled(case_.free, 4, case_.samples, Control(1));
    ASSERT_TRUE(once);
    EXPECT_EQ(once->plain_layers, 1);
    EXPECT_LT(worst_row(case_.truth, *once), 1e-10);
    EXPECT_LT(mean_cost(*once, case_.samples, Control(1)), 1e-20);
    const auto twice = with_layer_settled(*once, 3, case_.samples, Control(1));
    ASSERT_TRUE(twice);
    EXPECT_EQ(twice->plain_layers, 2);
    EXPECT_LT(mean_cost(*twice, case_.samples, Control(1)), 1e-20);
  }
}

TEST(LayerByLayer, ADisturbedFitHasItsSignsAndUnits) {
  const Planted case_ = planted(6, {4, 3, 2}, 1, 3);
  LayeredModel disturbed = case_.free;
  disturbed.set_flat(disturbed.flat() + 3e-3 * RandomStream(5, purpose::starts).normal_vector(disturbed.parameters()));
  const auto settled = with_layer_settled(disturbed, 4, case_.samples, Control(1));
  ASSERT_TRUE(settled);
  EXPECT_LT(worst_row(case_.truth, *settled), 0.05);
}

TEST(LayerByLayer, ALayerWithoutSignsIsNotSettled) {
  const Planted case_ = planted(6, {4, 3}, 1, 3);
  LayeredModel random = case_.free;
  random.set_flat(RandomStream(6, purpose::starts).normal_vector(random.parameters()));
  EXPECT_FALSE(with_layer_settled(random, 4, case_.samples, Control(1)));
  EXPECT_FALSE(with_layer_settled(case_.free, 5, case_.samples, Control(1)));  // too few units
}

}  // namespace
}  // namespace relucover
