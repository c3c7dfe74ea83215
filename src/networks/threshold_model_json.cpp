// {"format": "relucover-threshold-model", "version": 1, "unit": "relu", "W": d by n, "t": d, "upper": {...}}
#include <nlohmann/json.hpp>

#include "core/atomic_file.hpp"
#include "core/check.hpp"
#include "core/mapped_file.hpp"
#include "networks/network_onnx.hpp"
#include "relucover/errors.hpp"
#include "relucover/threshold.hpp"

namespace relucover {

namespace {

using nlohmann::json;
constexpr const char* threshold_format = "relucover-threshold-model";

json to_json(const Vector& values) { return std::vector<double>(values.begin(), values.end()); }

json to_json(const Matrix& values) {
  json rows = json::array();
  for (Index i = 0; i < values.rows(); ++i) rows.push_back(to_json(Vector(values.row(i))));
  return rows;
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

json to_json(const UpperPart& upper) {
  json result = {{"kind", word_of(upper_names, upper.kind)}};
  if (upper.kind == UpperPart::Kind::polynomial) {
    result["constant"] = upper.constant;
    result["monomials"] = json::array();
    for (const Monomial& monomial : upper.monomials) {
      json factors = json::array();
      for (const auto& [unit, power] : monomial.factors) factors.push_back({unit, power});
      result["monomials"].push_back({{"coefficient", monomial.coefficient}, {"factors", factors}});
    }
  }
  if (upper.kind == UpperPart::Kind::layers) {
    result["layers"] = json::array();
    for (const DenseLayer& layer : upper.layers)
      result["layers"].push_back({{"activation", word_of(layer_names, layer.kind)}, {"W", to_json(layer.W)}, {"b", to_json(layer.b)}});
  }
  return result;
}

UpperPart to_upper(const json& object) {
  UpperPart upper;
  upper.kind = kind_of(upper_names, object.at("kind").get<std::string>());
  if (upper.kind == UpperPart::Kind::polynomial) {
    upper.constant = object.at("constant").get<double>();
    for (const json& item : object.at("monomials")) {
      Monomial monomial{{}, item.at("coefficient").get<double>()};
      for (const json& factor : item.at("factors")) monomial.factors.emplace_back(factor.at(0).get<Index>(), factor.at(1).get<int>());
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
  const json object = {{"format", threshold_format}, {"version", 1},          {"unit", model.unit.name()},
                       {"W", to_json(model.W)},      {"t", to_json(model.t)}, {"upper", to_json(model.upper)}};
  return object.dump();
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
  const json object = json::parse(text_of(map_file(path).bytes), nullptr, false);
  return object.is_object() && object.value("format", json()) == threshold_format;
}

ThresholdModel read_threshold_model(const std::filesystem::path& path) {
  if (path.extension() == ".onnx") return read_threshold_onnx(path);
  const std::string remedy = "write it with `relucover sample-threshold ... --truth FILE`";
  const SharedBytes content = map_file(path);
  try {
    const json object = json::parse(text_of(content.bytes));
    if (object.value("format", "") != threshold_format)
      throw std::invalid_argument(std::string("\"format\" is not \"") + threshold_format + "\"");
    if (object.at("version").get<int>() != 1) throw std::invalid_argument("\"version\" is not 1");
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
