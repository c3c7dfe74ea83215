#include "core/npz.hpp"
#include "networks/network_files.hpp"

namespace relucover {

namespace {

std::string of_layer(std::size_t layer, const char* part) { return "layer" + std::to_string(layer) + "_" + part; }

/// What only some networks have.
void add_extras(const Network& network, NamedArrays& arrays) {
  if (network.activation == Activation::leaky) arrays.emplace_back("slope", vector_array(Vector::Constant(1, network.slope)));
  if (network.link != Link::identity) arrays.emplace_back("link", text_array(name_of(network.link)));
}

void read_extras(const NpzReader& reader, Network& network) {
  if (network.activation == Activation::leaky) network.slope = reader.vector("slope", 1)[0];
  if (!reader.has("link")) return;
  try {
    network.link = link_named(reader.text("link"));
  } catch (const std::invalid_argument& error) {
    reader.fail("link", error.what());
  }
}

void write_deep(const Network& network, const std::filesystem::path& path) {
  NamedArrays arrays{{"format", text_array(network_format)},
                     {"version", integer_array(deep_network_version)},
                     {"activation", text_array(name_of(network.activation))},
                     {"layers", integer_array(static_cast<Index>(network.widths().size()))},
                     {of_layer(1, "W"), matrix_array(network.W)},
                     {of_layer(1, "b"), vector_array(network.b)}};
  for (std::size_t l = 0; l < network.upper.size(); ++l) {
    arrays.emplace_back(of_layer(l + 2, "W"), matrix_array(network.upper[l].W));
    arrays.emplace_back(of_layer(l + 2, "b"), vector_array(network.upper[l].b));
    if (network.upper[l].around.size() > 0) arrays.emplace_back(of_layer(l + 2, "around"), matrix_array(network.upper[l].around));
  }
  arrays.emplace_back("A", matrix_array(network.A));
  if (network.around.size() > 0) arrays.emplace_back("around", matrix_array(network.around));
  arrays.emplace_back("skip", matrix_array(network.skip));
  arrays.emplace_back("offset", vector_array(network.offset));
  add_extras(network, arrays);
  write_npz(path, arrays);
}

/// Layers and output weights of a file of version 2.
void read_layers(const NpzReader& reader, Network& network) {
  constexpr double most = 1000;
  const double layers = reader.number("layers");
  if (!(layers >= 1 && layers <= most)) reader.fail("layers", "is not a number of hidden layers");
  network.W = reader.matrix(of_layer(1, "W"), -1, -1);
  network.b = reader.vector(of_layer(1, "b"), network.units());
  Index below = network.units(), beneath = network.inputs();
  for (std::size_t l = 2; l <= static_cast<std::size_t>(layers); ++l) {
    HiddenLayer layer;
    layer.W = reader.matrix(of_layer(l, "W"), -1, below);
    layer.b = reader.vector(of_layer(l, "b"), layer.W.rows());
    if (reader.has(of_layer(l, "around"))) layer.around = reader.matrix(of_layer(l, "around"), layer.W.rows(), beneath);
    beneath = below;
    below = layer.W.rows();
    network.upper.push_back(std::move(layer));
  }
  network.A = reader.matrix("A", -1, below);
  if (network.deep() && reader.has("around")) network.around = reader.matrix("around", network.outputs(), beneath);
}

}  // namespace

void write_network_npz(const Network& network, const std::filesystem::path& path) {
  if (network.deep()) return write_deep(network, path);
  NamedArrays arrays{{"format", text_array(network_format)},
                     {"version", integer_array(network_version)},
                     {"activation", text_array(name_of(network.activation))},
                     {"W", matrix_array(network.W)},
                     {"b", vector_array(network.b)},
                     {"A", matrix_array(network.A)},
                     {"skip", matrix_array(network.skip)},
                     {"offset", vector_array(network.offset)}};
  add_extras(network, arrays);
  write_npz(path, arrays);
}

Network parse_network_npz(const SharedBytes& content, const std::string& name) {
  const NpzReader reader(content, name, "a network has arrays format, version, activation, W, b, A, skip and offset");
  const bool deep = reader.has("version") && reader.number("version") == deep_network_version;
  reader.expect_format(network_format, deep ? deep_network_version : network_version);
  Network network;
  try {
    network.activation = activation_named(reader.text("activation"));
  } catch (const std::invalid_argument& error) {
    reader.fail("activation", error.what());
  }
  read_extras(reader, network);
  if (deep) {
    read_layers(reader, network);
  } else {
    network.W = reader.matrix("W", -1, -1);
    network.b = reader.vector("b", network.units());
    network.A = reader.matrix("A", -1, network.units());
  }
  if (network.outputs() == 0) reader.fail("A", "has no rows: a network has at least one output");
  network.skip = reader.matrix("skip", network.outputs(), network.inputs());
  network.offset = reader.vector("offset", network.outputs());
  return network;
}

}  // namespace relucover
