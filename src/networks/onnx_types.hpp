#pragma once
// What reading and writing ONNX files share.
#include <onnx/onnx_pb.h>

#include <bit>

#include "relucover/types.hpp"

namespace relucover {

static_assert(std::endian::native == std::endian::little, "ONNX raw data is little endian");

inline onnx::TensorProto_DataType onnx_type(Precision precision) {
  return precision == Precision::float32 ? onnx::TensorProto_DataType_FLOAT : onnx::TensorProto_DataType_DOUBLE;
}

}  // namespace relucover
