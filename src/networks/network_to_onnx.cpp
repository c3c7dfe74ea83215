// A network as an ONNX graph: Gemm, units, Gemm, a linear path beside them, the link.
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include "core/check.hpp"
#include "networks/network_onnx.hpp"
#include "networks/onnx_module.hpp"
#include "networks/onnx_types.hpp"

namespace relucover {

namespace {

using Rows = RowMajor<double>;

void add_tensor(onnx::GraphProto& graph, const std::string& name, const Rows& values, bool vector, Precision precision) {
  onnx::TensorProto* tensor = graph.add_initializer();
  tensor->set_name(name);
  tensor->set_data_type(onnx_type(precision));
  if (!vector) tensor->add_dims(values.rows());
  tensor->add_dims(vector ? values.size() : values.cols());
  if (precision == Precision::float32) {
    const RowMajor<float> narrow = values.cast<float>();
    tensor->set_raw_data(narrow.data(), static_cast<std::size_t>(narrow.size()) * sizeof(float));
  } else {
    tensor->set_raw_data(values.data(), static_cast<std::size_t>(values.size()) * sizeof(double));
  }
}

void add_node(onnx::GraphProto& graph, const std::string& op, const std::vector<std::string>& inputs, const std::string& output) {
  onnx::NodeProto* node = graph.add_node();
  node->set_name(output);
  node->set_op_type(op);
  for (const std::string& input : inputs) node->add_input(input);
  node->add_output(output);
  if (op != "Gemm") return;
  onnx::AttributeProto* transposed = node->add_attribute();  // weights are stored outputs by inputs, as PyTorch does
  transposed->set_name("transB");
  transposed->set_type(onnx::AttributeProto_AttributeType_INT);
  transposed->set_i(1);
}

/// What comes after the outputs.
void add_link(onnx::GraphProto& graph, Link link, const std::string& from, const std::string& to) {
  add_node(graph, link == Link::sigmoid ? "Sigmoid" : link == Link::softmax ? "Softmax" : "LogSoftmax", {from}, to);
  if (link == Link::sigmoid) return;
  onnx::AttributeProto* axis = graph.mutable_node(graph.node_size() - 1)->add_attribute();
  axis->set_name("axis");
  axis->set_type(onnx::AttributeProto_AttributeType_INT);
  axis->set_i(-1);
}

void describe(onnx::ValueInfoProto& value, const std::string& name, Index columns, Precision precision) {
  value.set_name(name);
  auto* tensor = value.mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(onnx_type(precision));
  tensor->mutable_shape()->add_dim()->set_dim_param("samples");
  tensor->mutable_shape()->add_dim()->set_dim_value(columns);
}

const char* operator_of(Activation activation) {
  switch (activation) {
    case Activation::relu: return "Relu";
    case Activation::abs: return "Abs";
    case Activation::sigmoid: return "Sigmoid";
    case Activation::leaky: return "PRelu";  // its slope is a tensor, to the last bit
    default:
      throw std::invalid_argument("ONNX has no operator for the activation \"" + name_of(activation) + "\": write .json or .npz instead");
  }
}

void add_activation(onnx::GraphProto& graph, Activation activation, const std::string& from, const std::string& to) {
  std::vector<std::string> inputs{from};
  if (activation == Activation::leaky) inputs.push_back("slope");
  add_node(graph, operator_of(activation), inputs, to);
}

/// A hidden layer above the first; returns the name of its values.
std::string add_layer(onnx::GraphProto& graph, const HiddenLayer& layer, Activation activation, const std::string& number,
                      const std::string& from, const std::string& beside, Precision precision) {
  add_tensor(graph, "W" + number, layer.W, false, precision);
  add_tensor(graph, "b" + number, layer.b, true, precision);
  const bool path = layer.around.size() > 0;
  add_node(graph, "Gemm", {from, "W" + number, "b" + number}, (path ? "straight" : "before") + number);
  if (path) {
    add_tensor(graph, "around" + number, layer.around, false, precision);
    add_node(graph, "Gemm", {beside, "around" + number}, "past" + number);
    add_node(graph, "Add", {"straight" + number, "past" + number}, "before" + number);
  }
  add_activation(graph, activation, "before" + number, "hidden" + number);
  return "hidden" + number;
}

}  // namespace

std::string network_to_onnx(const Network& network, Precision precision, const std::map<std::string, std::string>& about) {
  check_no_problems("network", network.problems());
  onnx::ModelProto model = begun_onnx();
  for (const auto& [key, value] : about) {
    onnx::StringStringEntryProto* entry = model.add_metadata_props();
    entry->set_key(key);
    entry->set_value(value);
  }
  onnx::GraphProto& graph = *model.mutable_graph();
  graph.set_name("relucover");
  describe(*graph.add_input(), "x", network.inputs(), precision);
  describe(*graph.add_output(), "y", network.outputs(), precision);
  add_tensor(graph, "W", network.W, false, precision);
  add_tensor(graph, "b", network.b, true, precision);
  add_tensor(graph, "A", network.A, false, precision);
  add_tensor(graph, "offset", network.offset, true, precision);
  const bool has_skip = !network.skip.isZero(0);
  const bool has_around = network.around.size() > 0;
  add_node(graph, "Gemm", {"x", "W", "b"}, "before");
  if (network.activation == Activation::leaky) add_tensor(graph, "slope", Rows::Constant(1, 1, network.slope), true, precision);
  add_activation(graph, network.activation, "before", "hidden");
  std::string below = "x", hidden = "hidden";
  for (std::size_t l = 0; l < network.upper.size(); ++l) {
    const std::string last = hidden;
    hidden = add_layer(graph, network.upper[l], network.activation, std::to_string(l + 2), hidden, below, precision);
    below = last;
  }
  const std::string last = network.link == Link::identity ? "y" : "linear";
  const std::string from_last = has_around ? "from_last" : has_skip ? "from_units" : last;
  add_node(graph, "Gemm", {hidden, "A", "offset"}, from_last);
  if (has_around) {
    add_tensor(graph, "around", network.around, false, precision);
    add_node(graph, "Gemm", {below, "around"}, "past_last");
    add_node(graph, "Add", {from_last, "past_last"}, has_skip ? "from_units" : last);
  }
  if (has_skip) {
    add_tensor(graph, "skip", network.skip, false, precision);
    add_node(graph, "Gemm", {"x", "skip"}, "from_input");
    add_node(graph, "Add", {"from_units", "from_input"}, last);
  }
  if (network.link != Link::identity) add_link(graph, network.link, last, "y");
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    if (!model.SerializeToCodedStream(&coded)) throw std::runtime_error("the ONNX model can't be serialised");
  }
  return bytes;
}

}  // namespace relucover
