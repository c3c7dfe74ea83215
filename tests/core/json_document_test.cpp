#include "core/json_document.hpp"

#include <gtest/gtest.h>

namespace relucover {
namespace {

using nlohmann::json;

TEST(JsonDocument, HoldsWhatTheTextSays) {
  const std::string text = R"({"format": "some", "list": [1, -0.0, [2.5, null]], "more": {"yes": true}})";
  const JsonDocument document(text);
  EXPECT_EQ(document.value().dump(), json::parse(text).dump());
  EXPECT_TRUE(document.says("format", "some"));
  EXPECT_FALSE(document.says("format", "other"));
  EXPECT_FALSE(document.says("list", "some"));
  EXPECT_FALSE(document.says("none", "some"));
  EXPECT_FALSE(JsonDocument("[1]").says("format", "some"));
}

TEST(JsonDocument, RefusesWhatIsNoJson) {
  for (const char* text : {"", "{", "[1, 2", "{\"a\" 1}", "[1] 2", "nul"}) EXPECT_THROW((JsonDocument(text)), json::parse_error) << text;
}

TEST(JsonDocument, RefusesNestingThatNoFileHas) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_TRUE(JsonDocument(nested(64)).value().is_array());
  EXPECT_THROW((JsonDocument(nested(65))), json::parse_error);
  EXPECT_THROW((JsonDocument(std::string(1000000, '['))), json::parse_error);
  EXPECT_THROW((JsonDocument(R"({"a":)" + nested(64) + "}")), json::parse_error);
}

}  // namespace
}  // namespace relucover
