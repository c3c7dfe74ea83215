#pragma once
// Experiments of the papers that `relucover reproduce` runs. A new one is a function here and a row in command_reproduce.cpp.
#include <string>
#include <vector>

#include "relucover/session.hpp"

namespace relucover::cli {

/// A header and rows, all as text.
struct Table {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
};

Table atv_smoothed(const Control& control);

}  // namespace relucover::cli
