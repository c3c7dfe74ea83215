// {"format": "relucover-threshold-model", "version": 1, "unit": "relu", "W": d by n, "t": d, "upper": {...}}
#include <fmt/format.h>

#include "core/atomic_file.hpp"
#include "core/check.hpp"
#include "core/json_document.hpp"
#include "core/mapped_file.hpp"
#include "networks/network_onnx.hpp"
#include "relucover/errors.hpp"
#include "relucover/threshold.hpp"

namespace relucover {

namespace {

using nlohmann::json;
constexpr const char* threshold_format = "relucover-threshold-model";

/// Items of a list: written as text, since a tree of JSON may end the program where memory does (core/json_document.hpp).
template <class Items, class Text>
std::string list_text(const Items& items, const Text& text) {
  std::string all = "[";
  for (const auto& item : items) all += (all.size() > 1 ? "," : "") + text(item);
  return all + "]";
}

std::string number_text(double value) { return json(value).dump(); }  // keeps -0.0
std::string vector_text(const Vector& values) { return list_text(values, number_text); }
std::string rows_text(const Matrix& values) {
  return list_text(values.rowwise(), [](const auto& row) { return vector_text(Vector(row)); });
}

Vector to_vector(const json& values) {
  const auto numbers = values.get<std::vector<double>>();
  return Eigen::Map<const Vector>(numbers.data(), static_cast<Index>(numbers.size()));
}

Matrix to_matrix(const json& rows) {
  const auto numbers = rows.get<std::vector<std::vector<double>>>();
  const std::size_t columns = numbers.empty() ? 0 : numbers.front().size();
  Matrix result(static_cast<Index>(numbers.size()), static_cast<Index>(columns));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i].size() != columns) throw std::invalid_argument(fmt::format("row {} has another length than row 0", i));
    for (std::size_t j = 0; j < columns; ++j) result(static_cast<Index>(i), static_cast<Index>(j)) = numbers[i][j];
  }
  return result;
}

constexpr std::pair<UpperPart::Kind, const char*> upper_names[] = {{UpperPart::Kind::polynomial, "polynomial"},
                                                                   {UpperPart::Kind::any, "any"},
                                                                   {UpperPart::Kind::all, "all"},
                                                                   {UpperPart::Kind::layers, "layers"}};
constexpr std::pair<DenseLayer::Kind, const char*> layer_names[] = {{DenseLayer::Kind::linear, "linear"},
                                                                    {DenseLayer::Kind::relu, "relu"},
                                                                    {DenseLayer::Kind::sigmoid, "sigmoid"},
                                                                    {DenseLayer::Kind::tanh, "tanh"}};

template <class Names, class Kind>
std::string word_of(const Names& names, Kind kind) {
  for (const auto& [value, text] : names)
    if (value == kind) return text;
  throw std::invalid_argument("unknown kind");
}

template <class Names>
auto kind_of(const Names& names, const std::string& word) {
  for (const auto& [value, text] : names)
    if (word == text) return value;
  throw std::invalid_argument("unknown kind \"" + word + "\"");
}

std::string upper_text(const UpperPart& upper) {
  std::string text = "{";
  if (upper.kind == UpperPart::Kind::polynomial) text += fmt::format(R"("constant":{},)", number_text(upper.constant));
  text += fmt::format(R"("kind":"{}")", word_of(upper_names, upper.kind));
  if (upper.kind == UpperPart::Kind::layers)
    text += fmt::format(R"(,"layers":{})", list_text(upper.layers, [](const DenseLayer& layer) {
                          return fmt::format(R"({{"W":{},"activation":"{}","b":{}}})", rows_text(layer.W), word_of(layer_names, layer.kind),
                                             vector_text(layer.b));
                        }));
  if (upper.kind == UpperPart::Kind::polynomial)
    text += fmt::format(R"(,"monomials":{})", list_text(upper.monomials, [](const Monomial& monomial) {
                          return fmt::format(R"({{"coefficient":{},"factors":{}}})", number_text(monomial.coefficient),
                                             list_text(monomial.factors, [](const auto& factor) {
                                               return fmt::format("[{},{}]", factor.first, factor.second);
                                             }));
                        }));
  return text + "}";
}

template <class Whole>
Whole whole(const json& value, const char* what) {
  const auto number = whole_number<Whole>(value);
  if (!number) throw std::invalid_argument(fmt::format("{} is not a whole number that fits", what));
  return *number;
}

UpperPart to_upper(const json& object) {
  UpperPart upper;
  upper.kind = kind_of(upper_names, object.at("kind").get<std::string>());
  if (upper.kind == UpperPart::Kind::polynomial) {
    upper.constant = object.at("constant").get<double>();
    for (const json& item : object.at("monomials")) {
      Monomial monomial{{}, item.at("coefficient").get<double>()};
      for (const json& factor : item.at("factors"))
        monomial.factors.emplace_back(whole<Index>(factor.at(0), "a unit of a monomial"), whole<int>(factor.at(1), "a power"));
      upper.monomials.push_back(std::move(monomial));
    }
  }
  if (upper.kind == UpperPart::Kind::layers)
    for (const json& item : object.at("layers"))
      upper.layers.push_back(
          {kind_of(layer_names, item.at("activation").get<std::string>()), to_matrix(item.at("W")), to_vector(item.at("b"))});
  return upper;
}

}  // namespace

std::string threshold_model_json(const ThresholdModel& model) {
  return fmt::format(R"({{"W":{},"format":"{}","t":{},"unit":"{}","upper":{},"version":1}})", rows_text(model.W), threshold_format,
                     vector_text(model.t), model.unit.name(), upper_text(model.upper));
}

void write_threshold_model(const ThresholdModel& model, const std::filesystem::path& path) {
  check_no_problems("threshold model", model.problems());
  if (path.extension() == ".onnx") return write_threshold_onnx(model, path);
  write_atomically(path, threshold_model_json(model) + "\n");
}

bool holds_threshold_model(const std::filesystem::path& path) {
  if (is_stream(path)) return false;
  if (path.extension() == ".onnx") return is_threshold_onnx(path);
  if (path.extension() != ".json") return false;
  try {
    return JsonDocument(text_of(map_file(path).bytes)).says("format", threshold_format);
  } catch (const json::exception&) {
    return false;  // whoever reads it says what is wrong
  }
}

ThresholdModel read_threshold_model(const std::filesystem::path& path) {
  if (path.extension() == ".onnx") return read_threshold_onnx(path);
  const std::string remedy = "write it with `relucover sample-threshold ... --truth FILE`";
  const SharedBytes content = map_file(path);
  try {
    const JsonDocument document(text_of(content.bytes));
    const json& object = document.value();
    if (!document.says("format", threshold_format))
      throw std::invalid_argument(std::string("\"format\" is not \"") + threshold_format + "\"");
    if (whole<int>(object.at("version"), "\"version\"") != 1) throw std::invalid_argument("\"version\" is not 1");
    ThresholdModel model{UnitFunction::parse(object.at("unit").get<std::string>()), to_matrix(object.at("W")), to_vector(object.at("t")),
                         to_upper(object.at("upper"))};
    check_no_problems("threshold model", model.problems());
    return model;
  } catch (const json::exception& error) {
    throw DataError(path.string(), "", error.what(), remedy);
  } catch (const std::invalid_argument& error) {
    throw DataError(path.string(), "", error.what(), remedy);
  }
}

}  // namespace relucover
