// Reading ONNX graphs, and the module's entry (networks/onnx_module.hpp). What it gives is declared for users in networks/network_onnx.hpp.
#include "networks/network_onnx.hpp"

#include <fmt/format.h>

#include <cstring>
#include <map>
#include <optional>

#include "core/check.hpp"
#include "core/mapped_file.hpp"
#include "networks/onnx_module.hpp"
#include "networks/onnx_types.hpp"
#include "relucover/errors.hpp"

namespace relucover {

namespace {

using Rows = RowMajor<double>;

/// Reads one graph, node by node; a name is a constant or a value of the model.
class GraphReader {
 public:
  GraphReader(std::string file, const onnx::GraphProto& graph) : file_(std::move(file)), graph_(graph) {}

  FeedForward read() {
    for (const onnx::TensorProto& tensor : graph_.initializer()) constants_[tensor.name()] = constant(tensor);
    find_input();
    for (const onnx::NodeProto& node : graph_.node()) add(node);
    if (graph_.output_size() != 1) fail("graph", fmt::format("has {} outputs", graph_.output_size()), "expected one");
    const auto last = values_.find(graph_.output(0).name());
    if (last == values_.end()) fail("output " + graph_.output(0).name(), "isn't computed from the input", "");
    if (last->second == 0) fail("graph", "has no layers", "");
    model_.steps.resize(static_cast<std::size_t>(last->second));  // what comes after the output doesn't matter
    if (link_of_ == last->first) {
      // it was taken for the link already
    } else if (link_of_ && model_.link != Link::identity) {
      fail("graph", fmt::format("has a {} that is not at the end", name_of(model_.link)), "");
    } else if (model_.steps.back().kind == FeedForward::Kind::activation && model_.steps.back().activation == Activation::sigmoid) {
      model_.steps.pop_back();
      model_.link = Link::sigmoid;
      if (model_.steps.empty()) fail("graph", "has no layers", "");
    }
    return std::move(model_);
  }

 private:
  [[noreturn]] void fail(const std::string& place, const std::string& problem, const std::string& remedy) const {
    throw DataError(file_, place, problem, remedy);
  }
  [[noreturn]] void fail(const onnx::NodeProto& node, const std::string& problem) const {
    fail(fmt::format("node \"{}\" ({})", node.name().empty() ? node.output(0) : node.name(), node.op_type()), problem,
         "feed-forward models of Gemm, MatMul, Add, Sub, Mul, Div, BatchNormalization, Relu, LeakyRelu, PRelu, Sigmoid, Tanh and Abs, with "
         "Sigmoid or "
         "Softmax at the end, can be read");
  }

  struct Constant {
    Rows values;
    int rank = 0;
    std::vector<Index> integers;  // of integer tensors: shapes
  };

  Constant constant(const onnx::TensorProto& tensor) const {
    const std::string place = "tensor \"" + tensor.name() + "\"";
    if (tensor.data_location() == onnx::TensorProto_DataLocation_EXTERNAL)
      fail(place, "is stored in another file", "save the model as one file");
    if (tensor.dims_size() > 2) fail(place, fmt::format("has {} dimensions", tensor.dims_size()), "expected at most two");
    Constant result;
    result.rank = tensor.dims_size();
    constexpr Index largest = Index(1) << 31;
    for (const auto dim : tensor.dims())
      if (dim < 0 || dim > largest) fail(place, fmt::format("has a dimension of {}", dim), "");
    const Index rows = result.rank == 2 ? tensor.dims(0) : 1;
    const Index cols = result.rank == 0 ? 1 : tensor.dims(result.rank - 1);
    if (tensor.data_type() == onnx::TensorProto_DataType_FLOAT) {
      result.values = numbers<float>(tensor, tensor.float_data(), rows, cols, place);
    } else if (tensor.data_type() == onnx::TensorProto_DataType_DOUBLE) {
      result.values = numbers<double>(tensor, tensor.double_data(), rows, cols, place);
    } else if (tensor.data_type() == onnx::TensorProto_DataType_INT64) {
      const Rows as_double = numbers<std::int64_t>(tensor, tensor.int64_data(), rows, cols, place);
      for (Index i = 0; i < as_double.size(); ++i) result.integers.push_back(static_cast<Index>(as_double.data()[i]));
    } else {
      fail(place, fmt::format("has element type {}", tensor.data_type()), "expected float32 or float64");
    }
    if (!result.values.allFinite()) fail(place, "has a value that is NaN or infinite", "");
    return result;
  }

