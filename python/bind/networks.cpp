#include "bindings.hpp"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "arrays.hpp"
#include "core/check.hpp"
#include "networks/feed_forward.hpp"
#include "networks/network_onnx.hpp"

namespace relucover::python {

namespace {

using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;

Matrix matrix_from(const Array& array, const char* name) {
  if (array.ndim() != 2) throw std::invalid_argument(std::string(name) + " must have 2 dimensions");
  return Eigen::Map<const RowMatrix>(array.data(), array.shape(0), array.shape(1));
}

Vector vector_from(const Array& array, const char* name) {
  if (array.ndim() != 1) throw std::invalid_argument(std::string(name) + " must have 1 dimension");
  return Eigen::Map<const Vector>(array.data(), array.shape(0));
}

Network make_network(const Array& W, const std::optional<Array>& b, const std::optional<Array>& A, const std::optional<Array>& skip,
                     const std::optional<Array>& offset, const std::string& activation, double slope, const std::string& link) {
  Network network;
  network.activation = activation_named(activation);
  network.slope = slope;
  network.link = link_named(link);
  network.W = matrix_from(W, "W");
  const Index units = network.units();
  network.b = b ? vector_from(*b, "b") : Vector::Zero(units);
  network.A = A ? matrix_from(*A, "A") : Matrix::Identity(units, units);
  network.skip = skip ? matrix_from(*skip, "skip") : Matrix::Zero(network.outputs(), network.inputs());
  network.offset = offset ? vector_from(*offset, "offset") : Vector::Zero(network.outputs());
  check_no_problems("network", network.problems());
  return network;
}

py::array evaluate(const Network& network, const py::array& x) {
  const py::array_t<double> rows = rows_of(x, network.inputs());
  RowMatrix y;
  {
    const Eigen::Map<const RowMatrix> view(rows.data(), rows.shape(0), rows.shape(1));
    const py::gil_scoped_release released;
    y = network.serve(view);
  }
  py::array answers = to_numpy(std::move(y));
  if (py::isinstance<py::array_t<float>>(x)) return py::array_t<float>(answers);  // float32 in, float32 out
  return answers;
}

void write(const Network& network, const std::filesystem::path& path, const std::string& dtype) {
  const Precision precision = precision_named(dtype);
  if (path.extension() == ".onnx") return write_network_onnx(network, path, precision);
  if (precision != Precision::float64) throw std::invalid_argument("dtype=\"float32\" is for .onnx files");
  write_network(network, path);
}

/// (W, b) of each hidden layer from below; (W, b, around) where a linear path leads around the layer beneath it.
py::list layers_of(const Network& n) {
  py::list layers;
  layers.append(py::make_tuple(to_numpy(RowMatrix(n.W)), to_numpy(n.b)));
  for (const HiddenLayer& layer : n.upper)
    layers.append(layer.around.size() > 0
                      ? py::make_tuple(to_numpy(RowMatrix(layer.W)), to_numpy(layer.b), to_numpy(RowMatrix(layer.around)))
                      : py::make_tuple(to_numpy(RowMatrix(layer.W)), to_numpy(layer.b)));
  return layers;
}

Network make_deep_network(const py::sequence& layers, const std::optional<Array>& A, const std::optional<Array>& skip,
                          const std::optional<Array>& offset, const std::optional<Array>& around, const std::string& activation) {
  if (py::len(layers) < 1) throw std::invalid_argument("layers is empty: expected (W, b) of each hidden layer");
  Network network;
  network.activation = activation_named(activation);
  Index width = 0;
  for (std::size_t l = 0; l < py::len(layers); ++l) {
    const auto parts = layers[l].cast<py::sequence>();
    if (py::len(parts) < 2 || py::len(parts) > 3) throw std::invalid_argument("a layer is (W, b) or (W, b, around)");
    HiddenLayer layer{matrix_from(parts[0].cast<Array>(), "W"), vector_from(parts[1].cast<Array>(), "b"), {}};
    if (py::len(parts) == 3 && l > 0) layer.around = matrix_from(parts[2].cast<Array>(), "around");
    width = layer.W.rows();
    if (l == 0) {
      network.W = layer.W;
      network.b = layer.b;
    } else {
      network.upper.push_back(std::move(layer));
    }
  }
  network.A = A ? matrix_from(*A, "A") : Matrix::Identity(width, width);
  network.skip = skip ? matrix_from(*skip, "skip") : Matrix::Zero(network.outputs(), network.inputs());
  network.offset = offset ? vector_from(*offset, "offset") : Vector::Zero(network.outputs());
  if (around) network.around = matrix_from(*around, "around");
  check_no_problems("network", network.problems());
  return network;
}

constexpr int state_version = 1, deep_state_version = 2, linked_state_version = 3;

py::tuple weights_of(const Network& n) {
  if (n.deep())
    return py::make_tuple(deep_state_version, name_of(n.activation), layers_of(n), to_numpy(RowMatrix(n.A)), to_numpy(RowMatrix(n.skip)),
                          to_numpy(n.offset), n.around.size() > 0 ? py::object(to_numpy(RowMatrix(n.around))) : py::none());
  return py::make_tuple(state_version, name_of(n.activation), to_numpy(RowMatrix(n.W)), to_numpy(n.b), to_numpy(RowMatrix(n.A)),
                        to_numpy(RowMatrix(n.skip)), to_numpy(n.offset));
}

py::tuple state_of(const Network& n) {
  if (n.link == Link::identity && n.slope == 0) return weights_of(n);
  return py::make_tuple(linked_state_version, weights_of(n), name_of(n.link), n.slope);
}

Network network_from_state(const py::tuple& state) {
  if (state.size() == 4 && state[0].cast<int>() == linked_state_version) {
    Network network = network_from_state(state[1].cast<py::tuple>());
    network.link = link_named(state[2].cast<std::string>());
    network.slope = state[3].cast<double>();
    check_no_problems("network", network.problems());
    return network;
  }
  if (state.size() == 7 && state[0].cast<int>() == deep_state_version)
    return make_deep_network(state[2].cast<py::sequence>(), state[3].cast<Array>(), state[4].cast<Array>(), state[5].cast<Array>(),
                             state[6].is_none() ? std::nullopt : std::optional<Array>(state[6].cast<Array>()),
                             state[1].cast<std::string>());
  if (state.size() < 1 || state[0].cast<int>() != state_version)
    throw std::invalid_argument("this network was pickled by another version of relucover: write it as .json there and read that");
  return make_network(state[2].cast<Array>(), state[3].cast<Array>(), state[4].cast<Array>(), state[5].cast<Array>(),
                      state[6].cast<Array>(), state[1].cast<std::string>(), 0, name_of(Link::identity));
}

py::dict as_dict(const Comparison& c) {
  py::dict result;
  result["units_truth"] = c.units_truth;
  result["units_answer"] = c.units_answer;
  result["units_matched"] = c.units_matched;
  result["max_weight_error"] = c.max_weight_error;
  result["max_bias_error"] = c.max_bias_error;
  result["max_output_error"] = c.max_output_error;
  result["function_rms"] = c.function_rms;
  result["up_to_sign"] = c.up_to_sign;
  result["partner"] = c.partner;
  py::list layers;
  for (const LayerComparison& l : c.layers) {
    py::dict layer;
    layer["units_truth"] = l.units_truth;
    layer["units_answer"] = l.units_answer;
    layer["units_matched"] = l.units_matched;
    layer["max_weight_error"] = l.max_weight_error;
    layer["max_bias_error"] = l.max_bias_error;
    layers.append(layer);
  }
  result["layers"] = layers;
  return result;
}

py::array evaluate_deep(const FeedForward& model, const py::array& x) {
  const py::array_t<double> rows = rows_of(x, model.inputs);
  RowMatrix y;
  {
    const Eigen::Map<const RowMatrix> view(rows.data(), rows.shape(0), rows.shape(1));
    const py::gil_scoped_release released;
    y = through_link(model.link, model.evaluate(view));
  }
  return to_numpy(std::move(y));
}

}  // namespace

void bind_networks(py::module_& module) {
  py::class_<Network>(module, "Network", R"(y = A act(W x + b) + skip x + offset.

>>> import numpy as np, relucover
>>> net = relucover.Network(W=[[1.0, 0.0], [0.0, 2.0]], b=[0.0, -1.0], A=[[1.0, 3.0]])
>>> net.predict(np.array([[1.0, 1.0], [-1.0, 0.0]])).tolist()
[[4.0], [0.0]]
>>> net.units, net.inputs, net.outputs
(2, 2, 1)
)")
      .def(py::init(&make_network), py::arg("W"), py::arg("b") = py::none(), py::arg("A") = py::none(), py::arg("skip") = py::none(),
           py::arg("offset") = py::none(), py::arg("activation") = "relu", py::arg("slope") = 0.0, py::arg("link") = "identity")
      .def_property_readonly(
          "W", [](const Network& n) { return to_numpy(RowMatrix(n.W)); }, "Weights, units by inputs.")
      .def_property_readonly(
          "b", [](const Network& n) { return to_numpy(n.b); }, "Biases, one for each unit.")
      .def_property_readonly(
          "A", [](const Network& n) { return to_numpy(RowMatrix(n.A)); }, "Output weights, outputs by units.")
      .def_property_readonly(
          "skip", [](const Network& n) { return to_numpy(RowMatrix(n.skip)); }, "Linear part, outputs by inputs.")
      .def_property_readonly(
          "offset", [](const Network& n) { return to_numpy(n.offset); }, "Constant part, one for each output.")
      .def_property_readonly(
          "activation", [](const Network& n) { return name_of(n.activation); }, "Name of the activation.")
      .def_readonly("slope", &Network::slope, "Slope of leaky units below their kink.")
      .def_property_readonly(
          "link", [](const Network& n) { return name_of(n.link); },
          "What comes after the outputs: identity, sigmoid, softmax, log-softmax.")
      .def(
          "outputs_before_link",
          [](const Network& n, const py::array& x) {
            Network plain = n;
            plain.link = Link::identity;
            return evaluate(plain, x);
          },
          py::arg("x"), "Values before the link: log-odds, logits.")
      .def_property_readonly("inputs", &Network::inputs, "Number of inputs.")
      .def_property_readonly("units", &Network::units, "Number of hidden units.")
      .def_property_readonly("outputs", &Network::outputs, "Number of outputs.")
      .def_property_readonly("widths", &Network::widths, "Units of each hidden layer, from below.")
      .def_property_readonly("layers", &layers_of, "(W, b) of each hidden layer, from below.")
      .def_property_readonly(
          "around", [](const Network& n) { return to_numpy(RowMatrix(n.around)); },
          "Linear path around the last of several hidden layers; empty: none.")
      .def_static("deep", &make_deep_network, py::arg("layers"), py::arg("A") = py::none(), py::arg("skip") = py::none(),
                  py::arg("offset") = py::none(), py::arg("around") = py::none(), py::arg("activation") = "relu",
                  "A network of hidden layers (W, b), from below.")
      .def("predict", &evaluate, py::arg("x"), "Values at the rows of x, one row each; float32 rows give float32 values.")
      .def("__call__", &evaluate, py::arg("x"), "The same as predict.")
      .def("canonical", &canonical, "Unit weight vectors, units sorted, zero units dropped: the same function.")
      .def("write", &write, py::arg("path"), py::arg("dtype") = "float64", "Writes .json, .npz or .onnx (also as float32).")
      .def(
          "onnx", [](const Network& n, const std::string& dtype) { return py::bytes(onnx_bytes(n, precision_named(dtype))); },
          py::arg("dtype") = "float64", "The bytes of the .onnx file.")
      .def_static("read", &read_network, py::arg("path"), "Reads .json, .npz or .onnx.")
      .def("__repr__",
           [](const Network& n) {
             std::string widths;
             for (const Index width : n.widths()) widths += (widths.empty() ? "" : ", ") + std::to_string(width);
             if (n.deep())
               return "Network(inputs=" + std::to_string(n.inputs()) + ", layers=[" + widths + "], outputs=" + std::to_string(n.outputs()) +
                      ", activation='" + name_of(n.activation) + "')";
             return "Network(inputs=" + std::to_string(n.inputs()) + ", units=" + std::to_string(n.units()) +
                    ", outputs=" + std::to_string(n.outputs()) + ", activation='" + name_of(n.activation) + "')";
           })
      .def(py::pickle(&state_of, &network_from_state));

  py::class_<FeedForward>(module, "FeedForward", "A feed-forward model of any depth read from an ONNX file: a teacher to ask.")
      .def_static("read", &read_feed_forward_onnx, py::arg("path"), "Reads an .onnx file.")
      .def_readonly("inputs", &FeedForward::inputs, "Number of inputs.")
      .def_property_readonly("outputs", &FeedForward::outputs, "Number of outputs.")
      .def_property_readonly(
          "dtype", [](const FeedForward& f) { return f.precision == Precision::float32 ? "float32" : "float64"; },
          "Precision it computes in.")
      .def("network", &layered_network, "The same function as a Network; raises ValueError if it is no chain of layers.")
      .def("__call__", &evaluate_deep, py::arg("x"), "Values at the rows of x, one row each.");

  module.def(
      "compare", [](const Network& truth, const Network& answer) { return as_dict(compare(truth, answer)); }, py::arg("truth"),
      py::arg("answer"));
}

}  // namespace relucover::python
