#pragma once
// What the module with ONNX (protobuf) in it gives to the library that loads it.
#include <filesystem>
#include <map>
#include <string>

#include "networks/feed_forward.hpp"
#include "relucover/network.hpp"
#include "relucover/threshold.hpp"

namespace relucover {

struct OnnxModule {
  std::string (*bytes)(const Network& network, Precision precision, const std::map<std::string, std::string>& about);
  FeedForward (*read)(const std::filesystem::path& path);
  std::string (*threshold_bytes)(const ThresholdModel& model);
  bool (*holds_threshold)(const std::filesystem::path& path);
  ThresholdModel (*read_threshold)(const std::filesystem::path& path);
};

/// network_to_onnx.cpp
std::string network_to_onnx(const Network& network, Precision precision, const std::map<std::string, std::string>& about);
/// threshold_onnx.cpp
std::string threshold_onnx_bytes(const ThresholdModel& model);
/// threshold_from_onnx.cpp
bool holds_threshold_onnx(const std::filesystem::path& path);
ThresholdModel threshold_from_onnx(const std::filesystem::path& path);

inline constexpr const char* onnx_module_file = "relucover_onnx.so";
inline constexpr const char* onnx_module_entry = "relucover_onnx_module";
using OnnxModuleEntry = const OnnxModule* (*)();

}  // namespace relucover
