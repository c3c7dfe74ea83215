#pragma once
#include <chrono>
#include <string>

#include "relucover/learn.hpp"

namespace relucover {

/// Times a stage and files its record.
class StageClock {
 public:
  explicit StageClock(std::string stage) : stage_(std::move(stage)) {}
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }
  void file(Result& result, Index iterations, double residual) const { result.stages.push_back({stage_, seconds(), iterations, residual}); }

 private:
  std::string stage_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace relucover
