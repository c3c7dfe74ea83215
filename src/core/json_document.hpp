#pragma once
// JSON of a file, read such that running out of memory is an exception like any other: nlohmann's destructor of what is nested allocates,
// and a destructor that throws ends the program.
#include <nlohmann/json.hpp>

#include <string_view>

namespace relucover {

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
