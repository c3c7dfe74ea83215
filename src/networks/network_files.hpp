#pragma once
// The kinds of network files, each from bytes. network_files.cpp chooses by extension.
#include <string>

#include "core/mapped_file.hpp"
#include "relucover/network.hpp"

namespace relucover {

/// One key per part, one line per row; every number in the shortest form that reads back as the same double.
std::string network_json(const Network& network);
/// Throws DataError naming key and row.
Network parse_network_json(Bytes content, const std::string& name);

/// The same keys as arrays.
void write_network_npz(const Network& network, const std::filesystem::path& path);
Network parse_network_npz(const SharedBytes& content, const std::string& name);

/// What both formats say about themselves.
inline constexpr const char* network_format = "relucover-network";
inline constexpr int network_version = 1;
/// Of files of networks with several hidden layers.
inline constexpr int deep_network_version = 2;

}  // namespace relucover
