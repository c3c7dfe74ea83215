// {"format": "relucover-network", "version": 1, "activation": "relu", "W": k by d, "b": k, "A": l by k,
//  "skip": l by d, "offset": l}
// "slope" beside a leaky activation, "link" where there is one.
// Deep: "version": 2, "layers": [{"W": ..., "b": ...}, ...] instead of W and b, from below; "around" in a layer or beside A
// where a linear path leads around the layer below.
#include <fmt/format.h>

#include <optional>

#include "core/json_document.hpp"
#include "networks/network_files.hpp"
#include "relucover/errors.hpp"

namespace relucover {

namespace {

using nlohmann::json;
constexpr const char* layout = "a network has format, version, activation, W, b, A, skip and offset; see docs";
constexpr const char* deep_layout = "a network of version 2 has format, version, activation, layers, A, skip and offset; see docs";

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
  /// `part` names the part of the file that `content` is, as in "layers", entry 1; empty: all of it.
  Reader(const json& content, const std::string& name, std::string part = {}, const char* expected = layout)
      : content_(content), name_(name), part_(std::move(part)), layout_(expected) {}

  [[noreturn]] void fail(const std::string& place, const std::string& problem, const std::string& remedy) const {
    throw DataError(name_, part_.empty() || place.empty() ? part_ + place : part_ + ", " + place, problem, remedy);
  }
  [[noreturn]] void fail(const std::string& place, const std::string& problem) const { fail(place, problem, layout_); }
  bool has(const char* key) const { return content_.contains(key); }
  const json& at(const char* key) const {
    if (!content_.contains(key)) fail("", fmt::format("key \"{}\" is missing", key));
    return content_.at(key);
  }
  const json& list(const char* key) const { return array(at(key), quoted(key)); }
  std::string text(const char* key) const {
    if (!at(key).is_string()) fail(quoted(key), "should be text");
    return at(key).get<std::string>();
  }
  Vector vector(const char* key, Index expected) const { return row(at(key), quoted(key), expected); }

  /// Either size may be -1: any.
  Matrix matrix(const char* key, Index rows, Index cols) const {
    const json& list = array(at(key), quoted(key));
    if (rows >= 0 && std::ssize(list) != rows) fail(quoted(key), fmt::format("has {} rows, expected {}", list.size(), rows));
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
    if (expected >= 0 && std::ssize(list) != expected) fail(place, fmt::format("has {} numbers, expected {}", list.size(), expected));
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
  std::string part_;
  const char* layout_;
};

std::string layer_text(const Matrix& W, const Vector& b, const Matrix& around) {
  const std::string path = around.size() > 0 ? ",\n  \"around\": " + matrix_text(around) : "";
  return fmt::format("{{\n  \"W\": {},\n  \"b\": {}{}\n  }}", matrix_text(W), row_text(b), path);
}

/// What only some networks have.
std::string extras(const Network& network) {
  std::string text;
  if (network.activation == Activation::leaky) text += fmt::format(",\n  \"slope\": {}", json(network.slope).dump());
  if (network.link != Link::identity) text += fmt::format(",\n  \"link\": \"{}\"", name_of(network.link));
  return text;
}

std::string deep_network_json(const Network& network) {
  std::string layers = layer_text(network.W, network.b, {});
  for (const HiddenLayer& layer : network.upper) layers += ", " + layer_text(layer.W, layer.b, layer.around);
  const std::string path = network.around.size() > 0 ? ",\n  \"around\": " + matrix_text(network.around) : "";
  return fmt::format(
      "{{\n  \"format\": \"{}\",\n  \"version\": {},\n  \"activation\": \"{}\",\n  \"layers\": [{}],\n  \"A\": {},\n"
      "  \"skip\": {},\n  \"offset\": {}{}{}\n}}\n",
      network_format, deep_network_version, name_of(network.activation), layers, matrix_text(network.A), matrix_text(network.skip),
      row_text(network.offset), path, extras(network));
}

void read_layers(const Reader& reader, const std::string& name, Network& network) {
  const json& layers = reader.list("layers");
  if (layers.empty()) reader.fail("\"layers\"", "is empty");
  Index below = network.skip.cols(), beneath = 0;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const std::string place = fmt::format("\"layers\", entry {}", l);
    if (!layers[l].is_object()) reader.fail(place, "should be an object in braces");
    const Reader part(layers[l], name, place, deep_layout);
    HiddenLayer layer;
    layer.W = part.matrix("W", -1, below);
    layer.b = part.vector("b", layer.W.rows());
    if (l > 0 && part.has("around")) layer.around = part.matrix("around", layer.W.rows(), beneath);
    beneath = below;
    below = layer.W.rows();
    if (l == 0) {
      network.W = std::move(layer.W);
      network.b = std::move(layer.b);
    } else {
      network.upper.push_back(std::move(layer));
    }
  }
  network.A = reader.matrix("A", network.skip.rows(), below);
  if (network.deep() && reader.has("around")) network.around = reader.matrix("around", network.skip.rows(), beneath);
}

}  // namespace

