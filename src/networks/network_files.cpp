#include "networks/network_files.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "core/atomic_file.hpp"
#include "core/check.hpp"
#include "networks/network_onnx.hpp"
#include "relucover/errors.hpp"

namespace relucover {

namespace {

struct Format {
  const char* extension;
  void (*write)(const Network&, const std::filesystem::path&);
  Network (*read)(const SharedBytes&, const std::filesystem::path&);
};

// A new kind of network file is a row here.
constexpr std::array formats{
    Format{".json", [](const Network& network, const std::filesystem::path& path) { write_atomically(path, network_json(network)); },
           [](const SharedBytes& content, const std::filesystem::path& path) { return parse_network_json(content.bytes, path.string()); }},
    Format{".npz", write_network_npz,
           [](const SharedBytes& content, const std::filesystem::path& path) { return parse_network_npz(content, path.string()); }},
    Format{".onnx", [](const Network& network, const std::filesystem::path& path) { write_network_onnx(network, path); },
           [](const SharedBytes&, const std::filesystem::path& path) { return read_network_onnx(path); }},
};

const Format& format_of(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const Format& format : formats)
    if (extension == format.extension) return format;
  throw DataError(path.string(), "", extension.empty() ? "has no extension" : "has the unknown extension \"" + extension + "\"",
                  "networks are .json, .npz or .onnx");
}

}  // namespace

void write_network(const Network& network, const std::filesystem::path& path) {
  check_no_problems("network", network.problems());
  format_of(path).write(network, path);
}

Network read_network(const std::filesystem::path& path) {
  const Format& format = format_of(path);
  Network network = format.read(map_file(path), path);
  const std::vector<std::string> problems = network.problems();
  if (!problems.empty()) throw DataError(path.string(), "", problems.front(), "y = A act(W x + b) + skip x + offset");
  return network;
}

}  // namespace relucover
