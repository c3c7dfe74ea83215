// Round trips through every kind of file, shards, and values that are not finite.
#include "support/files.hpp"

#include <gtest/gtest.h>
#include <hdf5.h>

#include <limits>
#include <thread>

#include "relucover/progress.hpp"
#include "relucover/samples.hpp"

namespace relucover {
namespace {

using test::contains;
using test::data_error;
using test::TemporaryFolder;

std::unique_ptr<SampleSource> planted(Index samples, Index outputs = 2) {
  return synthetic_samples(planted_network({.inputs = 5, .units = 3, .outputs = outputs, .seed = 1}), {.samples = samples, .seed = 2});
}

template <class Scalar>
void expect_same(const SampleSource& a, const SampleSource& b) {
  ASSERT_EQ(a.samples(), b.samples());
  ASSERT_EQ(a.inputs(), b.inputs());
  ASSERT_EQ(a.outputs(), b.outputs());
  BlockBuffer<Scalar> buffer_a, buffer_b;
  for (Index first = 0; first < a.samples(); first += 1000) {
    const Index rows = std::min<Index>(1000, a.samples() - first);
    const Block<Scalar> block_a = a.read(first, rows, buffer_a), block_b = b.read(first, rows, buffer_b);
    EXPECT_EQ(block_a.first, block_b.first);
    EXPECT_EQ(block_a.x, block_b.x);
    EXPECT_EQ(block_a.y, block_b.y);
  }
}

class EveryKind : public ::testing::TestWithParam<const char*> {};

TEST_P(EveryKind, KeepsEveryBitInBothPrecisions) {
  const TemporaryFolder folder;
  for (const Index outputs : {1, 3}) {
    const auto source = planted(60001, outputs);
    write_samples(*source, folder / GetParam(), Precision::float64, Control(1));
    expect_same<double>(*open_samples(folder / GetParam()), *source);
    write_samples(*source, folder / GetParam(), Precision::float32, Control(1));
    const auto narrow = open_samples(folder / GetParam());
    expect_same<float>(*narrow, *source);
    if (std::string(GetParam()) != "data.csv") {
      EXPECT_EQ(narrow->precision(), Precision::float32);
    }
  }
}

TEST_P(EveryKind, LeavesNothingBehindWhenInterruptedOrRefused) {
  const TemporaryFolder folder;
  const auto source = planted(100);
  EXPECT_THROW(write_samples(*source, folder / GetParam(), Precision::float64, Control(1, 0.0)), Interrupted);
  EXPECT_EQ(folder.count(), 0);
  const auto missing = folder / "no" / GetParam();
  EXPECT_TRUE(contains(data_error([&] { write_samples(*source, missing, Precision::float64, Control(1)); }), missing.string()));
}

TEST_P(EveryKind, ReadsTheSameFromManyThreads) {
  const TemporaryFolder folder;
  const auto source = planted(20000);
  write_samples(*source, folder / GetParam(), Precision::float64, Control(1));
  const auto opened = open_samples(folder / GetParam());
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { expect_same<double>(*opened, *source); });
  for (auto& thread : threads) thread.join();
}

INSTANTIATE_TEST_SUITE_P(Files, EveryKind, ::testing::Values("data.npz", "data_x.npy", "data.h5", "data.csv"),
                         [](const auto& kind) { return std::filesystem::path(kind.param).extension().string().substr(1); });

TEST(Write, RefusesUnknownExtensionsAndPlacesThatAreNotFiles) {
  const TemporaryFolder folder;
  const auto source = planted(10);
  const auto message = [&](const std::filesystem::path& path) {
    return data_error([&] { write_samples(*source, path, Precision::float64, Control(1)); });
  };
  EXPECT_TRUE(contains(message(folder / "data.txt"), ".npz, .h5"));
  EXPECT_TRUE(contains(message(folder / "data.npy"), "ends in x.npy"));
  std::filesystem::create_directory(folder / "folder.npz");
  EXPECT_TRUE(contains(message(folder / "folder.npz"), "is a directory"));
  std::filesystem::create_symlink("/dev/null", folder / "null.npz");
  EXPECT_TRUE(contains(message(folder / "null.npz"), "not an ordinary file"));
}

TEST(Write, ReportsProgressUpToTheEnd) {
  struct Watch : Observer {
    double last = 0;
    void progress(std::string_view, double fraction, std::string_view) override {
      EXPECT_GE(fraction, last);
      last = fraction;
    }
  } watch;
  const TemporaryFolder folder;
  write_samples(*planted(100000), folder / "data.npz", Precision::float64, Control(1, 1e9, &watch));
  EXPECT_EQ(watch.last, 1);
}

TEST(Write, MakesNpzMappable) {
  const TemporaryFolder folder;
  write_samples(*planted(1000), folder / "data.npz", Precision::float64, Control(1));
  const auto source = open_samples(folder / "data.npz");
  BlockBuffer<double> buffer;
  const auto block = source->read(10, 100, buffer);
  EXPECT_EQ(buffer.x.size() + buffer.y.size(), 0) << "a copy was made";
  EXPECT_EQ(block.rows(), 100);
}

/// A dataset in chunks, compressed, of any memory type.
void write_chunked(hid_t file, const char* name, hid_t type, std::vector<hsize_t> size, const void* data) {
  const hid_t space = H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr);
  const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  for (auto& extent : size) extent = std::min<hsize_t>(extent, 7);
  H5Pset_chunk(creation, static_cast<int>(size.size()), size.data());
  H5Pset_deflate(creation, 1);
  const hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
  H5Dclose(set);
  H5Pclose(creation);
  H5Sclose(space);
}

