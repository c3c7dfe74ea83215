#include "networks/network_files.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "core/zip.hpp"
#include "support/files.hpp"

namespace relucover {
namespace {

using test::contains;
using test::content_of;
using test::data_error;
using test::TemporaryFolder;

Network awkward_network() {
  Network network(3, 2, 2, Activation::relu2);
  network.W << 0.1, -0.0, 5e-324, 1.0 / 3, 1e300, -2.5;
  network.b << -std::numeric_limits<double>::max(), 123456789.0;
  network.A << 1, 2, 3, 4;
  network.skip << 0, 1e-17, 0, 0, 7, 0;
  network.offset << 0.30000000000000004, -1;
  return network;
}

void expect_same_bits(const Matrix& a, const Matrix& b) {
  ASSERT_EQ(a.rows(), b.rows());
  ASSERT_EQ(a.cols(), b.cols());
  for (Index i = 0; i < a.rows(); ++i)
    for (Index j = 0; j < a.cols(); ++j) {
      EXPECT_EQ(a(i, j), b(i, j));
      EXPECT_EQ(std::signbit(a(i, j)), std::signbit(b(i, j)));
    }
}

void expect_same(const Network& a, const Network& b) {
  EXPECT_EQ(a.activation, b.activation);
  expect_same_bits(a.W, b.W);
  expect_same_bits(a.b, b.b);
  expect_same_bits(a.A, b.A);
  expect_same_bits(a.skip, b.skip);
  expect_same_bits(a.offset, b.offset);
}

TEST(NetworkFiles, KeepEveryBit) {
  const TemporaryFolder folder;
  for (const char* name : {"net.json", "net.npz", "NET.JSON"})
    for (const Network& network : {awkward_network(), Network(4, 0, 1), Network(1, 1, 1, Activation::sigmoid)}) {
      write_network(network, folder / name);
      expect_same(read_network(folder / name), network);
    }
  EXPECT_EQ(folder.count(), 3) << "temporary files are left over";
}

TEST(NetworkFiles, OnnxKeepsTheFunction) {
  const TemporaryFolder folder;
  Network network = awkward_network();
  network.activation = Activation::relu;
  network.b << 1, -1;
  network.W(1, 1) = 3;
  write_network(network, folder / "net.onnx");
  const RowMatrix x = RowMatrix::Random(20, 3);
  EXPECT_TRUE(read_network(folder / "net.onnx").evaluate(x).isApprox(network.evaluate(x), 1e-14));
}

TEST(NetworkFiles, JsonSaysWhichKeyAndRowIsWrong) {
  const TemporaryFolder folder;
  const std::string good = network_json(awkward_network());
  const auto refused = [&](const std::string& from, const std::string& to, const std::string& part) {
    std::string text = good;
    ASSERT_NE(text.find(from), std::string::npos) << from;
    text.replace(text.find(from), from.size(), to);
    const std::string message = data_error([&] { read_network(folder.write("net.json", text)); });
    EXPECT_TRUE(contains(message, part));
    EXPECT_TRUE(contains(message, "net.json"));
    EXPECT_TRUE(contains(message, " (")) << "a remedy is missing";
  };
  refused("\"b\"", "\"bias\"", "key \"b\" is missing");
  refused("relucover-network", "something", "\"format\": should be \"relucover-network\"");
  refused("\"version\": 1", "\"version\": 7", "\"version\": should be 1");
  refused("relu2", "relu9", "unknown activation \"relu9\"; there are relu");
  refused("\"relu2\"", "7", "\"activation\": should be text");
  refused("0.1, -0.0, 5e-324", "0.1, -0.0", "\"W\", row 0: has 2 numbers, expected 3");
  refused("0.3333333333333333, ", "", "\"W\", row 1: has 2 numbers, expected 3");
  refused("0.3333333333333333, ", "\"a third\", ", "\"W\", row 1: entry 0 should be a number, not string");
  refused("0.3333333333333333, ", "null, ", "entry 0 should be a number, not null");
  refused("[0.30000000000000004, -1.0]", "0", "\"offset\": should be a list, not number");
  refused("[0.30000000000000004, -1.0]", "[1]", "\"offset\": has 1 numbers, expected 2");
  refused("0.3333333333333333, ", "1e999, ", "is not JSON");
  refused("0.3333333333333333, ", "NaN, ", "is not JSON");
  refused("]\n}", "]\n", "is not JSON");
  refused("{", "[", "is not JSON");
  folder.write("net.json", "[1, 2]");
  EXPECT_TRUE(contains(data_error([&] { read_network(folder / "net.json"); }), "should be an object"));
  folder.write("net.json", "");
  EXPECT_TRUE(contains(data_error([&] { read_network(folder / "net.json"); }), "is not JSON"));
  folder.write("net.json", std::string(1000000, '['));
  EXPECT_TRUE(contains(data_error([&] { read_network(folder / "net.json"); }), "is not JSON"));
}

TEST(NetworkFiles, NpzSaysWhichArrayIsWrong) {
  const TemporaryFolder folder;
  write_network(awkward_network(), folder / "net.npz");
  const std::string whole = content_of(folder / "net.npz");
  for (std::size_t size = 0; size < whole.size(); size += 7)
    data_error([&] { read_network(folder.write("cut.npz", whole.substr(0, size))); });
  const auto refused = [&](const std::string& from, const std::string& to, const std::string& part) {
    std::string text = whole;
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos;) text.replace(at, from.size(), to);
    EXPECT_TRUE(contains(data_error([&] { read_network(folder.write("bad.npz", text)); }), part));
  };
  refused("offset.npy", "ofset2.npy", "has no array offset");
  refused("(2, 3)", "(3, 2)", "expected 3");
  refused("(2, 3)", "(6,)  ", "array W: has shape (6,), expected 2 dimensions");
  refused(std::string("r\0\0\0e\0\0\0l\0\0\0u\0\0\0"
                      "2",
                      17),
          std::string("r\0\0\0e\0\0\0l\0\0\0u\0\0\0"
                      "9",
                      17),
          "unknown activation");
}

TEST(NetworkFiles, ExplainPathsThatCantBeUsed) {
  const TemporaryFolder folder;
  EXPECT_TRUE(contains(data_error([&] { read_network(folder / "net.txt"); }), ".json, .npz or .onnx"));
  EXPECT_TRUE(contains(data_error([&] { read_network(folder / "net.json"); }), "No such file"));
  EXPECT_TRUE(contains(data_error([&] { read_network(folder / "net.onnx"); }), "No such file"));
  EXPECT_TRUE(contains(data_error([&] { write_network(awkward_network(), folder / "net"); }), "has no extension"));
  for (const char* name : {"net.json", "net.npz"}) {
    EXPECT_TRUE(contains(data_error([&] { write_network(awkward_network(), folder / "no" / name); }), "No such file"));
  }
  std::filesystem::create_directory(folder / "folder.json");
  EXPECT_TRUE(contains(data_error([&] { read_network(folder / "folder.json"); }), "is a directory"));
  EXPECT_TRUE(contains(data_error([&] { write_network(awkward_network(), folder / "folder.json"); }), "is a directory"));
  Network broken = awkward_network();
  broken.b[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(write_network(broken, folder / "broken.json"), std::invalid_argument);
  EXPECT_EQ(folder.count(), 1);
}

}  // namespace
}  // namespace relucover
