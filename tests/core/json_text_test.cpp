#include "core/json_text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace relucover {
namespace {

TEST(JsonText, IsWhatATreeWouldPrint) {
  const std::vector<double> numbers = {1, -0.0, 0.1, 1e300, 5e-324, std::nextafter(1, 2)};
  const std::map<std::string, std::vector<double>> series = {{"a", numbers}, {"b", {}}};
  const nlohmann::ordered_json tree = {{"words", "a \"quoted\"\nline\t\x01 \xc3\xa9"},
                                       {"yes", true},
                                       {"no", false},
                                       {"count", std::numeric_limits<std::int64_t>::min()},
                                       {"nothing", nullptr},
                                       {"numbers", numbers},
                                       {"series", series},
                                       {"pairs", std::vector<std::pair<int, int>>{{1, 2}, {3, 4}}},
                                       {"empty list", nlohmann::ordered_json::array()},
                                       {"empty object", nlohmann::ordered_json::object()}};
  const JsonText text = JsonText::object({{"words", "a \"quoted\"\nline\t\x01 \xc3\xa9"},
                                          {"yes", true},
                                          {"no", false},
                                          {"count", std::numeric_limits<std::int64_t>::min()},
                                          {"nothing", nullptr},
                                          {"numbers", numbers},
                                          {"series", series},
                                          {"pairs", std::vector<std::pair<int, int>>{{1, 2}, {3, 4}}},
                                          {"empty list", JsonText::list()},
                                          {"empty object", JsonText::object()}});
  EXPECT_EQ(text.text(), tree.dump(2));
}

TEST(JsonText, WhatIsNoNumberIsNullAndWhatIsNoTextIsReplaced) {
  const JsonText text = JsonText::object({{"nan", std::numeric_limits<double>::quiet_NaN()},
                                          {"infinity", -std::numeric_limits<double>::infinity()},
                                          {"name", std::string("\xff.csv")},
                                          {"unknown", std::optional<int>()},
                                          {"known", std::optional<int>(3)}});
  const auto object = nlohmann::json::parse(text.text());
  EXPECT_TRUE(object["nan"].is_null());
  EXPECT_TRUE(object["infinity"].is_null());
  EXPECT_EQ(object["name"], "\xef\xbf\xbd.csv");
  EXPECT_TRUE(object["unknown"].is_null());
  EXPECT_EQ(object["known"], 3);
}

TEST(JsonText, TakesWhatIsJsonAlready) {
  const JsonText text = JsonText::object({{"model", JsonText::as_it_is("{\n  \"a\": [\n    1\n  ]\n}")}});
  EXPECT_EQ(text.text(), nlohmann::json({{"model", {{"a", {1}}}}}).dump(2));
}

}  // namespace
}  // namespace relucover
