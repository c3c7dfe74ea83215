#include "core/atomic_file.hpp"
#include "core/module.hpp"
#include "networks/network_onnx.hpp"
#include "networks/onnx_module.hpp"
#include "relucover/errors.hpp"

namespace relucover {

namespace {

const OnnxModule& onnx_module(const std::string& for_file) {
  static const OnnxModule* const module = reinterpret_cast<OnnxModuleEntry>(
      module_entry(onnx_module_file, onnx_module_entry,
                   {for_file, "ONNX files need the module relucover_onnx.so",
                    "install libonnx-dev, libprotobuf-dev and protobuf-compiler and build again (`make`), or use .json or .npz"}))();
  return *module;
}

}  // namespace

std::string onnx_bytes(const Network& network, Precision precision) { return onnx_module("the network").bytes(network, precision, {}); }

void write_network_onnx(const Network& network, const std::filesystem::path& path, Precision precision, const OnnxMetadata& about) {
  write_atomically(path, onnx_module(path.string()).bytes(network, precision, about));
}

void write_threshold_onnx(const ThresholdModel& model, const std::filesystem::path& path) {
  write_atomically(path, onnx_module(path.string()).threshold_bytes(model));
}

bool is_threshold_onnx(const std::filesystem::path& path) { return onnx_module(path.string()).holds_threshold(path); }

ThresholdModel read_threshold_onnx(const std::filesystem::path& path) { return onnx_module(path.string()).read_threshold(path); }

FeedForward read_feed_forward_onnx(const std::filesystem::path& path) { return onnx_module(path.string()).read(path); }

Network read_network_onnx(const std::filesystem::path& path) {
  const FeedForward model = read_feed_forward_onnx(path);
  try {
    return layered_network(model);
  } catch (const std::invalid_argument& problem) {
    throw DataError(path.string(), "", problem.what(), "deeper models can be used as an oracle");
  }
}

}  // namespace relucover
