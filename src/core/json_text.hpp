#pragma once
// JSON as it is printed. Every value is its text, and no tree is kept: nlohmann's destructor of what is nested allocates, and a destructor
// that throws ends the program where memory does.
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace relucover {

class JsonText {
 public:
  using Field = std::pair<std::string_view, JsonText>;

  JsonText(std::nullptr_t) : text_("null") {}
  JsonText(std::integral auto value) : text_(std::same_as<decltype(value), bool> ? (value ? "true" : "false") : std::to_string(value)) {}
  JsonText(double value);            // a NaN or an infinity becomes null: JSON has no other word for it
  JsonText(std::string_view words);  // what is not UTF-8 (a file's name need not be) is replaced
  JsonText(const std::string& words) : JsonText(std::string_view(words)) {}
  JsonText(const char* words) : JsonText(std::string_view(words)) {}
  template <class Value>
  JsonText(const std::optional<Value>& value) : JsonText(value ? JsonText(*value) : JsonText(nullptr)) {}
  template <class One, class Other>
  JsonText(const std::pair<One, Other>& both) : JsonText(list()) {
    push(both.first).push(both.second);
  }
  template <class Value>
  JsonText(const std::vector<Value>& values) : JsonText(list()) {
    for (const Value& value : values) push(value);
  }
  template <class Value>
  JsonText(const std::map<std::string, Value>& values) : JsonText(object()) {
    for (const auto& [name, value] : values) add(name, value);
  }

  static JsonText object(std::initializer_list<Field> fields = {});
  static JsonText list() { return JsonText(Kind::list); }
  /// Of what is JSON already.
  static JsonText as_it_is(std::string text);

  JsonText& add(std::string_view name, const JsonText& value);  // of an object
  JsonText& push(const JsonText& value);                        // of a list

  /// With two spaces before what is nested, and no end of line.
  std::string text() const;

 private:
  enum class Kind { scalar, list, object };
  explicit JsonText(Kind kind) : kind_(kind) {}
  void append_item(const std::string& item);

  Kind kind_ = Kind::scalar;
  std::string text_;  // of a list or an object: what is inside
};

}  // namespace relucover
