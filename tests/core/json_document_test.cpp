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

TEST(JsonDocument, WholeNumbersAreWholeAndFit) {
  EXPECT_EQ(whole_number<int>(json::parse("2")), 2);
  EXPECT_EQ(whole_number<int>(json::parse("2.0")), 2);
  EXPECT_EQ(whole_number<std::uint64_t>(json::parse("18446744073709551615")), 18446744073709551615u);
  EXPECT_EQ(whole_number<std::int64_t>(json::parse("-9007199254740992.0")), -9007199254740992);
  for (const char* text : {"1333333333333333333333333333333333333", "1e36", "-1e36", "2.5", "2147483648", "-2147483649", "4e9", "\"2\"",
                           "null", "[2]", "true"})
    EXPECT_FALSE(whole_number<int>(json::parse(text))) << text;
  EXPECT_FALSE(whole_number<std::uint64_t>(json::parse("-1")));
  EXPECT_FALSE(whole_number<std::int64_t>(json::parse("9007199254740994.0"))) << "doubles beyond 2^53 are not exact";
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
