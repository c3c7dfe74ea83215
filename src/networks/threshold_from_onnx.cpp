// Models with thresholds back from the ONNX graphs that threshold_onnx.cpp writes, node by node in the order of writing. Other programs'
// graphs are read as feed-forward networks (network_onnx.cpp).
#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "core/check.hpp"
#include "networks/onnx_module.hpp"
#include "networks/onnx_types.hpp"
#include "relucover/errors.hpp"

namespace relucover {

namespace {

using Kind = UnitFunction::Kind;

class ThresholdGraphReader {
 public:
  ThresholdGraphReader(std::string file, const onnx::GraphProto& graph) : file_(std::move(file)), graph_(graph) {
    for (const onnx::TensorProto& tensor : graph.initializer()) constants_[tensor.name()] = &tensor;
  }

  ThresholdModel read() {
    if (graph_.input_size() != 1) fail("graph", fmt::format("has {} inputs, expected one", graph_.input_size()));
    value_ = graph_.input(0).name();
    ThresholdModel model;
    DenseLayer first = dense();
    model.W = std::move(first.W);
    model.t = -first.b;
    model.unit = unit();
    model.upper = upper(model.units());
    take("Identity", {value_});
    if (next_ != graph_.node_size()) fail(graph_.node(next_), "comes after the output");
    check_no_problems("threshold model", model.problems());
    return model;
  }

 private:
  [[noreturn]] void fail(const std::string& place, const std::string& problem) const {
    throw DataError(file_, place, problem, "only models with thresholds that relucover wrote can be read; others are read as networks");
  }
  [[noreturn]] void fail(const onnx::NodeProto& node, const std::string& problem) const {
    fail(fmt::format("node \"{}\" ({})", node.name(), node.op_type()), problem);
  }

  const onnx::NodeProto& peek() const {
    if (next_ >= graph_.node_size()) fail("graph", "ends before its output");
    return graph_.node(next_);
  }
  bool comes(const std::string& op) const { return next_ < graph_.node_size() && graph_.node(next_).op_type() == op; }

  /// The next node, which must be this operator on these values; an empty name is a constant. Its output becomes the value.
  const onnx::NodeProto& take(const std::string& op, const std::vector<std::string>& inputs) {
    const onnx::NodeProto& node = peek();
    if (node.op_type() != op) fail(node, fmt::format("stands where a {} is expected", op));
    bool fits = node.input_size() == static_cast<int>(inputs.size()) && node.output_size() == 1;
    for (int i = 0; fits && i < node.input_size(); ++i)
      fits = inputs[static_cast<std::size_t>(i)].empty() ? constants_.contains(node.input(i))
                                                         : node.input(i) == inputs[static_cast<std::size_t>(i)];
    if (!fits) fail(node, "has other inputs than such a model has there");
    ++next_;
    value_ = node.output(0);
    return node;
  }
  std::int64_t attribute(const onnx::NodeProto& node, const std::string& name, std::int64_t otherwise) const {
    for (const onnx::AttributeProto& attribute : node.attribute())
      if (attribute.name() == name) return attribute.i();
    return otherwise;
  }

