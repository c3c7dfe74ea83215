// .npy and .npz: what numpy writes is read rightly; what nobody should write is refused with file, place and remedy.
#include "core/npy.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <zip.h>

#include <cstring>

#include "core/zip.hpp"
#include "relucover/progress.hpp"
#include "relucover/samples.hpp"
#include "support/files.hpp"

namespace relucover {
namespace {

using test::contains;
using test::content_of;
using test::data_error;
using test::TemporaryFolder;

/// A .npy file with any header text and data.
std::string npy(const std::string& dictionary, const std::string& data, int version = 1) {
  std::string text = dictionary + "\n";
  std::string file = "\x93NUMPY";
  file += {static_cast<char>(version), '\0'};
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) file.push_back(static_cast<char>(text.size() >> (8 * i) & 0xff));
  return file + text + data;
}

std::string header(const std::string& descr, const std::string& shape, bool fortran = false) {
  return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape + ", }";
}

template <class T>
std::string bytes(std::initializer_list<T> values, bool swapped = false) {
  std::string result;
  for (const T value : values) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    if (swapped) std::reverse(raw, raw + sizeof(T));
    result.append(raw, sizeof(T));
  }
  return result;
}

RowMatrix all_x(const SampleSource& source) {
  BlockBuffer<double> buffer;
  return source.read(0, source.samples(), buffer).x;
}

RowMatrix all_y(const SampleSource& source) {
  BlockBuffer<double> buffer;
  return source.read(0, source.samples(), buffer).y;
}

const std::string two_labels = npy(header("<f8", "(2,)"), bytes<double>({7, 8}));

std::unique_ptr<SampleSource> open_pair(const TemporaryFolder& folder, const std::string& x, const std::string& y = two_labels) {
  return open_samples(folder.write("x.npy", x), folder.write("y.npy", y));
}

RowMatrix expected_2_by_3() {
  RowMatrix expected(2, 3);
  expected << 1, 2, 3, 4, 5, 6;
  return expected;
}

TEST(Npy, ReadsEveryVersion) {
  const TemporaryFolder folder;
  for (const int version : {1, 2, 3}) {
    const auto source = open_pair(folder, npy(header("<f8", "(2, 3)"), bytes<double>({1, 2, 3, 4, 5, 6}), version));
    EXPECT_EQ(all_x(*source), expected_2_by_3());
    EXPECT_EQ(all_y(*source).col(0), Eigen::Vector2d(7, 8));
    EXPECT_EQ(source->outputs(), 1);
    EXPECT_EQ(source->precision(), Precision::float64);
  }
}

TEST(Npy, ReadsFortranOrderAndBigEndianRightly) {
  const TemporaryFolder folder;
  EXPECT_EQ(all_x(*open_pair(folder, npy(header("<f8", "(2, 3)", true), bytes<double>({1, 4, 2, 5, 3, 6})))), expected_2_by_3());
  EXPECT_EQ(all_x(*open_pair(folder, npy(header(">f8", "(2, 3)"), bytes<double>({1, 2, 3, 4, 5, 6}, true)))), expected_2_by_3());
  EXPECT_EQ(all_x(*open_pair(folder, npy(header(">f4", "(2, 3)", true), bytes<float>({1, 4, 2, 5, 3, 6}, true)))), expected_2_by_3());
  EXPECT_EQ(all_x(*open_pair(folder, npy(header(">i2", "(2, 3)"), bytes<std::int16_t>({1, 2, 3, 4, 5, 6}, true)))), expected_2_by_3());
}

TEST(Npy, ConvertsIntegersBoolAndHalf) {
  const TemporaryFolder folder;
  const auto expect_read = [&](const std::string& descr, const std::string& data) {
    EXPECT_EQ(all_x(*open_pair(folder, npy(header(descr, "(2, 3)"), data))), expected_2_by_3()) << descr;
  };
  expect_read("|i1", bytes<std::int8_t>({1, 2, 3, 4, 5, 6}));
  expect_read("<i2", bytes<std::int16_t>({1, 2, 3, 4, 5, 6}));
  expect_read("<i4", bytes<std::int32_t>({1, 2, 3, 4, 5, 6}));
  expect_read("<i8", bytes<std::int64_t>({1, 2, 3, 4, 5, 6}));
  expect_read("|u1", bytes<std::uint8_t>({1, 2, 3, 4, 5, 6}));
  expect_read("<u8", bytes<std::uint64_t>({1, 2, 3, 4, 5, 6}));
  expect_read("<f2", bytes<std::uint16_t>({0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600}));
  RowMatrix truth(2, 3);
  truth << 1, 0, 1, 1, 1, 0;
  EXPECT_EQ(all_x(*open_pair(folder, npy(header("|b1", "(2, 3)"), bytes<std::uint8_t>({1, 0, 1, 1, 255, 0})))), truth);
}

