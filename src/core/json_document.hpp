#pragma once
// JSON of a file, read such that running out of memory is an exception like any other: nlohmann's destructor of what is nested allocates,
// and a destructor that throws ends the program.
#include <nlohmann/json.hpp>

#include <cmath>
#include <concepts>
#include <optional>
#include <string_view>
#include <utility>

namespace relucover {

/// A number without fraction that the type can hold; none: anything else. (nlohmann's get<int>() of 1e36 is undefined.)
template <std::integral Whole>
std::optional<Whole> whole_number(const nlohmann::json& value) {
  const auto in_range = [](auto number) { return std::in_range<Whole>(number) ? std::optional(static_cast<Whole>(number)) : std::nullopt; };
  if (value.is_number_unsigned()) return in_range(value.get<std::uint64_t>());
  if (value.is_number_integer()) return in_range(value.get<std::int64_t>());
  if (!value.is_number()) return std::nullopt;
  constexpr double exactly = 9007199254740992;  // 2^53
  const double number = value.get<double>();
  if (!(std::abs(number) <= exactly) || number != std::trunc(number)) return std::nullopt;
  return in_range(static_cast<std::int64_t>(number));
}

class JsonDocument {
 public:
  /// Throws nlohmann::json::parse_error, of nesting beyond what any file of ours has too.
  explicit JsonDocument(std::string_view text);
  ~JsonDocument() { take_apart(value_); }
  JsonDocument(const JsonDocument&) = delete;
  JsonDocument& operator=(const JsonDocument&) = delete;
  const nlohmann::json& value() const { return value_; }
  /// Whether it is an object with this text under this key. (nlohmann's == allocates, and may not throw.)
  bool says(const char* key, std::string_view text) const;

 private:
  static void take_apart(nlohmann::json& value);
  nlohmann::json value_;
};

}  // namespace relucover
