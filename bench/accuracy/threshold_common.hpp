#pragma once
// What the accuracy tables for thresholds share: a clock and a table with bars.
#include <fmt/format.h>

#include <chrono>
#include <string>

#include "support/threshold_planted.hpp"

namespace relucover::bench {

using support::in_memory, support::worst_angle, support::worst_linear_coefficient;

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

class Table {
 public:
  explicit Table(const std::string& title) { fmt::print("{:<52} {:>10} {:>10} {:>9}\n", title, "worst", "bar", "seconds"); }
  void row(const std::string& what, double value, double bar, double seconds) {
    const bool good = value <= bar;
    failures_ += !good;
    fmt::print("{:<52} {:>10.3g} {:>10.3g} {:>9.2f} {}\n", what, value, bar, seconds, good ? "ok" : "MISSED");
    std::fflush(stdout);
  }
  int failures() const { return failures_; }

 private:
  int failures_ = 0;
};

}  // namespace relucover::bench