TEST(Hdf5, ReadsChunkedCompressedIntegersAndBigEndian) {
  const TemporaryFolder folder;
  constexpr Index n = 1000, d = 3;
  std::vector<std::int32_t> x(n * d);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::int32_t>(i) - 500;
  RowMatrix expected = Eigen::Map<const RowMajor<std::int32_t>>(x.data(), n, d).cast<double>();
  std::vector<double> y(n, 0.25);
  const hid_t file = H5Fcreate((folder / "data.hdf5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  write_chunked(file, "x", H5T_NATIVE_INT32, {n, d}, x.data());
  write_chunked(file, "y", H5T_NATIVE_DOUBLE, {n}, y.data());
  H5Fclose(file);
  const auto source = open_samples(folder / "data.hdf5");
  ASSERT_EQ(source->samples(), n);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      BlockBuffer<double> buffer;
      for (Index first = 0; first < n; first += 100) {
        const auto block = source->read(first, 100, buffer);
        EXPECT_EQ(block.x, expected.middleRows(first, 100));
        EXPECT_TRUE((block.y.array() == 0.25).all());
      }
    });
  for (auto& thread : threads) thread.join();
}

TEST(Hdf5, RefusesWhatIsNotSamples) {
  const TemporaryFolder folder;
  const std::vector<double> values(12, 1.0);
  const auto message = [&](const char* x, hid_t type, std::vector<hsize_t> x_size, std::vector<hsize_t> y_size) {
    const hid_t file = H5Fcreate((folder / "data.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    write_chunked(file, x, type, x_size, values.data());
    write_chunked(file, "y", H5T_NATIVE_DOUBLE, y_size, values.data());
    H5Fclose(file);
    return data_error([&] { open_samples(folder / "data.h5"); });
  };
  EXPECT_TRUE(contains(message("inputs", H5T_NATIVE_DOUBLE, {4, 3}, {4}), "has no dataset x; it has inputs, y"));
  EXPECT_TRUE(contains(message("x", H5T_NATIVE_DOUBLE, {4, 3}, {3}), "has 3 rows, but x has 4"));
  EXPECT_TRUE(contains(message("x", H5T_NATIVE_DOUBLE, {12}, {12}), "x.reshape(-1, 1)"));
  EXPECT_TRUE(contains(message("x", H5T_C_S1, {4, 3}, {4}), "something other than numbers"));
  folder.write("text.h5", "not HDF5 at all");
  EXPECT_TRUE(contains(data_error([&] { open_samples(folder / "text.h5"); }), "is not an HDF5 file"));
}

TEST(Shards, AreReadAsOne) {
  const TemporaryFolder folder;
  const auto whole = planted(5000);
  BlockBuffer<double> buffer;
  std::vector<std::unique_ptr<SampleSource>> shards;
  for (const auto& [first, rows, name] : {std::tuple{0, 1, "a.npz"}, {1, 1999, "b.h5"}, {2000, 2500, "c.csv"}, {4500, 500, "d.npz"}}) {
    const auto block = whole->read(first, rows, buffer);
    write_samples(MemorySource<double>(block.x, block.y), folder / name, Precision::float64, Control(1));
    shards.push_back(open_samples(folder / name));
  }
  const auto source = concatenate(std::move(shards));
  expect_same<double>(*source, *whole);
  expect_same<float>(*source, *whole);
  for (Index first = 0; first < 5000; first += 611) {
    BlockBuffer<double> expected;
    const Index rows = std::min<Index>(3100, 5000 - first);
    EXPECT_EQ(source->read(first, rows, buffer).x, whole->read(first, rows, expected).x);
  }
  EXPECT_EQ(source->origin(2003).file, (folder / "c.csv").string());
  EXPECT_EQ(source->origin(2003).row, 3);
}

TEST(Shards, NameTheOneThatDoesNotFit) {
  std::vector<std::unique_ptr<SampleSource>> shards;
  shards.push_back(std::make_unique<MemorySource<double>>(RowMatrix::Zero(3, 2), RowMatrix::Zero(3, 1), "first"));
  shards.push_back(std::make_unique<MemorySource<double>>(RowMatrix::Zero(3, 4), RowMatrix::Zero(3, 1), "second"));
  EXPECT_TRUE(contains(data_error([&] { concatenate(std::move(shards)); }), "second: has 4 inputs and 1 outputs, but first has 2 and 1"));
  EXPECT_THROW(concatenate({}), std::invalid_argument);
  std::vector<std::unique_ptr<SampleSource>> nothing(1);
  EXPECT_THROW(concatenate(std::move(nothing)), std::invalid_argument);
}

TEST(CheckFinite, NamesTheFirstValueThatIsNot) {
  RowMatrix x = RowMatrix::Constant(10000, 3, 1e300), y = RowMatrix::Ones(10000, 2);
  EXPECT_NO_THROW(check_finite(MemorySource<double>(x, y), Control(2)));
  y(7000, 1) = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(contains(data_error([&] { check_finite(MemorySource<double>(x, y, "here"), Control(2)); }), "here: y[7000, 1]: is infinite"));
  x(6999, 2) = std::numeric_limits<double>::quiet_NaN();
  x(9000, 0) = -std::numeric_limits<double>::infinity();
  EXPECT_TRUE(contains(data_error([&] { check_finite(MemorySource<double>(x, y), Control(2)); }), "x[6999, 2]: is not a number"));
  RowMajor<float> narrow = RowMajor<float>::Ones(10, 3);
  narrow(9, 0) = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(contains(data_error([&] { check_finite(MemorySource<float>(narrow, narrow), Control(1)); }), "x[9, 0]: is infinite"));
}

TEST(CheckFinite, NamesTheShard) {
  RowMatrix x = RowMatrix::Ones(10, 3), y = RowMatrix::Ones(10, 1);
  std::vector<std::unique_ptr<SampleSource>> shards;
  shards.push_back(std::make_unique<MemorySource<double>>(x, y, "first"));
  y(4, 0) = std::numeric_limits<double>::quiet_NaN();
  shards.push_back(std::make_unique<MemorySource<double>>(x, y, "second"));
  const auto source = concatenate(std::move(shards));
  EXPECT_TRUE(contains(data_error([&] { check_finite(*source, Control(1)); }), "second: y[4, 0]"));
}

}  // namespace
}  // namespace relucover
