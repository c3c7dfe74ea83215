#include "report/answer_file.hpp"

#include "core/version.hpp"
#include "networks/network_onnx.hpp"

namespace relucover {

void write_answer(const Result& result, const std::filesystem::path& path, Precision precision) {
  if (path.extension() != ".onnx") {
    if (precision != Precision::float64) throw std::invalid_argument("float32 is for .onnx files");
    return write_network(result.network, path);
  }
  write_network_onnx(result.network, path, precision,
                     {{"relucover.status", name_of(result.status)},
                      {"relucover.message", result.message},
                      {"relucover.domain", result.domain},
                      {"relucover.method", result.method},
                      {"relucover.version", version()}});
}

}  // namespace relucover