  template <class Scalar>
  std::vector<Scalar> numbers(const onnx::NodeProto& node, int input, onnx::TensorProto_DataType type) const {
    const onnx::TensorProto& tensor = *constants_.at(node.input(input));
    const std::string& bytes = tensor.raw_data();
    std::int64_t count = 1;
    for (const std::int64_t dim : tensor.dims()) {
      constexpr std::int64_t largest = std::int64_t{1} << 31;
      if (dim < 0 || dim > largest || (dim > 0 && count > largest / dim))
        fail("tensor \"" + tensor.name() + "\"", fmt::format("has a dimension of {}", dim));
      count *= dim;
    }
    if (tensor.data_type() != type || bytes.size() != static_cast<std::size_t>(count) * sizeof(Scalar))
      fail("tensor \"" + tensor.name() + "\"", "has another type or size than it says");
    std::vector<Scalar> values(static_cast<std::size_t>(count));
    if (count > 0) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  std::vector<double> doubles(const onnx::NodeProto& node, int input) const {
    return numbers<double>(node, input, onnx::TensorProto_DataType_DOUBLE);
  }
  double number(const onnx::NodeProto& node, int input) const {
    const auto values = doubles(node, input);
    if (values.size() != 1) fail(node, fmt::format("has {} numbers where one is expected", values.size()));
    return values.front();
  }
  void expect_number(const onnx::NodeProto& node, int input, double expected) const {
    if (number(node, input) != expected) fail(node, fmt::format("has {} where such a model has {}", number(node, input), expected));
  }

  DenseLayer dense() {
    const onnx::NodeProto& node = take("Gemm", {value_, "", ""});
    if (attribute(node, "transB", 0) != 1 || node.attribute_size() != 1) fail(node, "has other attributes than transB = 1");
    const auto weights = doubles(node, 1), constant = doubles(node, 2);
    const auto rows = static_cast<Index>(constant.size());
    const onnx::TensorProto& shape = *constants_.at(node.input(1));
    if (shape.dims_size() != 2 || shape.dims(0) != rows || rows == 0) fail(node, "has weights and constants of different sizes");
    return {DenseLayer::Kind::linear, Eigen::Map<const RowMatrix>(weights.data(), rows, shape.dims(1)),
            Eigen::Map<const Vector>(constant.data(), rows)};
  }

  UnitFunction unit() {
    const std::string a = value_;
    if (comes("Relu")) return take("Relu", {a}), UnitFunction{Kind::relu};
    if (comes("Sigmoid")) return take("Sigmoid", {a}), UnitFunction{Kind::sigmoid};
    if (comes("Abs")) return take("Abs", {a}), UnitFunction{Kind::abs};
    if (comes("Pow")) return {Kind::power, number(take("Pow", {a, ""}), 1)};
    if (comes("Greater")) {
      expect_number(take("Greater", {a, ""}), 1, 0);
      return take("Cast", {value_}), UnitFunction{Kind::step};
    }
    if (peek().op_type() != "Mul") fail(peek(), "is no unit that such a model has");
    if (peek().input_size() == 2 && peek().input(1) == a) {
      take("Mul", {a, a});
      take("Neg", {value_});
      return take("Exp", {value_}), UnitFunction{Kind::gaussian};
    }
    const double scale = number(take("Mul", {a, ""}), 1);
    if (comes("Exp")) return take("Exp", {value_}), UnitFunction{Kind::exponential, scale};
    return take("Cos", {value_}), UnitFunction{Kind::cosine, scale};
  }

  UpperPart upper(Index units) {
    const std::string values = value_;
    if (comes("Gather")) return polynomial(values, units);
    UpperPart part;
    if (comes("ReduceProd")) {
      take("ReduceProd", {values});
      part.kind = UpperPart::Kind::all;
    } else if (comes("Sub")) {
      expect_number(take("Sub", {"", values}), 0, 1);
      take("ReduceProd", {value_});
      expect_number(take("Sub", {"", value_}), 0, 1);
      part.kind = UpperPart::Kind::any;
    } else {
      part.kind = UpperPart::Kind::layers;
      while (comes("Gemm")) {
        part.layers.push_back(dense());
        for (const auto& [op, kind] :
             {std::pair{"Relu", DenseLayer::Kind::relu}, {"Sigmoid", DenseLayer::Kind::sigmoid}, {"Tanh", DenseLayer::Kind::tanh}})
          if (part.layers.back().kind == DenseLayer::Kind::linear && comes(op)) {
            take(op, {value_});
            part.layers.back().kind = kind;
          }
      }
    }
    return part;
  }

  std::vector<std::int64_t> gathered(const std::string& from) {
    const onnx::NodeProto& node = take("Gather", {from, ""});
    if (attribute(node, "axis", 0) != 1) fail(node, "gathers no columns");
    return numbers<std::int64_t>(node, 1, onnx::TensorProto_DataType_INT64);
  }

  /// A monomial is a column of every Gather; the column after the units' is the one of ones.
  UpperPart polynomial(const std::string& values, Index units) {
    UpperPart part;
    gathered(values);
    const std::string first = value_;
    take("Sub", {first, first});
    const std::string zero = value_;
    const onnx::NodeProto& constant = take("Add", {zero, ""});
    if (comes("Identity")) {
      part.constant = number(constant, 1);
      return part;
    }
    expect_number(constant, 1, 1);
    take("Concat", {values, value_});
    const std::string with_one = value_;
    std::vector<std::map<Index, int>> powers;
    std::string product;
    while (comes("Gather")) {
      const auto columns = gathered(with_one);
      if (powers.empty()) powers.resize(columns.size());
      if (powers.size() != columns.size()) fail(graph_.node(next_ - 1), "gathers another number of columns than the one before");
      for (std::size_t k = 0; k < columns.size(); ++k) {
        if (columns[k] < 0 || columns[k] > units) fail(graph_.node(next_ - 1), fmt::format("gathers column {} of {}", columns[k], units));
        if (columns[k] < units) ++powers[k][columns[k]];
      }
      const std::string more = value_;
      if (product.empty())
        product = more;
      else
        product = take("Mul", {product, more}).output(0);
    }
    value_ = product;
    const DenseLayer sum = dense();
    if (sum.W.rows() != 1 || sum.W.cols() != static_cast<Index>(powers.size()))
      fail("graph", "has another number of coefficients than products");
    part.constant = sum.b[0];
    for (std::size_t k = 0; k < powers.size(); ++k)
      part.monomials.push_back({{powers[k].begin(), powers[k].end()}, sum.W(0, static_cast<Index>(k))});
    return part;
  }

  std::string file_;
  const onnx::GraphProto& graph_;
  std::map<std::string, const onnx::TensorProto*> constants_;
  std::string value_;  // of the node read last
  int next_ = 0;
};

}  // namespace

bool holds_threshold_onnx(const std::filesystem::path& path) { return parsed_onnx(path).graph().name() == threshold_graph_name; }

ThresholdModel threshold_from_onnx(const std::filesystem::path& path) {
  const onnx::ModelProto model = parsed_onnx(path);
  try {
    return ThresholdGraphReader(path.string(), model.graph()).read();
  } catch (const std::invalid_argument& error) {
    throw DataError(path.string(), "", error.what(), "write it with `relucover sample-threshold ... --truth FILE`");
  }
}

}  // namespace relucover
