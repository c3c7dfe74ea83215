#include "core/option_text.hpp"

#include <fmt/format.h>

#include <charconv>
#include <stdexcept>

namespace relucover {

namespace {

template <class Number>
bool whole_text_is(std::string_view text, Number& value) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && !text.empty() && end == text.data() + text.size();
}

}  // namespace

bool is_number(std::string_view text, Index& value) { return whole_text_is(text, value); }

bool is_number(std::string_view text, double& value) { return whole_text_is(text, value); }

Index units_from_text(const std::string& text) {
  Index units = 0;
  if (text == "auto") return units;
  if (!is_number(text, units) || units < 1)
    throw std::invalid_argument(fmt::format("--units is \"{}\", expected auto or a number from 1", text));
  return units;
}

double scale_from_text(const std::string& text) {
  double scale = 0;
  if (text == "auto") return scale;
  if (!is_number(text, scale) || !(scale > 0))
    throw std::invalid_argument(fmt::format("--scale is \"{}\", expected auto or a positive number", text));
  return scale;
}

std::pair<std::string, double> setting_from_text(const std::string& text) {
  const auto equals = text.find('=');
  double value = 0;
  if (equals == 0 || equals == std::string::npos || !is_number(std::string_view(text).substr(equals + 1), value))
    throw std::invalid_argument(fmt::format("--set {}: expected NAME=NUMBER", text));
  return {text.substr(0, equals), value};
}

}  // namespace relucover
