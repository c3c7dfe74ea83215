#pragma once
// Texts that people type for options, as values. Each ..._from_text throws std::invalid_argument that says what was expected.
#include <string>
#include <string_view>
#include <utility>

#include "relucover/types.hpp"

namespace relucover {

/// Whether the whole text is a number; `value` is it then.
bool is_number(std::string_view text, Index& value);
bool is_number(std::string_view text, double& value);
/// "auto" is 0; else a number from 1.
Index units_from_text(const std::string& text);
/// "auto" is 0; else a positive number.
double scale_from_text(const std::string& text);
/// NAME=NUMBER
std::pair<std::string, double> setting_from_text(const std::string& text);

}  // namespace relucover
