#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/random.hpp"
#include "networks/feed_forward.hpp"
#include "networks/network_onnx.hpp"
#include "relucover/errors.hpp"
#include "relucover/samples.hpp"

namespace relucover {
namespace {

Network example(Index outputs, bool skip) {
  Network network = planted_network({.inputs = 5, .units = 3, .outputs = outputs, .seed = 11});
  RandomStream random(4, purpose::study);
  network.offset = random.normal_vector(outputs);
  if (skip) network.skip = random.normal_matrix(outputs, 5);
  network.W(0, 1) = -0.0;
  return network;
}

void expect_identical(const Matrix& a, const Matrix& b) {
  ASSERT_EQ(a.rows(), b.rows());
  ASSERT_EQ(a.cols(), b.cols());
  for (Index i = 0; i < a.size(); ++i) EXPECT_EQ(std::bit_cast<std::uint64_t>(a.data()[i]), std::bit_cast<std::uint64_t>(b.data()[i])) << i;
}

struct TemporaryFile {
  std::filesystem::path path;
  explicit TemporaryFile(const std::string& name) : path(std::filesystem::temp_directory_path() / name) {}
  ~TemporaryFile() { std::filesystem::remove(path); }
};

TEST(Onnx, RoundTripKeepsEveryBit) {
  for (const bool skip : {false, true})
    for (const Index outputs : {1, 3}) {
      const TemporaryFile file("relucover-onnx-roundtrip-" + std::to_string(outputs) + ".onnx");
      const Network network = example(outputs, skip);
      write_network_onnx(network, file.path);
      const Network back = read_network_onnx(file.path);
      expect_identical(network.W, back.W);
      expect_identical(network.b, back.b);
      expect_identical(network.A, back.A);
      expect_identical(network.skip, back.skip);
      expect_identical(network.offset, back.offset);
      EXPECT_EQ(onnx_bytes(network), onnx_bytes(back));
    }
}

TEST(Onnx, Float32IsRoundedOnceAndThenKept) {
  const TemporaryFile file("relucover-onnx-float32.onnx");
  const Network network = example(2, true);
  write_network_onnx(network, file.path, Precision::float32);
  const Network back = read_network_onnx(file.path);
  expect_identical(Matrix(network.W.cast<float>().cast<double>()), back.W);
  EXPECT_EQ(onnx_bytes(network, Precision::float32), onnx_bytes(back, Precision::float32));
  EXPECT_EQ(read_feed_forward_onnx(file.path).precision, Precision::float32);
}

TEST(Onnx, FeedForwardComputesTheSameFunction) {
  const Network network = example(2, true);
  RandomStream random(5, purpose::study);
  const RowMatrix x = random.normal_matrix(1500, 5);
  EXPECT_LT((feed_forward(network).evaluate(x) - network.evaluate(x)).cwiseAbs().maxCoeff(), 1e-13);
}

TEST(Onnx, FeedForwardInFloat32IsCloseButNotEqual) {
  FeedForward model = feed_forward(example(1, false));
  RandomStream random(5, purpose::study);
  const RowMatrix x = random.normal_matrix(200, 5);
  const RowMatrix wide = model.evaluate(x);
  model.precision = Precision::float32;
  const double difference = (model.evaluate(x) - wide).cwiseAbs().maxCoeff();
  EXPECT_GT(difference, 1e-9);
  EXPECT_LT(difference, 1e-5);
}

TEST(Onnx, TwoHiddenLayersAreNotOne) {
  FeedForward deep = feed_forward(example(2, false));
  deep.steps.push_back({.kind = FeedForward::Kind::activation, .from = 3, .weights = {}, .constant = {}});
  EXPECT_THROW(one_hidden_layer(deep), std::invalid_argument);
}

TEST(Onnx, DamagedFilesAreDataErrors) {
  const TemporaryFile file("relucover-onnx-damaged.onnx");
  const std::string bytes = onnx_bytes(example(1, true));
  for (const std::size_t size : {std::size_t(0), std::size_t(1), bytes.size() / 3, bytes.size() / 2, bytes.size() - 1}) {
    std::ofstream(file.path, std::ios::binary) << bytes.substr(0, size);
    EXPECT_THROW(read_network_onnx(file.path), DataError) << size;
  }
  EXPECT_THROW(read_network_onnx("/nonexistent.onnx"), DataError);
}

TEST(Onnx, ActivationsWithoutAnOperatorAreRefused) {
  Network network = example(1, false);
  network.activation = Activation::relu3;
  EXPECT_THROW(onnx_bytes(network), std::invalid_argument);
}

}  // namespace
}  // namespace relucover
