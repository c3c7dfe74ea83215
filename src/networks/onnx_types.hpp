#pragma once
// What reading and writing ONNX files share.
#include <onnx/onnx_pb.h>

#include <bit>
#include <filesystem>

#include "relucover/types.hpp"

namespace relucover {

static_assert(std::endian::native == std::endian::little, "ONNX raw data is little endian");

inline onnx::TensorProto_DataType onnx_type(Precision precision) {
  return precision == Precision::float32 ? onnx::TensorProto_DataType_FLOAT : onnx::TensorProto_DataType_DOUBLE;
}

/// The file as a model with a graph; DataError if it is none. network_onnx.cpp
onnx::ModelProto parsed_onnx(const std::filesystem::path& path);

/// The graph's name in files that hold a model with thresholds.
inline constexpr const char* threshold_graph_name = "relucover-threshold-model";

}  // namespace relucover
