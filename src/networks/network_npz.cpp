#include "core/npz.hpp"
#include "networks/network_files.hpp"

namespace relucover {

void write_network_npz(const Network& network, const std::filesystem::path& path) {
  write_npz(path, {{"format", text_array(network_format)},
                   {"version", integer_array(network_version)},
                   {"activation", text_array(name_of(network.activation))},
                   {"W", matrix_array(network.W)},
                   {"b", vector_array(network.b)},
                   {"A", matrix_array(network.A)},
                   {"skip", matrix_array(network.skip)},
                   {"offset", vector_array(network.offset)}});
}

Network parse_network_npz(const SharedBytes& content, const std::string& name) {
  const NpzReader reader(content, name, "a network has arrays format, version, activation, W, b, A, skip and offset");
  reader.expect_format(network_format, network_version);
  Network network;
  try {
    network.activation = activation_named(reader.text("activation"));
  } catch (const std::invalid_argument& error) {
    reader.fail("activation", error.what());
  }
  network.W = reader.matrix("W", -1, -1);
  network.b = reader.vector("b", network.units());
  network.A = reader.matrix("A", -1, network.units());
  if (network.outputs() == 0) reader.fail("A", "has no rows: a network has at least one output");
  network.skip = reader.matrix("skip", network.outputs(), network.inputs());
  network.offset = reader.vector("offset", network.outputs());
  return network;
}

}  // namespace relucover
