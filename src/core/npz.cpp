#include "core/npz.hpp"

#include <fmt/format.h>

#include <cstring>

#include "core/format_version.hpp"
#include "relucover/errors.hpp"

namespace relucover {

namespace {

std::string numbers(const double* values, Index count, const std::vector<Index>& shape) {
  std::string bytes = npy_header("<f8", shape);
  return bytes.append(reinterpret_cast<const char*>(values), static_cast<std::size_t>(count) * sizeof(double));
}

}  // namespace

std::string matrix_array(const Eigen::Ref<const RowMatrix>& matrix) {
  const RowMatrix packed = matrix;
  return numbers(packed.data(), packed.size(), {packed.rows(), packed.cols()});
}

std::string vector_array(const Vector& vector) { return numbers(vector.data(), vector.size(), {vector.size()}); }

std::string text_array(const std::string& text) {
  std::string bytes = npy_header(fmt::format("<U{}", text.size()), {});
  for (const char c : text) bytes += {c, '\0', '\0', '\0'};
  return bytes;
}

std::string integer_array(std::int64_t value) {
  std::string bytes = npy_header("<i8", {});
  return bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void write_npz(const std::filesystem::path& path, const NamedArrays& arrays) {
  std::vector<ZipWriter::Member> members;
  for (const auto& [name, bytes] : arrays) members.push_back({name + ".npy", bytes.size()});
  ZipWriter archive(path, members);
  for (std::size_t i = 0; i < arrays.size(); ++i) archive.append(i, arrays[i].second.data(), arrays[i].second.size());
  archive.commit();
}

NpzReader::NpzReader(const SharedBytes& content, std::string name, std::string layout)
    : archive_(content, name), name_(std::move(name)), layout_(std::move(layout)) {}

void NpzReader::fail(const std::string& key, const std::string& problem, const std::string& remedy) const {
  throw DataError(name_, "array " + key, problem, remedy.empty() ? layout_ : remedy);
}

void NpzReader::expect_format(const std::string& format, Index version) const {
  if (text("format") != format) fail("format", fmt::format("should be \"{}\"", format));
  const double found = number("version");
  if (found == static_cast<double>(version)) return;
  const VersionProblem wrong = version_problem(found, static_cast<int>(version));
  fail("version", wrong.problem, wrong.remedy);
}

NpyArray NpzReader::array(const std::string& key, std::size_t dimensions) const {
  if (!archive_.contains(key + ".npy")) throw DataError(name_, "", "has no array " + key, layout_);
  NpyArray result = parse_npy(archive_.read(key + ".npy"), {name_, "array " + key});
  if (result.shape.size() != dimensions)
    fail(key, fmt::format("has shape {}, expected {} dimensions", shape_text(result.shape), dimensions));
  return result;
}

std::string NpzReader::text(const std::string& key) const {
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

double NpzReader::number(const std::string& key) const {
  NpyArray stored = array(key, 0);
  stored.shape = {1};
  return rows_of(key, stored)(0, 0);
}

Vector NpzReader::vector(const std::string& key, Index size) const {
  Vector values = rows_of(key, array(key, 1));
  if (values.size() != size) fail(key, fmt::format("has {} numbers, expected {}", values.size(), size));
  return values;
}

Matrix NpzReader::matrix(const std::string& key, Index rows, Index cols) const {
  Matrix values = rows_of(key, array(key, 2));
  if ((rows >= 0 && values.rows() != rows) || (cols >= 0 && values.cols() != cols))
    fail(key, fmt::format("is {} by {}, expected {} by {}", values.rows(), values.cols(), rows >= 0 ? fmt::to_string(rows) : "any",
                          cols >= 0 ? fmt::to_string(cols) : "any"));
  return values;
}

Matrix NpzReader::rows_of(const std::string& key, const NpyArray& stored) const {
  constexpr Index most = Index{1} << 40;  // also of an array without elements, whose file says nothing about its shape
  if (!stored.type.numeric()) fail(key, "should be numbers");
  for (const Index size : stored.shape)
    if (size > most) fail(key, fmt::format("has shape {}: too large", shape_text(stored.shape)));
  const StoredRows rows(stored, {name_, key});
  RowMatrix values(rows.rows(), rows.cols());
  if (values.size() > 0) rows.copy(0, rows.rows(), values.data());
  return values;
}

}  // namespace relucover