  template <class Scalar, class Field>
  Rows numbers(const onnx::TensorProto& tensor, const Field& field, Index rows, Index cols, const std::string& place) const {
    RowMajor<Scalar> values;
    const std::size_t count = static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
    const std::size_t have = tensor.has_raw_data() ? tensor.raw_data().size() / sizeof(Scalar) : static_cast<std::size_t>(field.size());
    if (have != count || (tensor.has_raw_data() && tensor.raw_data().size() % sizeof(Scalar) != 0))
      fail(place, fmt::format("has {} numbers, its shape says {}", have, count), "the file is damaged");
    values.resize(rows, cols);
    if (count > 0) {
      if (tensor.has_raw_data())
        std::memcpy(values.data(), tensor.raw_data().data(), count * sizeof(Scalar));
      else
        std::copy(field.begin(), field.end(), values.data());
    }
    return values.template cast<double>();
  }

  void find_input() {
    const onnx::ValueInfoProto* input = nullptr;
    for (const onnx::ValueInfoProto& candidate : graph_.input()) {
      if (constants_.count(candidate.name())) continue;  // old files list weights as inputs too
      if (input) fail("graph", "has more than one input", "expected one");
      input = &candidate;
    }
    if (!input) fail("graph", "has no input", "");
    const auto& type = input->type().tensor_type();
    const std::string place = "input \"" + input->name() + "\"";
    if (type.elem_type() == onnx::TensorProto_DataType_FLOAT)
      model_.precision = Precision::float32;
    else if (type.elem_type() == onnx::TensorProto_DataType_DOUBLE)
      model_.precision = Precision::float64;
    else
      fail(place, fmt::format("has element type {}", type.elem_type()), "expected float32 or float64");
    const int rank = type.shape().dim_size();
    if (rank > 0 && type.shape().dim(rank - 1).has_dim_value()) model_.inputs = type.shape().dim(rank - 1).dim_value();
    values_[input->name()] = 0;
  }

  const onnx::AttributeProto* attribute(const onnx::NodeProto& node, const std::string& name) const {
    for (const onnx::AttributeProto& candidate : node.attribute())
      if (candidate.name() == name) return &candidate;
    return nullptr;
  }
  bool flag(const onnx::NodeProto& node, const std::string& name) const {
    const auto* found = attribute(node, name);
    return found && found->i() != 0;
  }
  double factor(const onnx::NodeProto& node, const std::string& name) const {
    const auto* found = attribute(node, name);
    return found ? found->f() : 1.0;
  }

  const Constant* constant_at(const onnx::NodeProto& node, int place) const {
    if (place >= node.input_size()) return nullptr;
    const auto found = constants_.find(node.input(place));
    return found == constants_.end() ? nullptr : &found->second;
  }
  std::optional<Index> value_at(const onnx::NodeProto& node, int place) const {
    if (place >= node.input_size()) return std::nullopt;
    const auto found = values_.find(node.input(place));
    if (found == values_.end()) return std::nullopt;
    return found->second;
  }

  void push(const onnx::NodeProto& node, FeedForward::Step step) {
    model_.steps.push_back(std::move(step));
    values_[node.output(0)] = static_cast<Index>(model_.steps.size());
  }

