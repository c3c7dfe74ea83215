#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "relucover/learn.hpp"

namespace relucover {
namespace {

Result some_result() {
  Result result;
  result.status = Status::approximate;
  result.message = "fits";
  result.method = "prune";
  result.method_asked = "auto";
  result.method_reason = "few inputs";
  result.network = Network(3, 2, 1);
  result.samples = 100;
  result.residual_rms = 0.25;
  result.stages = {{"search", 0.5, 12, 1e-3}};
  result.plan = {{"hermite", "Gaussian inputs", 0.25, "assumption_failed", "too few samples"},
                 {"prune", "few inputs", 0.5, "approximate", "fits"}};
  result.notes = {"column 2 is constant"};
  result.figures["condition"] = 12.5;
  result.series["t2_spectrum"] = {3, 2, 1};
  return result;
}

TEST(Report, AResultStartsAsFailure) {
  const Result nothing;
  EXPECT_FALSE(nothing.usable());
  EXPECT_EQ(nothing.brief(), "numerical_failure: nothing was learned");
  EXPECT_EQ(nlohmann::json::parse(nothing.json())["status"], "numerical_failure");
}

TEST(Report, JsonHasEveryKeyOfTheSpecification) {
  const auto object = nlohmann::json::parse(some_result().json());
  for (const char* key :
       {"status", "message", "method", "units", "residual_rms", "residual_relative", "holdout_rms", "noise_estimate", "sign_ambiguous",
        "samples", "seconds", "stages", "plan", "method_asked", "method_reason", "notes", "figures", "series"})
    EXPECT_TRUE(object.contains(key)) << key;
  EXPECT_FALSE(object.contains("network"));
  EXPECT_EQ(object["units"], 2);
  EXPECT_EQ(object["residual_rms"], 0.25);
  EXPECT_EQ(object["stages"][0]["stage"], "search");
  EXPECT_EQ(object["stages"][0]["iterations"], 12);
  ASSERT_EQ(object["plan"].size(), 2u);
  EXPECT_EQ(object["plan"][0]["method"], "hermite");
  EXPECT_EQ(object["plan"][0]["said"], "too few samples");
  EXPECT_EQ(object["plan"][1]["seconds"], 0.5);
  EXPECT_EQ(object["figures"]["condition"], 12.5);
  EXPECT_EQ(object["series"]["t2_spectrum"].size(), 3u);
}

TEST(Report, JsonSurvivesWhatIsNotANumberAndWhatIsNotText) {
  Result result = some_result();
  result.noise_estimate = std::numeric_limits<double>::quiet_NaN();
  result.figures["gap"] = std::numeric_limits<double>::infinity();
  result.message = "file \xff.csv";
  const auto object = nlohmann::json::parse(result.json());
  EXPECT_TRUE(object["noise_estimate"].is_null());
  EXPECT_TRUE(object["figures"]["gap"].is_null());
}

TEST(Report, FullSaysWhatWasUsedAndAskedFor) {
  const std::string page = some_result().full();
  for (const char* part :
       {"approximate", "fits", "prune", "few inputs", "method asked for", "auto", "search", "column 2 is constant", "condition = 12.5"})
    EXPECT_NE(page.find(part), std::string::npos) << part << "\n" << page;
}

TEST(Report, NamesOfStatusesDiffer) {
  std::set<std::string> names;
  for (const auto status : {Status::exact, Status::recovered, Status::approximate, Status::assumption_failed, Status::budget_exhausted,
                            Status::numerical_failure})
    names.insert(name_of(status));
  EXPECT_EQ(names.size(), 6u);
}

}  // namespace
}  // namespace relucover
