#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "core/child_process.hpp"

namespace relucover {
namespace {

TEST(ChildProcess, AnswersMoreThanAPipeHoldsWithoutWaitingForEver) {
  ChildProcess cat("cat");
  const std::string request(3'000'000, 'x');
  std::string reply;
  const auto outcome = cat.exchange(
      request, reply, [&](const std::string& r) { return r.size() == request.size(); }, 10, Control(1));
  EXPECT_EQ(outcome, ChildProcess::Outcome::complete);
  EXPECT_EQ(reply, request);
}

TEST(ChildProcess, EndAndSilenceAreToldApart) {
  std::string reply;
  const auto never = [](const std::string&) { return false; };
  ChildProcess ends("echo half; exit 3");
  EXPECT_EQ(ends.exchange("question\n", reply, never, 10, Control(1)), ChildProcess::Outcome::ended);
  EXPECT_EQ(reply, "half\n");
  const auto before = std::chrono::steady_clock::now();
  {
    ChildProcess sleeps("sleep 100; echo late");
    EXPECT_EQ(sleeps.exchange("question\n", reply, never, 0.3, Control(1)), ChildProcess::Outcome::stalled);
  }  // and is ended, with what it started
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(5));
}

TEST(ChildProcess, TheTimeLimitEndsAnExchange) {
  ChildProcess sleeps("sleep 100");
  std::string reply;
  EXPECT_THROW(sleeps.exchange(
                   "", reply, [](const std::string&) { return false; }, 100, Control(1, 0.2)),
               Interrupted);
}

}  // namespace
}  // namespace relucover