  void affine(const onnx::NodeProto& node, Index from, Matrix weights, Vector added) {
    if (from == 0 && model_.inputs == 0) model_.inputs = weights.cols();  // the file leaves the number of inputs open
    if (weights.cols() != model_.width(from))
      fail(node, fmt::format("multiplies {} columns by {} rows", model_.width(from), weights.cols()));
    push(node, {.kind = FeedForward::Kind::affine, .from = from, .weights = std::move(weights), .constant = std::move(added)});
  }

  Vector row_constant(const onnx::NodeProto& node, const Constant& given, Index columns) const {
    if (given.values.size() == 1) return Vector::Constant(columns, given.values(0, 0));
    if (given.values.rows() != 1 || given.values.cols() != columns) fail(node, "has a constant of another shape");
    return given.values.row(0).transpose();
  }

  void add(const onnx::NodeProto& node) {
    const std::string& op = node.op_type();
    if (node.output_size() < 1) fail("node \"" + node.name() + "\"", "has no output", "");
    if (!node.domain().empty() && node.domain() != "ai.onnx") fail(node, "belongs to the operator set " + node.domain());
    if (op == "Constant") return add_constant(node);
    if (op == "Transpose" && constant_at(node, 0)) return add_transposed(node);
    if (op == "Gemm") return add_gemm(node);
    if (op == "MatMul") return add_product(node);
    if (op == "Add" || op == "Sub") return add_sum(node, op == "Sub");
    if (op == "Mul" || op == "Div") return add_scaling(node, op == "Div");
    if (op == "ConstantOfShape") return add_filled(node);
    const auto from = value_at(node, 0);
    if (!from) fail(node, "isn't applied to something computed from the input");
    if (op == "BatchNormalization") return add_normalisation(node, *from);
    if (op == "LeakyRelu" || op == "PRelu") return add_leaky(node, *from);
    if (op == "Softmax" || op == "LogSoftmax") return add_softmax(node, *from);
    if (op == "Identity" || op == "Dropout" || op == "Flatten" || op == "Cast" || op == "Reshape") return add_same(node, *from);
    static const std::map<std::string, Activation> activations = {
        {"Relu", Activation::relu}, {"Sigmoid", Activation::sigmoid}, {"Abs", Activation::abs}};
    FeedForward::Step step{.kind = FeedForward::Kind::activation, .from = *from, .weights = {}, .constant = {}};
    if (op == "Tanh") {
      step.kind = FeedForward::Kind::tanh;
    } else if (const auto found = activations.find(op); found != activations.end()) {
      step.activation = found->second;
    } else {
      fail(node, "isn't understood");
    }
    if (*from == 0 && model_.inputs == 0) fail(node, "comes before the number of inputs is known");
    push(node, std::move(step));
  }

  /// Operators that leave a matrix of samples as it is.
  void add_same(const onnx::NodeProto& node, Index from) {
    if (node.op_type() == "Cast") {
      const auto* to = attribute(node, "to");
      if (!to || to->i() != onnx_type(model_.precision)) fail(node, "changes the precision");
    }
    if (node.op_type() == "Reshape") {
      const Constant* shape = constant_at(node, 1);
      const bool same = shape && shape->integers.size() == 2 &&
                        (shape->integers[1] == model_.width(from) || (shape->integers[0] == 0 && shape->integers[1] == -1));
      if (!same) fail(node, "changes the shape");
    }
    values_[node.output(0)] = from;
  }

  /// (x - mean) / sqrt(variance + epsilon) * scale + shift, which is affine once it is trained.
  void add_normalisation(const onnx::NodeProto& node, Index from) {
    if (from == 0 && model_.inputs == 0) fail(node, "comes before the number of inputs is known");
    const Index width = model_.width(from);
    std::vector<Vector> given;
    for (int place = 1; place <= 4; ++place) {
      const Constant* constant = constant_at(node, place);
      if (!constant) fail(node, "has statistics that aren't constant");
      given.push_back(row_constant(node, *constant, width));
    }
    const auto* epsilon = attribute(node, "epsilon");
    const Vector factor = given[0].array() / (given[3].array() + (epsilon ? epsilon->f() : 1e-5F)).sqrt();
    if (!factor.allFinite()) fail(node, "divides by a variance of 0");
    affine(node, from, factor.asDiagonal(), given[1] - factor.cwiseProduct(given[2]));
  }

