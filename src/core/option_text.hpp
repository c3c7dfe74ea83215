#pragma once
// Texts that people type for options, as values. Each throws std::invalid_argument that says what was expected.
#include <string>
#include <utility>

#include "relucover/types.hpp"

namespace relucover {

/// "auto" is 0; else a number from 1.
Index units_from_text(const std::string& text);
/// "auto" is 0; else a positive number.
double scale_from_text(const std::string& text);
/// NAME=NUMBER
std::pair<std::string, double> setting_from_text(const std::string& text);

}  // namespace relucover
