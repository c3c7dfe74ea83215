// Whoever is told to stop must be asked often: the longest stretch of work in which nobody looks at the clock.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>

#include "core/random.hpp"
#include "support/planted.hpp"

namespace relucover {
namespace {

double processor_seconds() {
  timespec now = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Processor time, so that a busy machine does not count; on one thread.
class LongestGap : public Observer {
 public:
  void progress(std::string_view stage, double, std::string_view) override { stage_ = stage; }
  bool cancelled() const override {
    const double now = processor_seconds();
    if (now - last_ > longest) {
      longest = now - last_;
      where = stage_;
    }
    last_ = now;
    return false;
  }
  double total() const { return processor_seconds() - begin_; }
  mutable double longest = 0;
  mutable std::string where;

 private:
  std::string stage_ = "the beginning";
  double begin_ = processor_seconds();
  mutable double last_ = begin_;
};

/// `share` of the whole, or `nothing`: seconds of the processor that nobody would notice.
void expect_short_gaps(const SampleSource& source, LearnOptions options, double share, double nothing = 0.25) {
  LongestGap gap;
  options.threads = 1;
  options.observer = &gap;
  options.time_limit = 60;
  const Result result = learn(source, options);
  EXPECT_LT(gap.longest, std::max(nothing, share * gap.total())) << "in stage " << gap.where << ", method " << options.method << ": "
                                                                 << gap.longest << " of " << gap.total() << " s, " << result.message;
}

TEST(Gaps, OfASearch) {
  const auto problem = test::planted({.inputs = 30, .units = 12, .seed = 1}, {.samples = 8000});
  expect_short_gaps(problem.samples, {.units = 12}, 0.1);
  expect_short_gaps(problem.samples, {}, 0.1);
}

TEST(Gaps, OfACertificateOfNoisyLabels) {
  const auto problem = test::planted({.inputs = 5, .units = 2, .seed = 1}, {.samples = 20000, .noise = 0.1});
  expect_short_gaps(problem.samples, {.units = 2}, 0.2, 1);
}

TEST(Gaps, OfSeveralNoisyOutputs) {
  const auto problem = test::planted({.inputs = 8, .units = 4, .outputs = 4, .seed = 3}, {.samples = 2000, .noise = 0.05});
  expect_short_gaps(problem.samples, {.units = 4}, 0.1, 0.5);
}

}  // namespace
}  // namespace relucover