  void add_leaky(const onnx::NodeProto& node, Index from) {
    if (from == 0 && model_.inputs == 0) fail(node, "comes before the number of inputs is known");
    const Index width = model_.width(from);
    Vector slopes;
    if (node.op_type() == "LeakyRelu") {
      const auto* alpha = attribute(node, "alpha");
      slopes = Vector::Constant(width, alpha ? alpha->f() : 0.01F);
    } else {
      const Constant* slope = constant_at(node, 1);
      if (!slope) fail(node, "has slopes that aren't constant");
      slopes = row_constant(node, *slope, width);
    }
    push(node, {.kind = FeedForward::Kind::activation,
                .from = from,
                .weights = {},
                .constant = std::move(slopes),
                .activation = Activation::leaky});
  }

  /// At the end it is the link.
  void add_softmax(const onnx::NodeProto& node, Index from) {
    const auto* axis = attribute(node, "axis");
    if (axis && axis->i() != -1 && axis->i() != 1) fail(node, "adds up to 1 along another axis than the outputs");
    model_.link = node.op_type() == "Softmax" ? Link::softmax : Link::log_softmax;
    values_[node.output(0)] = from;
    link_of_ = node.output(0);
  }

  void add_filled(const onnx::NodeProto& node) {
    const Constant* shape = constant_at(node, 0);
    if (!shape || shape->integers.empty() || shape->integers.size() > 2) fail(node, "has a shape that isn't constant");
    constexpr Index largest = Index{1} << 24;
    Index size = 1;
    for (const Index extent : shape->integers) {
      if (extent < 1 || extent > largest || size > largest / extent) fail(node, "has an absurd shape");
      size *= extent;
    }
    const auto* value = attribute(node, "value");
    const double number = value && constant(value->t()).values.size() == 1 ? constant(value->t()).values(0, 0) : 0;
    Constant filled;
    filled.rank = static_cast<int>(shape->integers.size());
    filled.values = Rows::Constant(filled.rank == 2 ? shape->integers[0] : 1, shape->integers.back(), number);
    constants_[node.output(0)] = std::move(filled);
  }

  void add_constant(const onnx::NodeProto& node) {
    if (const auto* number = attribute(node, "value_float")) {
      Constant one;
      one.values = Rows::Constant(1, 1, number->f());
      constants_[node.output(0)] = std::move(one);
      return;
    }
    const auto* value = attribute(node, "value");
    if (!value) fail(node, "has no tensor");
    constants_[node.output(0)] = constant(value->t());
  }

  void add_transposed(const onnx::NodeProto& node) {
    Constant turned = *constant_at(node, 0);
    if (turned.rank == 2) turned.values = Rows(turned.values.transpose());
    constants_[node.output(0)] = std::move(turned);
  }

  void add_gemm(const onnx::NodeProto& node) {
    const auto from = value_at(node, 0);
    const Constant* weights = constant_at(node, 1);
    if (!from || !weights || weights->rank != 2 || flag(node, "transA")) fail(node, "isn't a layer with constant weights");
    const double alpha = factor(node, "alpha"), beta = factor(node, "beta");
    Matrix matrix = flag(node, "transB") ? Matrix(weights->values) : Matrix(weights->values.transpose());
    if (alpha != 1) matrix *= alpha;
    Vector added;
    if (node.input_size() > 2 && !node.input(2).empty()) {
      const Constant* constant = constant_at(node, 2);
      if (!constant) fail(node, "has a bias that isn't constant");
      added = row_constant(node, *constant, matrix.rows());
      if (beta != 1) added *= beta;
    }
    affine(node, *from, std::move(matrix), std::move(added));
  }

