#pragma once
// What the accuracy tables for thresholds share: angles after pairing, data in memory, a table with bars.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <memory>
#include <string>

#include "networks/assignment.hpp"
#include "relucover/samples.hpp"
#include "relucover/threshold.hpp"

namespace relucover::bench {

/// Largest angle between paired rows; pi where rows are missing.
inline double worst_angle(const Matrix& truth, const Matrix& answer, bool with_sign = true) {
  if (answer.rows() < truth.rows()) return M_PI;
  const auto angle = [&](Index i, Index j) {
    const Vector a = truth.row(i).normalized(), b = answer.row(j).normalized();
    const double plus = 2 * std::asin(std::min(1.0, (a - b).norm() / 2));
    return with_sign ? plus : std::min(plus, 2 * std::asin(std::min(1.0, (a + b).norm() / 2)));
  };
  Matrix cost(truth.rows(), answer.rows());
  for (Index i = 0; i < truth.rows(); ++i)
    for (Index j = 0; j < answer.rows(); ++j) cost(i, j) = angle(i, j);
  const auto partner = cheapest_assignment(cost);
  double worst = 0;
  for (Index i = 0; i < truth.rows(); ++i) worst = std::max(worst, cost(i, partner[static_cast<std::size_t>(i)]));
  return worst;
}

inline std::unique_ptr<SampleSource> in_memory(const SampleSource& source) {
  RowMatrix x(source.samples(), source.inputs()), y(source.samples(), 1);
  BlockBuffer<double> buffer;
  constexpr Index rows = 4096;
  for (Index first = 0; first < source.samples(); first += rows) {
    const Index count = std::min(rows, source.samples() - first);
    const auto block = source.read(first, count, buffer);
    x.middleRows(first, count) = block.x;
    y.middleRows(first, count) = block.y;
  }
  return std::make_unique<MemorySource<double>>(std::move(x), std::move(y));
}

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
