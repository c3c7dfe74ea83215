#include <gtest/gtest.h>

#include <filesystem>

#include "core/random.hpp"
#include "networks/leaky.hpp"
#include "relucover/samples.hpp"

namespace relucover {
namespace {

Network leaky_network(Index inputs, Index units, Index outputs, double slope, std::uint64_t seed) {
  Network network = planted_network({.inputs = inputs, .units = units, .outputs = outputs, .seed = seed});
  network.activation = Activation::leaky;
  network.slope = slope;
  return network;
}

RowMatrix some_rows(Index inputs) { return RandomStream(9, purpose::inputs).normal_matrix(500, inputs); }

TEST(Leaky, IsReluWithALinearTerm) {
  const Network leaky = leaky_network(5, 4, 2, 0.1, 3);
  const RowMatrix x = some_rows(5);
  EXPECT_LT((leaky.evaluate(x) - without_leak(leaky).evaluate(x)).cwiseAbs().maxCoeff(), 1e-13);
}

TEST(Leaky, IsRecognisedFromReluWithALinearTerm) {
  for (const double slope : {0.01, 0.2, -0.3}) {
    const Network leaky = leaky_network(6, 5, 1, slope, 7);
    const auto found = as_leaky(without_leak(leaky), 1e-9);
    ASSERT_TRUE(found) << slope;
    EXPECT_NEAR(found->slope, slope, 1e-11);
    EXPECT_TRUE(found->skip.isZero(0));
    EXPECT_LT((leaky.evaluate(some_rows(6)) - found->evaluate(some_rows(6))).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_LT(compare(leaky, *found).max_weight_error, 1e-12);
  }
}

TEST(Leaky, DifferentSlopesOrALinearTermAreNot) {
  Network other = without_leak(leaky_network(6, 5, 1, 0.2, 7));
  other.skip(0, 0) += 0.3;
  EXPECT_FALSE(as_leaky(other, 1e-9));
  EXPECT_FALSE(as_leaky(planted_network({.inputs = 6, .units = 5, .seed = 7}), 1e-9));
}

TEST(Link, SoftmaxAddsUpToOneAndHasAGauge) {
  Network network = planted_network({.inputs = 4, .units = 3, .outputs = 3, .seed = 2});
  network.link = Link::softmax;
  const RowMatrix x = some_rows(4), served = network.serve(x);
  EXPECT_LT((served.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-14);
  const Network gauged = in_first_class_gauge(network);
  EXPECT_TRUE(gauged.A.row(0).isZero(0));
  EXPECT_LT((gauged.serve(x) - served).cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_LT(compare(network, gauged).max_output_error, 1e-14);
}

TEST(Link, AndSlopeAreKeptInFiles) {
  Network network = leaky_network(4, 3, 3, 0.037, 2);
  network.link = Link::softmax;
  const RowMatrix x = some_rows(4);
  for (const char* name : {"relucover-link.json", "relucover-link.npz", "relucover-link.onnx"}) {
    const auto path = std::filesystem::temp_directory_path() / name;
    write_network(network, path);
    const Network again = read_network(path);
    std::filesystem::remove(path);
    EXPECT_EQ(again.link, Link::softmax) << name;
    EXPECT_EQ(again.slope, network.slope) << name;
    EXPECT_LT((again.serve(x) - network.serve(x)).cwiseAbs().maxCoeff(), 1e-15) << name;
  }
}

TEST(Link, NamesAreChecked) {
  EXPECT_EQ(link_named("log-softmax"), Link::log_softmax);
  EXPECT_THROW(link_named("probit"), std::invalid_argument);
}

}  // namespace
}  // namespace relucover
