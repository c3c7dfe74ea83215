// A model with thresholds as an ONNX graph: first layer by Gemm, units by their operator, products by Gather and Mul.
#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cstdint>

#include "core/check.hpp"
#include "networks/network_onnx.hpp"
#include "networks/onnx_module.hpp"
#include "networks/onnx_types.hpp"
#include "relucover/threshold.hpp"

namespace relucover {

namespace {

using Kind = UnitFunction::Kind;

/// Writes nodes one after the other; each returns the name of its value.
class Graph {
 public:
  explicit Graph(onnx::GraphProto& graph) : graph_(graph) {}

  std::string constant(const RowMatrix& values, bool vector = false) {
    onnx::TensorProto& tensor = fresh_tensor(onnx::TensorProto_DataType_DOUBLE);
    if (!vector) tensor.add_dims(values.rows());
    tensor.add_dims(vector ? values.size() : values.cols());
    tensor.set_raw_data(values.data(), static_cast<std::size_t>(values.size()) * sizeof(double));
    return tensor.name();
  }
  std::string number(double value) { return constant(RowMatrix::Constant(1, 1, value), true); }
  std::string indices(const std::vector<std::int64_t>& values) {
    onnx::TensorProto& tensor = fresh_tensor(onnx::TensorProto_DataType_INT64);
    tensor.add_dims(static_cast<std::int64_t>(values.size()));
    tensor.set_raw_data(values.data(), values.size() * sizeof(std::int64_t));
    return tensor.name();
  }
  std::string node(const std::string& op, const std::vector<std::string>& inputs,
                   const std::vector<std::pair<std::string, std::int64_t>>& attributes = {}) {
    onnx::NodeProto* made = graph_.add_node();
    std::string name = fmt::format("v{}", count_++);
    made->set_name(name);
    made->set_op_type(op);
    for (const std::string& input : inputs) made->add_input(input);
    made->add_output(name);
    for (const auto& [key, value] : attributes) {
      onnx::AttributeProto* attribute = made->add_attribute();
      attribute->set_name(key);
      attribute->set_type(onnx::AttributeProto_AttributeType_INT);
      attribute->set_i(value);
    }
    return name;
  }
  /// The product of all columns, as one column.
  std::string row_product(const std::string& values) {
    std::string name = node("ReduceProd", {values}, {{"keepdims", 1}});
    onnx::AttributeProto* axes = graph_.mutable_node(graph_.node_size() - 1)->add_attribute();
    axes->set_name("axes");
    axes->set_type(onnx::AttributeProto_AttributeType_INTS);
    axes->add_ints(1);
    return name;
  }

