#pragma once
// Networks as ONNX files: Gemm, Relu, Gemm, and another Gemm and Add where there is a skip term.
#include <filesystem>
#include <map>
#include <string>

#include "networks/feed_forward.hpp"
#include "relucover/network.hpp"
#include "relucover/threshold.hpp"

namespace relucover {

/// The operator set and file version of what is written; anything newer or older that uses the same operators is read.
inline constexpr int onnx_opset = 13;
inline constexpr int onnx_ir_version = 7;

/// The same bytes for the same network, always. Throws std::invalid_argument for an activation that ONNX has no operator for.
std::string onnx_bytes(const Network& network, Precision precision = Precision::float64);
/// `about`: what is known of the network (status, domain), kept as metadata.
using OnnxMetadata = std::map<std::string, std::string>;
void write_network_onnx(const Network& network, const std::filesystem::path& path, Precision precision = Precision::float64,
                        const OnnxMetadata& about = {});
void write_threshold_onnx(const ThresholdModel& model, const std::filesystem::path& path);
/// Whether a graph says that it is a model with thresholds.
bool is_threshold_onnx(const std::filesystem::path& path);
/// As it was written by write_threshold_onnx, to the last bit. Throws DataError naming the node that does not fit.
ThresholdModel read_threshold_onnx(const std::filesystem::path& path);

/// Any chain or sum of Gemm, MatMul, Add, Sub, Mul and Div by constants, and element-wise activations, as PyTorch,
/// scikit-learn converters and the onnx helpers write them. Throws DataError naming the node that isn't understood.
FeedForward read_feed_forward_onnx(const std::filesystem::path& path);
Network read_network_onnx(const std::filesystem::path& path);

}  // namespace relucover