TEST(Npy, HandsOutTheMappedMemoryWhereItIsAsWanted) {
  const TemporaryFolder folder;
  const std::string y = npy_header("<f4", {2}) + bytes<float>({7, 8});
  const auto source = open_pair(folder, npy_header("<f4", {2, 3}) + bytes<float>({1, 2, 3, 4, 5, 6}), y);
  BlockBuffer<float> buffer;
  const Block<float> block = source->read(1, 1, buffer);
  EXPECT_EQ(buffer.x.size(), 0);
  EXPECT_EQ(buffer.y.size(), 0);
  EXPECT_EQ(block.x(0, 2), 6);
  EXPECT_EQ(block.first, 1);
  EXPECT_EQ(source->precision(), Precision::float32);
  BlockBuffer<double> wide;
  EXPECT_EQ(source->read(0, 2, wide).x, expected_2_by_3());
}

TEST(Npy, RefusesLyingAndTruncatedHeaders) {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& file, const std::string& part) {
    const std::string message = data_error([&] { open_pair(folder, file); });
    EXPECT_TRUE(contains(message, part));
    EXPECT_TRUE(contains(message, (folder / "x.npy").string()));
    EXPECT_TRUE(contains(message, " (")) << "a remedy is missing";
  };
  const std::string data = bytes<double>({1, 2, 3, 4, 5, 6});
  refused(npy(header("<f8", "(1152921504606846976, 3)"), data), "but 48 bytes follow");
  refused(npy(header("<f8", "(4611686018427387904, 4611686018427387904)"), data), "more than 2^63");
  refused(npy(header("<f8", "(99999999999999999999, 3)"), data), "does not fit in 64 bits");
  refused(npy(header("<f8", "(-2, 3)"), data), "expected a size");
  refused(npy(header("<f8", "(2, 3)"), data.substr(1)), "47 bytes follow");
  refused(npy(header("<f8", "(2, 3)"), data + "x"), "1 bytes more");
  refused(npy(header("|O", "(2, 3)"), data), "dtype object");
  refused(npy(header("<c16", "(2, 3)"), data + data), "dtype '<c16'");
  refused(npy(header("<f16", "(2, 3)"), data + data), "dtype '<f16'");
  refused(npy(header("|S8", "(2, 3)"), data), "dtype '|S8'");
  refused(npy(header("<U2", "(2, 3)"), data), "holds text");
  refused(npy(header("<f999999999999999999999", "(2, 3)"), data), "dtype");
  refused(npy(header("", "(2, 3)"), data), "dtype ''");
  refused(npy("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (6,), }", data), "named fields");
  refused(npy("{'descr': '<f8', 'shape': (2, 3), }", data), "'fortran_order' is missing");
  refused(npy("{'descr': '<f8', 'fortran_order': False}", data), "'shape' is missing");
  refused(npy("{'fortran_order': False, 'shape': (2, 3)}", data), "'descr' is missing");
  refused(npy(header("<f8", "(2, 3)") + "}", data), "something follows");
  refused(npy("{'descr': '<f8", data), "not closed");
  refused(npy("", data), "expected '{'");
  refused(npy(header("<f8", "(2, 3)"), data, 4), "version 4.0");
  const std::string good = npy(header("<f8", "(2, 3)"), data);
  for (std::size_t size = 0; size < good.size(); ++size) refused(good.substr(0, size), "");
  refused("PK\x03\x04", "not a .npy array");
}

