#pragma once
#include <filesystem>

#include "relucover/learn.hpp"

namespace relucover {

/// The network of an answer as a file. An .onnx file (float32 too) also carries how certain it is and for which inputs: metadata
/// `relucover.status`, `relucover.message`, `relucover.domain`, `relucover.method`, `relucover.version`.
void write_answer(const Result& result, const std::filesystem::path& path, Precision precision = Precision::float64);

}  // namespace relucover
