#include "core/json_text.hpp"

#include <nlohmann/json.hpp>

namespace relucover {

namespace {

/// Words and numbers have no children: nlohmann's destructor asks for no memory then.
std::string scalar_text(const nlohmann::json& scalar) { return scalar.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace); }

}  // namespace

JsonText::JsonText(double value) : text_(scalar_text(value)) {}
JsonText::JsonText(std::string_view words) : text_(scalar_text(words)) {}

JsonText JsonText::object(std::initializer_list<Field> fields) {
  JsonText made(Kind::object);
  for (const auto& [name, value] : fields) made.add(name, value);
  return made;
}

JsonText JsonText::as_it_is(std::string text) {
  JsonText made(Kind::scalar);
  made.text_ = std::move(text);
  return made;
}

JsonText& JsonText::add(std::string_view name, const JsonText& value) {
  append_item(scalar_text(name) + ": " + value.text());
  return *this;
}

JsonText& JsonText::push(const JsonText& value) {
  append_item(value.text());
  return *this;
}

void JsonText::append_item(const std::string& item) {
  text_ += text_.empty() ? "\n  " : ",\n  ";
  for (const char letter : item) {  // inside of quotes there is no end of line
    text_ += letter;
    if (letter == '\n') text_ += "  ";
  }
}

std::string JsonText::text() const {
  if (kind_ == Kind::scalar) return text_;
  const std::string end = text_.empty() ? "" : "\n";
  return kind_ == Kind::list ? "[" + text_ + end + "]" : "{" + text_ + end + "}";
}

}  // namespace relucover