TEST(Npy, RefusesShapesThatAreNotSamples) {
  const TemporaryFolder folder;
  const std::string six = bytes<double>({1, 2, 3, 4, 5, 6});
  const auto message = [&](const std::string& x, const std::string& y = two_labels) {
    return data_error([&] { open_pair(folder, x, y); });
  };
  EXPECT_TRUE(contains(message(npy(header("<f8", "(6,)"), six)), "x.reshape(-1, 1)"));
  EXPECT_TRUE(contains(message(npy(header("<f8", "()"), bytes<double>({1}))), "two dimensions"));
  EXPECT_TRUE(contains(message(npy(header("<f8", "(2, 3, 1)"), six)), "x.reshape(len(x), -1)"));
  EXPECT_TRUE(contains(message(npy(header("<f8", "(0, 3)"), ""), npy(header("<f8", "(0,)"), "")), "no samples"));
  EXPECT_TRUE(contains(message(npy(header("<f8", "(2, 0)"), "")), "no inputs"));
  EXPECT_TRUE(contains(message(npy(header("<f8", "(4611686018427387904, 0)"), "")), "no inputs"));
  EXPECT_TRUE(contains(message(npy(header("<f8", "(3, 2)"), six)), "has 2 rows, but x has 3"));
  EXPECT_TRUE(contains(message(npy(header("<f8", "(2, 3)"), six), npy(header("<f8", "(2, 0)"), "")), "no outputs"));
  EXPECT_TRUE(contains(message(npy(header("<f8", "(2, 3)"), six), npy(header("<f8", "()"), bytes<double>({1}))), "has shape ()"));
}

TEST(Npy, ReadsOneRow) {
  const TemporaryFolder folder;
  const auto source =
      open_pair(folder, npy(header("<f8", "(1, 2)"), bytes<double>({1, 2})), npy(header("<f8", "(1, 1)"), bytes<double>({3})));
  EXPECT_EQ(source->samples(), 1);
  EXPECT_EQ(all_y(*source)(0, 0), 3);
}

TEST(Open, ExplainsPathsThatCantBeRead) {
  const TemporaryFolder folder;
  const auto message = [&](const std::string& name) { return data_error([&] { open_samples(folder / name); }); };
  EXPECT_TRUE(contains(message("missing.npz"), "can't be opened: No such file"));
  EXPECT_TRUE(contains(message("missing.h5"), "can't be opened: No such file"));
  EXPECT_TRUE(contains(message("missing.csv"), "can't be opened: No such file"));
  EXPECT_TRUE(contains(data_error([&] { open_samples(folder.path()); }), "is a directory"));
  std::filesystem::create_directory(folder / "folder.npz");
  EXPECT_TRUE(contains(message("folder.npz"), "is a directory"));
  folder.write("data.txt", "1 2 3");
  EXPECT_TRUE(contains(message("data.txt"), ".npz, .npy, .h5, .hdf5 or .csv"));
  EXPECT_TRUE(contains(message("noextension"), "has no extension"));
  EXPECT_TRUE(contains(message("inputs.npy"), "inputs or labels, not both"));
  EXPECT_TRUE(contains(data_error([&] { open_samples(folder / "a.npz", folder / "b.npy"); }), "is not a .npy file"));
  EXPECT_TRUE(contains(data_error([&] { open_samples("/dev/null"); }), "/dev/null"));
  for (const char* name : {"empty.npz", "empty.csv", "empty.h5"}) {
    folder.write(name, "");
    EXPECT_TRUE(contains(message(name), name));
  }
  if (::geteuid() != 0) {
    std::filesystem::permissions(folder.write("secret.npz", "PK"), std::filesystem::perms::none);
    EXPECT_TRUE(contains(message("secret.npz"), "Permission denied"));
  }
}

/// An archive as libzip writes it, compressed or stored.
void write_zip(const std::filesystem::path& path, const std::vector<std::pair<std::string, std::string>>& members, int method) {
  zip_t* archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
  ASSERT_NE(archive, nullptr);
  for (const auto& [name, data] : members) {
    const zip_int64_t index = zip_file_add(archive, name.c_str(), zip_source_buffer(archive, data.data(), data.size(), 0), 0);
    ASSERT_GE(index, 0);
    zip_set_file_compression(archive, static_cast<zip_uint64_t>(index), method, 0);
  }
  ASSERT_EQ(zip_close(archive), 0);
}

TEST(Npz, ReadsStoredAndCompressedMembers) {
  const TemporaryFolder folder;
  const std::string x = npy(header("<f8", "(2, 3)"), bytes<double>({1, 2, 3, 4, 5, 6}));
  for (const int method : {ZIP_CM_STORE, ZIP_CM_DEFLATE}) {
    write_zip(folder / "data.npz", {{"other.npy", "not an array"}, {"x.npy", x}, {"y.npy", two_labels}}, method);
    const auto source = open_samples(folder / "data.npz");
    EXPECT_EQ(all_x(*source), expected_2_by_3());
    EXPECT_EQ(all_y(*source).col(0), Eigen::Vector2d(7, 8));
  }
}

