#include "core/json_document.hpp"

#include <fmt/format.h>

namespace relucover {

namespace {

using nlohmann::json;
constexpr std::size_t deepest = 64;  // so that taking it apart may be recursive

/// Builds the value in its place, where it is taken apart whatever happens.
class Builder : public nlohmann::detail::json_sax_dom_parser<json> {
  using Base = nlohmann::detail::json_sax_dom_parser<json>;

 public:
  using Base::Base;
  bool start_object(std::size_t size) { return deeper() && Base::start_object(size); }
  bool start_array(std::size_t size) { return deeper() && Base::start_array(size); }
  bool end_object() { return depth_-- > 0 && Base::end_object(); }
  bool end_array() { return depth_-- > 0 && Base::end_array(); }

 private:
  bool deeper() {
    if (++depth_ > deepest) throw json::parse_error::create(101, 0, fmt::format("nested more than {} deep", deepest), nullptr);
    return true;
  }
  std::size_t depth_ = 0;
};

}  // namespace

JsonDocument::JsonDocument(std::string_view text) {
  try {
    Builder builder(value_, true);
    json::sax_parse(text.begin(), text.end(), &builder);
  } catch (...) {
    take_apart(value_);  // the destructor is not for those that were never whole
    throw;
  }
}

bool JsonDocument::says(const char* key, std::string_view text) const {
  const auto found = value_.is_object() ? value_.find(key) : value_.end();
  return found != value_.end() && found->is_string() && found->get_ref<const std::string&>() == text;
}

/// From the leaves: what has no children any more is destroyed without memory.
void JsonDocument::take_apart(json& value) {
  if (!value.is_structured()) return;
  for (json& child : value) take_apart(child);
  value.clear();
}

}  // namespace relucover