 private:
  onnx::TensorProto& fresh_tensor(onnx::TensorProto_DataType type) {
    onnx::TensorProto* tensor = graph_.add_initializer();
    tensor->set_name(fmt::format("c{}", count_++));
    tensor->set_data_type(type);
    return *tensor;
  }
  onnx::GraphProto& graph_;
  int count_ = 0;
};

std::string dense(Graph& graph, const std::string& x, const Matrix& W, const Vector& b) {
  return graph.node("Gemm", {x, graph.constant(W), graph.constant(b.transpose(), true)}, {{"transB", 1}});
}

std::string units(Graph& graph, const UnitFunction& unit, const std::string& a) {
  const auto scaled = [&](double by) { return graph.node("Mul", {a, graph.number(by)}); };
  switch (unit.kind) {
    case Kind::relu: return graph.node("Relu", {a});
    case Kind::step: return graph.node("Cast", {graph.node("Greater", {a, graph.number(0)})}, {{"to", onnx::TensorProto_DataType_DOUBLE}});
    case Kind::sigmoid: return graph.node("Sigmoid", {a});
    case Kind::exponential: return graph.node("Exp", {scaled(unit.parameter)});
    case Kind::abs: return graph.node("Abs", {a});
    case Kind::cosine: return graph.node("Cos", {scaled(unit.parameter)});
    case Kind::gaussian: return graph.node("Exp", {graph.node("Neg", {graph.node("Mul", {a, a})})});
    case Kind::power: return graph.node("Pow", {a, graph.number(unit.parameter)});
  }
  throw std::invalid_argument("unknown unit");
}

/// Every monomial as a product of as many columns as the longest has, a column of ones standing in where it is shorter.
std::string polynomial(Graph& graph, const UpperPart& upper, Index count, const std::string& values) {
  std::vector<std::vector<std::int64_t>> columns;
  Vector coefficients(static_cast<Index>(upper.monomials.size()));
  std::size_t longest = 1;
  for (std::size_t k = 0; k < upper.monomials.size(); ++k) {
    coefficients[static_cast<Index>(k)] = upper.monomials[k].coefficient;
    columns.emplace_back();
    for (const auto& [unit, power] : upper.monomials[k].factors)
      columns.back().insert(columns.back().end(), static_cast<std::size_t>(power), unit);
    longest = std::max(longest, columns.back().size());
  }
  const std::string first = graph.node("Gather", {values, graph.indices({0})}, {{"axis", 1}});
  const std::string zero = graph.node("Sub", {first, first});
  if (columns.empty()) return graph.node("Add", {zero, graph.number(upper.constant)});
  const std::string with_one = graph.node("Concat", {values, graph.node("Add", {zero, graph.number(1)})}, {{"axis", 1}});
  std::string product;
  for (std::size_t place = 0; place < longest; ++place) {
    std::vector<std::int64_t> chosen;
    for (const auto& list : columns) chosen.push_back(place < list.size() ? list[place] : count);
    const std::string gathered = graph.node("Gather", {with_one, graph.indices(chosen)}, {{"axis", 1}});
    product = product.empty() ? gathered : graph.node("Mul", {product, gathered});
  }
  return dense(graph, product, coefficients.transpose(), Vector::Constant(1, upper.constant));
}

std::string upper_part(Graph& graph, const UpperPart& upper, Index count, std::string values) {
  switch (upper.kind) {
    case UpperPart::Kind::polynomial: return polynomial(graph, upper, count, values);
    case UpperPart::Kind::any: {
      const std::string none = graph.row_product(graph.node("Sub", {graph.number(1), values}));
      return graph.node("Sub", {graph.number(1), none});
    }
    case UpperPart::Kind::all: return graph.row_product(values);
    case UpperPart::Kind::layers:
      for (const DenseLayer& layer : upper.layers) {
        values = dense(graph, values, layer.W, layer.b);
        if (layer.kind == DenseLayer::Kind::relu) values = graph.node("Relu", {values});
        if (layer.kind == DenseLayer::Kind::sigmoid) values = graph.node("Sigmoid", {values});
        if (layer.kind == DenseLayer::Kind::tanh) values = graph.node("Tanh", {values});
      }
      return values;
  }
  throw std::invalid_argument("unknown upper part");
}

void describe(onnx::ValueInfoProto& value, const std::string& name, Index columns) {
  value.set_name(name);
  auto* tensor = value.mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(onnx::TensorProto_DataType_DOUBLE);
  tensor->mutable_shape()->add_dim()->set_dim_param("samples");
  tensor->mutable_shape()->add_dim()->set_dim_value(columns);
}

}  // namespace

std::string threshold_onnx_bytes(const ThresholdModel& model) {
  check_no_problems("threshold model", model.problems());
  onnx::ModelProto proto = begun_onnx();
  onnx::GraphProto& graph = *proto.mutable_graph();
  graph.set_name(threshold_graph_name);
  describe(*graph.add_input(), "x", model.inputs());
  Graph writer(graph);
  const std::string values = units(writer, model.unit, dense(writer, "x", model.W, -model.t));
  const std::string last = upper_part(writer, model.upper, model.units(), values);
  onnx::NodeProto* output = graph.add_node();
  output->set_name("y");
  output->set_op_type("Identity");
  output->add_input(last);
  output->add_output("y");
  describe(*graph.add_output(), "y", 1);
  return proto.SerializeAsString();
}

}  // namespace relucover