TEST(Npz, SaysWhichArraysAreThere) {
  const TemporaryFolder folder;
  const std::string x = npy(header("<f8", "(2, 3)"), bytes<double>({1, 2, 3, 4, 5, 6}));
  write_zip(folder / "data.npz", {{"inputs.npy", x}, {"y.npy", two_labels}}, ZIP_CM_STORE);
  EXPECT_TRUE(contains(data_error([&] { open_samples(folder / "data.npz"); }), "has no array x; it has inputs, y"));
  write_zip(folder / "data.npz", {{"x.npy", x}}, ZIP_CM_STORE);
  EXPECT_TRUE(contains(data_error([&] { open_samples(folder / "data.npz"); }), "has no array y; it has x"));
  write_zip(folder / "data.npz", {{"x.npy", "rubbish"}, {"y.npy", two_labels}}, ZIP_CM_STORE);
  EXPECT_TRUE(contains(data_error([&] { open_samples(folder / "data.npz"); }), "array x"));
  folder.write("text.npz", "this is not an archive");
  EXPECT_TRUE(contains(data_error([&] { open_samples(folder / "text.npz"); }), "is not a zip archive"));
}

TEST(Npz, RefusesEveryTruncation) {
  const TemporaryFolder folder;
  const std::string x = npy(header("<f8", "(2, 3)"), bytes<double>({1, 2, 3, 4, 5, 6}));
  for (const int method : {ZIP_CM_STORE, ZIP_CM_DEFLATE}) {
    write_zip(folder / "data.npz", {{"x.npy", x}, {"y.npy", two_labels}}, method);
    const std::string whole = content_of(folder / "data.npz");
    for (std::size_t size = 0; size < whole.size(); ++size) {
      folder.write("cut.npz", whole.substr(0, size));
      EXPECT_TRUE(contains(data_error([&] { open_samples(folder / "cut.npz"); }), "cut.npz")) << size;
    }
  }
}

TEST(Npz, NoticesDamageInCompressedMembers) {
  const TemporaryFolder folder;
  const std::string x = npy(header("<f8", "(2, 3)"), bytes<double>({1.25, 2.5, 3.75, 4.125, 5.0625, 6.5}));
  write_zip(folder / "data.npz", {{"x.npy", x}, {"y.npy", two_labels}}, ZIP_CM_DEFLATE);
  std::string whole = content_of(folder / "data.npz");
  whole[80] = static_cast<char>(whole[80] ^ 0x5a);
  folder.write("bad.npz", whole);
  EXPECT_TRUE(contains(data_error([&] { open_samples(folder / "bad.npz"); }), "bad.npz"));
}

TEST(Zip, UnpacksLargeMembersIntoAFileThatLeavesNoTrace) {
  const TemporaryFolder folder;
  std::string data;
  for (int i = 0; i < 500000; ++i) data += std::to_string(i);  // more than two pieces of the stream
  write_zip(folder / "data.zip", {{"large", data}}, ZIP_CM_DEFLATE);
  const SharedBytes content = map_file(folder / "data.zip");
  ASSERT_LT(content.bytes.size(), data.size());
  for (const std::uint64_t memory : {std::uint64_t{1000}, std::uint64_t{1} << 30}) {
    const SharedBytes member = ZipReader(content, "data.zip").read("large", Control(), memory);  // outlives the reader
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(member.bytes.data()), member.bytes.size()), data);
  }
}

TEST(Zip, AlignsMembersAndRefusesOnesThatAreNotComplete) {
  const TemporaryFolder folder;
  {
    ZipWriter writer(folder / "a.zip", {{"one", 3}, {"a longer name", 5}, {"empty", 0}});
    writer.append(1, "12", 2);
    writer.append(0, "abc", 3);
    writer.append(1, "345", 3);
    EXPECT_THROW(writer.append(0, "x", 1), std::logic_error);
    writer.commit();
  }
  const SharedBytes content = map_file(folder / "a.zip");
  const ZipReader reader(content, "a.zip");
  EXPECT_EQ(reader.names(), (std::vector<std::string>{"one", "a longer name", "empty"}));
  for (const auto& [name, text] : {std::pair<std::string, std::string>{"one", "abc"}, {"a longer name", "12345"}}) {
    const SharedBytes member = reader.read(name);
    EXPECT_EQ((member.bytes.data() - content.bytes.data()) % 64, 0);
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(member.bytes.data()), member.bytes.size()), text);
  }
  ZipWriter unfinished(folder / "b.zip", {{"one", 3}});
  EXPECT_THROW(unfinished.commit(), std::logic_error);
}

}  // namespace
}  // namespace relucover