std::string network_json(const Network& network) {
  if (network.deep()) return deep_network_json(network);
  return fmt::format(
      "{{\n  \"format\": \"{}\",\n  \"version\": {},\n  \"activation\": \"{}\",\n  \"W\": {},\n  \"b\": {},\n  \"A\": "
      "{},\n"
      "  \"skip\": {},\n  \"offset\": {}{}\n}}\n",
      network_format, network_version, name_of(network.activation), matrix_text(network.W), row_text(network.b), matrix_text(network.A),
      matrix_text(network.skip), row_text(network.offset), extras(network));
}

Network parse_network_json(Bytes bytes, const std::string& name) {
  std::optional<JsonDocument> document;
  try {
    document.emplace(text_of(bytes));
  } catch (const json::exception& error) {
    const std::string_view words = error.what();  // "[json.exception.parse_error.101] parse error at line 2, ..."
    const auto end_of_name = words.find("] ");
    throw DataError(name, "", fmt::format("is not JSON: {}", end_of_name == std::string_view::npos ? words : words.substr(end_of_name + 2)),
                    "repair or write the file again");
  }
  const json& content = document->value();
  const bool deep = content.is_object() && content.value("version", json()) == deep_network_version;
  const Reader reader(content, name, {}, deep ? deep_layout : layout);
  if (!content.is_object()) reader.fail("", "should be an object in braces");
  if (reader.text("format") != network_format) reader.fail("\"format\"", fmt::format("should be \"{}\"", network_format));
  if (reader.at("version") != network_version && !deep)
    reader.fail("\"version\"", fmt::format("should be {} or {}", network_version, deep_network_version),
                "read it with the program that wrote it");
  Network network;
  try {
    network.activation = activation_named(reader.text("activation"));
  } catch (const std::invalid_argument& error) {
    reader.fail("\"activation\"", error.what());
  }
  if (network.activation == Activation::leaky) {
    if (!reader.at("slope").is_number()) reader.fail("\"slope\"", "should be a number");
    network.slope = reader.at("slope").get<double>();
  }
  if (reader.has("link")) {
    try {
      network.link = link_named(reader.text("link"));
    } catch (const std::invalid_argument& error) {
      reader.fail("\"link\"", error.what());
    }
  }
  network.skip = reader.matrix("skip", -1, -1);
  if (network.skip.rows() == 0) reader.fail("\"skip\"", "has no rows: a network has at least one output");
  if (deep) {
    read_layers(reader, name, network);
  } else {
    network.W = reader.matrix("W", -1, network.skip.cols());
    network.b = reader.vector("b", network.units());
    network.A = reader.matrix("A", network.skip.rows(), network.units());
  }
  network.offset = reader.vector("offset", network.skip.rows());
  return network;
}

}  // namespace relucover
