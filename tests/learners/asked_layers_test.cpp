// Layers of models that can be asked, by the planes on which they bend.
#include "learners/deep/asked_layers.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "learners/deep/asked_signs.hpp"
#include "relucover/relucover.hpp"

namespace relucover {
namespace {

using Values = std::function<RowMatrix(const RowMatrix&)>;

/// Queries are rounded to float32, and the asker is told so.
AskAt rounded(Values values) {
  return [values = std::move(values)](RowMatrix& rows) {
    rows = rows.cast<float>().cast<double>();
    return values(rows);
  };
}

Network some_network(Index inputs, const std::vector<Index>& layers, std::uint64_t seed, Index outputs = 1) {
  return planted_deep_network({.inputs = inputs, .layers = layers, .outputs = outputs, .seed = seed});
}

AskedLayers asked(const Values& values, Index inputs, std::uint64_t seed, std::vector<Index> widths = {}) {
  const RowMatrix domain = RandomStream(seed, purpose::inputs).normal_matrix(2000, inputs);
  RandomStream random(seed, purpose::queries);
  const bool depth_known = !widths.empty();
  return asked_layers(rounded(values), domain, {std::move(widths), depth_known, 400000}, random, Control());
}

Values values_of(const Network& network) {
  return [network](const RowMatrix& x) { return RowMatrix(network.evaluate(x)); };
}

/// How far the nearest of the planes is from each unit of the first layer, up to sign: the worst.
double worst_plane(const Network& truth, const RowMatrix& forms) {
  double worst = 0;
  for (Index i = 0; i < truth.units(); ++i) {
    Eigen::RowVectorXd row(truth.inputs() + 1);
    row << truth.W.row(i), truth.b[i];
    row.normalize();
    double nearest = 2;
    for (Index j = 0; j < forms.rows(); ++j) {
      const Eigen::RowVectorXd plane = forms.row(j).normalized();
      nearest = std::min({nearest, (row - plane).norm(), (row + plane).norm()});
    }
    worst = std::max(worst, nearest);
  }
  return worst;
}

TEST(AskedLayers, BothOfTwoLayersAreFoundWithTheirWidthsInMostSeeds) {
  int whole = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Network truth = some_network(10, {8, 5}, seed, seed % 2 == 0 ? 3 : 1);
    const AskedLayers found = asked(values_of(truth), 10, seed);
    ASSERT_FALSE(found.empty()) << seed;
    const RowMatrix& lowest = found.plain.empty() ? found.forms : found.plain.front();
    EXPECT_EQ(lowest.rows(), 8) << seed;
    EXPECT_LT(worst_plane(truth, lowest), 1e-8) << seed;
    whole += found.complete && found.widths() == std::vector<Index>{8, 5};
  }
  // A unit of the second layer that hardly any input bends is found by nobody who asks so little.
  EXPECT_GE(whole, 5);
}

TEST(AskedLayers, SignsAreThoseOfTheTruth) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Network truth = some_network(9, {6, 4}, seed);
    RowMatrix forms(6, 10);
    forms << truth.W, truth.b;
    RandomStream random(seed, purpose::queries);
    const Vector turned = Vector::NullaryExpr(6, [&](Index) { return random.sign(); });
    const RowMatrix domain = RandomStream(seed, purpose::inputs).normal_matrix(1000, 9);
    const auto signs = asked_signs(turned.asDiagonal() * forms, rounded(values_of(truth)), domain, random);
    ASSERT_TRUE(signs) << seed;
    EXPECT_EQ((*signs - turned).norm(), 0) << seed;
  }
}

TEST(AskedLayers, SomethingLinearThatPassesByLeavesSignsOpen) {
  const Network truth = some_network(9, {6, 4}, 1);
  RowMatrix forms(6, 10);
  forms << truth.W, truth.b;
  RandomStream random(1, purpose::queries);
  const RowMatrix domain = RandomStream(1, purpose::inputs).normal_matrix(1000, 9);
  const Vector slope = random.normal_vector(9);
  const Values with_skip = [&](const RowMatrix& x) { return RowMatrix(truth.evaluate(x) + x * slope); };
  EXPECT_FALSE(asked_signs(forms, rounded(with_skip), domain, random));
}

TEST(AskedLayers, MoreUnitsThanInputsAreFoundUpToSign) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Network truth = some_network(8, {14, 6}, seed);
    const AskedLayers found = asked(values_of(truth), 8, seed, {14, 6});
    EXPECT_TRUE(found.plain.empty());
    EXPECT_EQ(found.forms.rows(), 14) << seed;
    EXPECT_LT(worst_plane(truth, found.forms), 1e-8) << seed;
  }
}

TEST(AskedLayers, TheLowestOfThreeLayersIsFoundAndTheDepthLeftOpen) {
  int lowest = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const AskedLayers found = asked(values_of(some_network(10, {8, 7, 6}, seed)), 10, seed);
    EXPECT_FALSE(found.complete) << seed;
    ASSERT_FALSE(found.empty()) << seed;
    lowest += !found.plain.empty() && found.plain.front().rows() == 8;
  }
  EXPECT_GE(lowest, 5);
}

TEST(AskedLayers, SmoothAndNoisyModelsShowNone) {
  const Network truth = some_network(6, {5, 4}, 3);
  const Values smooth = [&](const RowMatrix& x) {
    return RowMatrix((x.rowwise().sum().array().tanh() + x.col(0).array().square()).matrix());
  };
  EXPECT_TRUE(asked(smooth, 6, 1).empty());
  RandomStream noise(5, purpose::noise);
  const Values noisy = [&](const RowMatrix& x) {
    RowMatrix y = truth.evaluate(x);
    for (Index i = 0; i < y.rows(); ++i) y(i, 0) += 0.1 * noise.normal();
    return y;
  };
  EXPECT_TRUE(asked(noisy, 6, 1).empty());
  EXPECT_TRUE(asked([](const RowMatrix& x) { return RowMatrix(RowMatrix::Ones(x.rows(), 1)); }, 6, 1).empty());
}

TEST(AskedLayers, NoMoreIsAskedThanAllowed) {
  const Network truth = some_network(10, {8, 5}, 2);
  for (const Index most : {0, 100, 5000, 20000}) {
    Index count = 0;
    const Values counted = [&](const RowMatrix& x) {
      count += x.rows();
      return RowMatrix(truth.evaluate(x));
    };
    const RowMatrix domain = RandomStream(2, purpose::inputs).normal_matrix(2000, 10);
    RandomStream random(2, purpose::queries);
    const BentPlanes found = bent_planes(rounded(counted), {domain, most, 0}, random, Control());
    EXPECT_LE(count, most);
    EXPECT_EQ(count, found.queries);
  }
}

}  // namespace
}  // namespace relucover