  void add_product(const onnx::NodeProto& node) {
    const auto from = value_at(node, 0);
    const Constant* weights = constant_at(node, 1);
    if (!from || !weights || weights->rank != 2) fail(node, "isn't a layer with constant weights");
    affine(node, *from, weights->values.transpose(), {});
  }

  void add_sum(const onnx::NodeProto& node, bool subtract) {
    const auto left = value_at(node, 0), right = value_at(node, 1);
    if (left && right) {
      if (subtract) fail(node, "subtracts two computed values");
      if (model_.width(*left) != model_.width(*right)) fail(node, "adds values of different widths");
      return push(node, {.kind = FeedForward::Kind::add, .from = *left, .other = *right, .weights = {}, .constant = {}});
    }
    const Constant* constant = constant_at(node, left ? 1 : 0);
    if (!(left || right) || !constant || (subtract && !left)) fail(node, "isn't a computed value plus a constant");
    const Index from = left ? *left : *right;
    Vector added = row_constant(node, *constant, model_.width(from));
    if (subtract) added = -added;
    fuse_or_push(node, from, std::move(added));
  }

  /// MatMul then Add is one layer: the bias joins the product it follows.
  void fuse_or_push(const onnx::NodeProto& node, Index from, Vector added) {
    const bool last = from > 0 && from == static_cast<Index>(model_.steps.size());
    if (last && model_.steps.back().kind == FeedForward::Kind::affine && model_.steps.back().constant.size() == 0 && uses(from) == 1) {
      model_.steps.back().constant = std::move(added);
      values_[node.output(0)] = from;
      return;
    }
    affine(node, from, Matrix::Identity(model_.width(from), model_.width(from)), std::move(added));
  }

  int uses(Index value) const {
    int count = 0;
    for (const onnx::NodeProto& node : graph_.node())
      for (const std::string& input : node.input()) {
        const auto found = values_.find(input);
        count += found != values_.end() && found->second == value;
      }
    return count;
  }

  void add_scaling(const onnx::NodeProto& node, bool divide) {
    const auto left = value_at(node, 0), right = value_at(node, 1);
    const Constant* constant = constant_at(node, left ? 1 : 0);
    if ((left && right) || !(left || right) || !constant || (divide && !left))
      fail(node, "isn't a computed value times or over a constant");
    const Index from = left ? *left : *right;
    if (from == 0 && model_.inputs == 0) fail(node, "comes before the number of inputs is known");
    Vector scale = row_constant(node, *constant, model_.width(from));
    if (divide) scale = scale.cwiseInverse();
    affine(node, from, scale.asDiagonal(), {});
  }

  std::string file_;
  const onnx::GraphProto& graph_;
  std::map<std::string, Constant> constants_;
  std::map<std::string, Index> values_;
  FeedForward model_;
  std::optional<std::string> link_of_;  // the value that is the link's
};

std::string file_content(const std::filesystem::path& path) { return std::string(text_of(map_file(path).bytes)); }

FeedForward read(const std::filesystem::path& path) {
  const onnx::ModelProto model = parsed_onnx(path);
  return GraphReader(path.string(), model.graph()).read();
}

}  // namespace

onnx::ModelProto parsed_onnx(const std::filesystem::path& path) {
  const std::string content = file_content(path);
  onnx::ModelProto model;
  if (content.empty() || !model.ParseFromString(content) || !model.has_graph())
    throw DataError(path.string(), "", "isn't an ONNX model", "check that the file is whole");
  return model;
}

}  // namespace relucover

extern "C" const relucover::OnnxModule* relucover_onnx_module() {
  static const relucover::OnnxModule module{relucover::network_to_onnx, relucover::read, relucover::threshold_onnx_bytes,
                                            relucover::holds_threshold_onnx, relucover::threshold_from_onnx};
  return &module;
}
