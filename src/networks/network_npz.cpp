#include <fmt/format.h>

#include <array>
#include <cstring>

#include "core/npy.hpp"
#include "core/zip.hpp"
#include "networks/network_files.hpp"
#include "relucover/errors.hpp"

namespace relucover {

namespace {

constexpr const char* layout = "a network has arrays format, version, activation, W, b, A, skip and offset";

std::string numbers(const Eigen::Ref<const RowMatrix>& values, const std::vector<Index>& shape) {
  const RowMatrix packed = values;
  std::string bytes = npy_header("<f8", shape);
  bytes.append(reinterpret_cast<const char*>(packed.data()), static_cast<std::size_t>(packed.size()) * sizeof(double));
  return bytes;
}

std::string matrix_array(const Matrix& matrix) { return numbers(matrix, {matrix.rows(), matrix.cols()}); }
std::string vector_array(const Vector& vector) { return numbers(vector, {vector.size()}); }

/// numpy's text: four bytes per character.
std::string text_array(const std::string& text) {
  std::string bytes = npy_header(fmt::format("<U{}", text.size()), {});
  for (const char c : text) bytes += {c, '\0', '\0', '\0'};
  return bytes;
}

std::string integer_array(std::int64_t value) {
  std::string bytes = npy_header("<i8", {});
  return bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

class Reader {
 public:
  Reader(const SharedBytes& content, const std::string& name) : archive_(content, name), name_(name) {}

  [[noreturn]] void fail(const std::string& key, const std::string& problem, const std::string& remedy = layout) const {
    throw DataError(name_, "array " + key, problem, remedy);
  }
  NpyArray array(const std::string& key, std::size_t dimensions) const {
    if (!archive_.contains(key + ".npy")) throw DataError(name_, "", "has no array " + key, layout);
    NpyArray result = parse_npy(archive_.read(key + ".npy"), {name_, "array " + key});
    if (result.shape.size() != dimensions)
      fail(key, fmt::format("has shape {}, expected {} dimensions", shape_text(result.shape), dimensions));
    return result;
  }
  std::string text(const std::string& key) const {
    const NpyArray stored = array(key, 0);
    if (stored.type.numeric() || stored.type.big_endian) fail(key, "should be text");
    std::string result;
    for (std::size_t at = 0; at + 4 <= stored.data.bytes.size(); at += 4) {
      std::uint32_t character;
      std::memcpy(&character, stored.data.bytes.data() + at, 4);
      if (character == 0) break;  // padding
      result.push_back(character < 128 ? static_cast<char>(character) : '?');
    }
    return result;
  }
  double number(const std::string& key) const {
    NpyArray stored = array(key, 0);
    stored.shape = {1};
    return rows_of(key, stored)(0, 0);
  }
  Vector vector(const std::string& key, Index size) const {
    const Vector values = rows_of(key, array(key, 1));
    if (values.size() != size) fail(key, fmt::format("has {} numbers, expected {}", values.size(), size));
    return values;
  }
  /// Either size may be -1: any.
  Matrix matrix(const std::string& key, Index rows, Index cols) const {
    const Matrix values = rows_of(key, array(key, 2));
    if ((rows >= 0 && values.rows() != rows) || (cols >= 0 && values.cols() != cols))
      fail(key, fmt::format("is {} by {}, expected {} by {}", values.rows(), values.cols(),
                            rows >= 0 ? fmt::to_string(rows) : "any", cols >= 0 ? fmt::to_string(cols) : "any"));
    return values;
  }

 private:
  Matrix rows_of(const std::string& key, const NpyArray& stored) const {
    constexpr Index most =
        Index{1} << 40;  // also of an array without elements, whose file says nothing about its shape
    if (!stored.type.numeric()) fail(key, "should be numbers");
    for (const Index size : stored.shape)
      if (size > most) fail(key, fmt::format("has shape {}: too large", shape_text(stored.shape)));
    const StoredRows rows(stored);
    RowMatrix values(rows.rows(), rows.cols());
    if (values.size() > 0) rows.copy(0, rows.rows(), values.data());
    return values;
  }
  ZipReader archive_;
  const std::string& name_;
};

}  // namespace

void write_network_npz(const Network& network, const std::filesystem::path& path) {
  const std::array<std::pair<const char*, std::string>, 8> arrays{
      {{"format.npy", text_array(network_format)},
       {"version.npy", integer_array(network_version)},
       {"activation.npy", text_array(name_of(network.activation))},
       {"W.npy", matrix_array(network.W)},
       {"b.npy", vector_array(network.b)},
       {"A.npy", matrix_array(network.A)},
       {"skip.npy", matrix_array(network.skip)},
       {"offset.npy", vector_array(network.offset)}}};
  std::vector<ZipWriter::Member> members;
  for (const auto& [name, bytes] : arrays) members.push_back({name, bytes.size()});
  ZipWriter archive(path, members);
  for (std::size_t i = 0; i < arrays.size(); ++i) archive.append(i, arrays[i].second.data(), arrays[i].second.size());
  archive.commit();
}

Network parse_network_npz(const SharedBytes& content, const std::string& name) {
  const Reader reader(content, name);
  if (reader.text("format") != network_format) reader.fail("format", fmt::format("should be \"{}\"", network_format));
  if (reader.number("version") != network_version)
    reader.fail("version", fmt::format("should be {}", network_version), "read it with the program that wrote it");
  Network network;
  try {
    network.activation = activation_named(reader.text("activation"));
  } catch (const std::invalid_argument& error) {
    reader.fail("activation", error.what());
  }
  network.W = reader.matrix("W", -1, -1);
  network.b = reader.vector("b", network.units());
  network.A = reader.matrix("A", -1, network.units());
  if (network.outputs() == 0) reader.fail("A", "has no rows: a network has at least one output");
  network.skip = reader.matrix("skip", network.outputs(), network.inputs());
  network.offset = reader.vector("offset", network.outputs());
  return network;
}

}  // namespace relucover
