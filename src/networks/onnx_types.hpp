#pragma once
// What reading and writing ONNX files share.
#include <onnx/onnx_pb.h>

#include <bit>
#include <filesystem>

#include "networks/network_onnx.hpp"
#include "relucover/types.hpp"

namespace relucover {

static_assert(std::endian::native == std::endian::little, "ONNX raw data is little endian");

inline onnx::TensorProto_DataType onnx_type(Precision precision) {
  return precision == Precision::float32 ? onnx::TensorProto_DataType_FLOAT : onnx::TensorProto_DataType_DOUBLE;
}

/// A model as files of ours begin, without a graph.
inline onnx::ModelProto begun_onnx() {
  onnx::ModelProto model;
  model.set_ir_version(onnx_ir_version);
  model.set_producer_name("relucover");
  auto* opset = model.add_opset_import();
  opset->set_domain("");
  opset->set_version(onnx_opset);
  return model;
}

/// The file as a model with a graph; DataError if it is none. network_onnx.cpp
onnx::ModelProto parsed_onnx(const std::filesystem::path& path);

/// The graph's name in files that hold a model with thresholds.
inline constexpr const char* threshold_graph_name = "relucover-threshold-model";

}  // namespace relucover
