// {"format": "relucover-network", "version": 1, "activation": "relu", "W": k by d, "b": k, "A": l by k,
//  "skip": l by d, "offset": l}
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "networks/network_files.hpp"
#include "relucover/errors.hpp"

namespace relucover {

namespace {

using nlohmann::json;
constexpr const char* layout = "a network has format, version, activation, W, b, A, skip and offset; see docs";

std::string row_text(const Eigen::Ref<const Vector>& row) {
  std::string text = "[";
  for (Index i = 0; i < row.size(); ++i) text += (i > 0 ? ", " : "") + json(row[i]).dump();  // keeps -0.0
  return text + "]";
}

std::string matrix_text(const Matrix& matrix) {
  std::string text = "[";
  for (Index i = 0; i < matrix.rows(); ++i) text += (i > 0 ? ",\n    " : "\n    ") + row_text(Vector(matrix.row(i)));
  return text + (matrix.rows() > 0 ? "\n  ]" : "]");
}

/// Looks up parts of the file and complains with the key.
class Reader {
 public:
  Reader(const json& content, const std::string& name) : content_(content), name_(name) {}

  [[noreturn]] void fail(const std::string& place, const std::string& problem,
                         const std::string& remedy = layout) const {
    throw DataError(name_, place, problem, remedy);
  }
  const json& at(const char* key) const {
    if (!content_.contains(key)) fail("", fmt::format("key \"{}\" is missing", key));
    return content_.at(key);
  }
  std::string text(const char* key) const {
    if (!at(key).is_string()) fail(quoted(key), "should be text");
    return at(key).get<std::string>();
  }
  Vector vector(const char* key, Index expected) const { return row(at(key), quoted(key), expected); }

  /// Either size may be -1: any.
  Matrix matrix(const char* key, Index rows, Index cols) const {
    const json& list = array(at(key), quoted(key));
    if (rows >= 0 && std::ssize(list) != rows)
      fail(quoted(key), fmt::format("has {} rows, expected {}", list.size(), rows));
    Matrix result(std::ssize(list), std::max<Index>(cols, 0));
    for (Index i = 0; i < result.rows(); ++i) {
      const std::string place = fmt::format("\"{}\", row {}", key, i);
      const Vector values = row(list[static_cast<std::size_t>(i)], place, i == 0 ? cols : result.cols());
      if (i == 0) result.resize(result.rows(), values.size());
      result.row(i) = values;
    }
    return result;
  }

 private:
  static std::string quoted(const char* key) { return fmt::format("\"{}\"", key); }
  const json& array(const json& value, const std::string& place) const {
    if (!value.is_array()) fail(place, fmt::format("should be a list, not {}", value.type_name()));
    return value;
  }
  Vector row(const json& value, const std::string& place, Index expected) const {
    const json& list = array(value, place);
    if (expected >= 0 && std::ssize(list) != expected)
      fail(place, fmt::format("has {} numbers, expected {}", list.size(), expected));
    Vector result(std::ssize(list));
    for (Index j = 0; j < result.size(); ++j) {
      const json& number = list[static_cast<std::size_t>(j)];
      if (!number.is_number()) fail(place, fmt::format("entry {} should be a number, not {}", j, number.type_name()));
      result[j] = number.get<double>();
    }
    return result;
  }

  const json& content_;
  const std::string& name_;
};

}  // namespace

std::string network_json(const Network& network) {
  return fmt::format(
      "{{\n  \"format\": \"{}\",\n  \"version\": {},\n  \"activation\": \"{}\",\n  \"W\": {},\n  \"b\": {},\n  \"A\": "
      "{},\n"
      "  \"skip\": {},\n  \"offset\": {}\n}}\n",
      network_format, network_version, name_of(network.activation), matrix_text(network.W), row_text(network.b),
      matrix_text(network.A), matrix_text(network.skip), row_text(network.offset));
}

Network parse_network_json(Bytes bytes, const std::string& name) {
  json content;
  try {
    const char* text = reinterpret_cast<const char*>(bytes.data());
    content = json::parse(text, text + bytes.size());
  } catch (const json::exception& error) {
    throw DataError(name, "", std::string("is not JSON: ") + error.what(), "repair or write the file again");
  }
  const Reader reader(content, name);
  if (!content.is_object()) reader.fail("", "should be an object in braces");
  if (reader.text("format") != network_format)
    reader.fail("\"format\"", fmt::format("should be \"{}\"", network_format));
  if (reader.at("version") != network_version)
    reader.fail("\"version\"", fmt::format("should be {}", network_version), "read it with the program that wrote it");
  Network network;
  try {
    network.activation = activation_named(reader.text("activation"));
  } catch (const std::invalid_argument& error) {
    reader.fail("\"activation\"", error.what());
  }
  network.skip = reader.matrix("skip", -1, -1);
  if (network.skip.rows() == 0) reader.fail("\"skip\"", "has no rows: a network has at least one output");
  network.W = reader.matrix("W", -1, network.skip.cols());
  network.b = reader.vector("b", network.units());
  network.A = reader.matrix("A", network.skip.rows(), network.units());
  network.offset = reader.vector("offset", network.skip.rows());
  return network;
}

}  // namespace relucover
