#include <gtest/gtest.h>

#include "core/random.hpp"
#include "networks/feed_forward.hpp"
#include "networks/network_files.hpp"
#include "networks/network_onnx.hpp"
#include "relucover/samples.hpp"
#include "support/files.hpp"
#include "verify/identifiability.hpp"

namespace relucover {
namespace {

using test::contains;
using test::data_error;
using test::TemporaryFolder;

Network deep_example(bool paths) {
  Network network = planted_deep_network({.inputs = 4, .layers = {5, 3, 2}, .outputs = 2, .seed = 3});
  if (!paths) return network;
  RandomStream random(8, purpose::study);
  network.upper[0].around = random.normal_matrix(3, 4);
  network.upper[1].around = random.normal_matrix(2, 5);
  network.around = random.normal_matrix(2, 3);
  network.skip = random.normal_matrix(2, 4);
  return network;
}

RowMatrix some_inputs() { return RandomStream(5, purpose::inputs).normal_matrix(40, 4); }

void expect_same_bits(const Network& a, const Network& b) {
  EXPECT_EQ(a.activation, b.activation);
  EXPECT_EQ(a.widths(), b.widths());
  EXPECT_EQ(a.W, b.W);
  EXPECT_EQ(a.b, b.b);
  ASSERT_EQ(a.upper.size(), b.upper.size());
  for (std::size_t l = 0; l < a.upper.size(); ++l) {
    EXPECT_EQ(a.upper[l].W, b.upper[l].W);
    EXPECT_EQ(a.upper[l].b, b.upper[l].b);
    ASSERT_EQ(a.upper[l].around.size(), b.upper[l].around.size());
    EXPECT_EQ(a.upper[l].around, b.upper[l].around);
  }
  EXPECT_EQ(a.A, b.A);
  ASSERT_EQ(a.around.size(), b.around.size());
  EXPECT_EQ(a.around, b.around);
  EXPECT_EQ(a.skip, b.skip);
  EXPECT_EQ(a.offset, b.offset);
}

TEST(DeepNetwork, ComputesItsFormula) {
  const Network n = deep_example(true);
  const Vector x = some_inputs().row(0).transpose();
  const auto relu = [](Vector t) { return Vector(t.cwiseMax(0)); };
  const Vector h1 = relu(n.W * x + n.b);
  const Vector h2 = relu(n.upper[0].W * h1 + n.upper[0].around * x + n.upper[0].b);
  const Vector h3 = relu(n.upper[1].W * h2 + n.upper[1].around * h1 + n.upper[1].b);
  const Vector y = n.A * h3 + n.around * h2 + n.skip * x + n.offset;
  EXPECT_LT((n.evaluate(some_inputs().topRows(1)).row(0).transpose() - y).norm(), 1e-13);
  EXPECT_LT((feed_forward(n).evaluate(some_inputs()) - n.evaluate(some_inputs())).norm(), 1e-12);
}

TEST(DeepNetwork, FilesKeepEveryBit) {
  const TemporaryFolder folder;
  for (const char* name : {"net.json", "net.npz", "net.onnx"})
    for (const bool paths : {false, true}) {
      const Network network = deep_example(paths);
      write_network(network, folder / name);
      expect_same_bits(read_network(folder / name), network);
    }
}

TEST(DeepNetwork, OneHiddenLayerIsStillVersionOne) {
  EXPECT_TRUE(contains(network_json(Network(3, 2, 1)), "\"version\": 1"));
  EXPECT_FALSE(contains(network_json(Network(3, 2, 1)), "layers"));
  EXPECT_TRUE(contains(network_json(deep_example(false)), "\"version\": 2"));
}

TEST(DeepNetwork, BadFilesNameTheLayer) {
  const TemporaryFolder folder;
  const auto file = folder.write("bad.json", R"({"format": "relucover-network", "version": 2, "activation": "relu",
    "layers": [{"W": [[1, 2]], "b": [0]}, {"W": [[1, 2]], "b": [0]}], "A": [[1]], "skip": [[0, 0]], "offset": [0]})");
  const std::string message = data_error([&] { read_network(file); });
  EXPECT_TRUE(contains(message, "\"layers\", entry 1")) << message;
  EXPECT_TRUE(contains(message, "expected 1")) << message;
}

TEST(DeepNetwork, ProblemsNameTheLayer) {
  Network network = deep_example(false);
  network.upper[1].b.resize(7);
  network.A.resize(2, 9);
  const auto problems = network.problems();
  ASSERT_EQ(problems.size(), 2u);
  EXPECT_TRUE(contains(problems[0], "hidden layer 3"));
  EXPECT_TRUE(contains(problems[1], "columns of A"));
}

TEST(DeepNetwork, CanonicalKeepsTheFunctionAndIsCanonical) {
  for (const bool paths : {false, true}) {
    const Network network = deep_example(paths), once = canonical(network);
    const RowMatrix x = some_inputs();
    EXPECT_LT((network.evaluate(x) - once.evaluate(x)).norm(), 1e-12 * network.evaluate(x).norm());
    EXPECT_NEAR(once.upper[0].W.row(0).squaredNorm() + (paths ? once.upper[0].around.row(0).squaredNorm() : 0), 1, 1e-14);
    const Network twice = canonical(once);
    EXPECT_LT((twice.W - once.W).norm() + (twice.A - once.A).norm(), 1e-13);
  }
}

/// The same function with units in another order and at another scale.
Network disguised(const Network& network) {
  Network other = network;
  const std::vector<Index> order = {3, 0, 4, 2, 1};
  const Vector scale = (Vector(5) << 2, 0.5, 3, 1, 0.1).finished();
  other.W = scale.asDiagonal() * Matrix(network.W(order, Eigen::all));
  other.b = scale.cwiseProduct(Vector(network.b(order)));
  other.upper[0].W = Matrix(network.upper[0].W(Eigen::all, order)) * scale.cwiseInverse().asDiagonal();
  return other;
}

TEST(DeepNetwork, ComparesUpToOrderAndScaleLayerByLayer) {
  const Network network = deep_example(false);
  const Comparison same = compare(network, disguised(network));
  EXPECT_EQ(same.units_matched, 10);
  ASSERT_EQ(same.layers.size(), 3u);
  EXPECT_EQ(same.layers[0].units_matched, 5);
  EXPECT_LT(std::max({same.max_weight_error, same.max_bias_error, same.max_output_error, same.function_rms}), 1e-13);
  EXPECT_TRUE(equivalence(network, disguised(network)).same);
  Network wrong = disguised(network);
  wrong.upper[0].W(1, 2) += 0.01;
  const Comparison differs = compare(network, wrong);
  EXPECT_LT(differs.layers[0].max_weight_error, 1e-13);
  EXPECT_GT(differs.layers[1].max_weight_error, 1e-4);
  EXPECT_FALSE(equivalence(network, wrong).same);
}

TEST(DeepNetwork, AnotherDepthMatchesNothing) {
  const Comparison other = compare(deep_example(false), planted_network({.inputs = 4, .units = 5, .outputs = 2}));
  EXPECT_EQ(other.units_matched, 0);
  EXPECT_EQ(other.max_weight_error, 2);
}

TEST(DeepNetwork, WhatIsForOneLayerSaysSo) {
  EXPECT_THROW(require_one_hidden_layer(deep_example(false), "this"), std::invalid_argument);
  EXPECT_THROW(sign_identifiability(deep_example(false), 10), std::invalid_argument);
}

}  // namespace
}  // namespace relucover
