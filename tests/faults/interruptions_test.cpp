// Work is stopped at its first question whether it may go on, at its second, and so on: a status in words, never an exception.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>

#include "relucover/oracle.hpp"
#include "relucover/relucover.hpp"
#include "support/files.hpp"
#include "support/planted.hpp"

namespace relucover {
namespace {

/// Says stop from its n-th question on.
class StopAt : public Observer {
 public:
  explicit StopAt(long number) : number_(number) {}
  void progress(std::string_view, double, std::string_view) override {}
  bool cancelled() const override { return ++asked_ >= number_; }
  long asked() const { return asked_; }

 private:
  long number_;
  mutable std::atomic<long> asked_ = 0;
};

constexpr long never = 1L << 60;

/// Stops `job` at every question at first, then at fewer and fewer.
void expect_stops(const std::string& name, const std::function<Result(Observer*)>& job) {
  SCOPED_TRACE(name);
  StopAt whole(never);
  job(&whole);
  ASSERT_GT(whole.asked(), 0);
  long tried = 0;
  for (long number = 1; number <= whole.asked(); number += 1 + number / 8, ++tried) {
    StopAt stop(number);
    Result result;
    ASSERT_NO_THROW(result = job(&stop)) << "stopped at question " << number << " of " << whole.asked();
    EXPECT_FALSE(result.message.empty());
    EXPECT_NE(result.status, Status::numerical_failure) << result.message;
    if (number == 1) {
      EXPECT_EQ(result.status, Status::budget_exhausted) << result.message;
    }
  }
  std::printf("%s: %ld questions, %ld stops\n", name.c_str(), whole.asked(), tried);
}

TEST(Interruptions, AnywhereInLearning) {
  const test::Planted problem = test::planted({.inputs = 3, .units = 2, .seed = 1}, {.samples = 400});
  const auto learned = [&](LearnOptions options) {
    options.threads = 1;
    options.starts = 2;
    return learn(problem.samples, options);
  };
  expect_stops("learn", [&](Observer* observer) { return learned({.units = 2, .observer = observer}); });
  expect_stops("learn, auto", [&](Observer* observer) { return learned({.observer = observer}); });
  const test::TemporaryFolder folder;
  expect_stops("learn with a checkpoint", [&](Observer* observer) {
    LearnOptions options{.units = 2, .observer = observer};
    options.checkpoint = (folder / "state").string();
    return learned(options);
  });
}

TEST(Interruptions, WhereLabelsWentThroughALink) {
  const test::Planted problem = test::planted({.inputs = 3, .units = 2, .outputs = 3, .seed = 1}, {.samples = 400});
  RowMatrix y = problem.samples.y().array().exp();
  y = (y.array().colwise() / y.rowwise().sum().array()).eval();
  const MemorySource<double> served(problem.samples.x(), y);
  const auto learned = [&](std::optional<Link> link, Observer* observer) {
    LearnOptions options{.units = 2, .threads = 1, .starts = 2, .observer = observer};
    options.link = link;
    return learn(served, options);
  };
  expect_stops("learn softmax", [&](Observer* observer) { return learned(Link::softmax, observer); });
  expect_stops("learn, link auto", [&](Observer* observer) { return learned(std::nullopt, observer); });
}

TEST(Interruptions, AnywhereInExtraction) {
  const Network truth = test::planted({.inputs = 3, .units = 2, .seed = 1}, {.samples = 10}).truth;
  expect_stops("extract", [&](Observer* observer) {
    const auto oracle = callable_oracle([&](const RowMatrix& x) { return RowMatrix(truth.evaluate(x)); });
    ExtractOptions options;
    options.inputs = 3;
    options.first = 200;
    options.fresh = 50;
    options.learn = {.units = 2, .threads = 1, .starts = 1, .observer = observer};
    return extract(*oracle, options).result;
  });
}

/// Rows are counted: whoever was told to stop reads no more of them.
class CountedRows : public SampleSource {
 public:
  explicit CountedRows(const SampleSource& source) : source_(source) {}
  Index samples() const override { return source_.samples(); }
  Index inputs() const override { return source_.inputs(); }
  Index outputs() const override { return source_.outputs(); }
  std::string name() const override { return source_.name(); }
  Block<double> read(Index first, Index rows, BlockBuffer<double>& buffer) const override {
    count += rows;
    return source_.read(first, rows, buffer);
  }
  using SampleSource::read;
  mutable std::atomic<Index> count = 0;

 private:
  const SampleSource& source_;
};

TEST(Interruptions, WhoIsStoppedReadsNoMore) {
  const test::Planted problem = test::planted({.inputs = 40, .units = 2, .seed = 1}, {.samples = 50000});
  const CountedRows source(problem.samples);
  StopAt at_once(1);
  const Result result = learn(source, {.threads = 1, .observer = &at_once});
  EXPECT_EQ(result.status, Status::budget_exhausted) << result.message;
  EXPECT_LT(source.count, 100);
}

}  // namespace
}  // namespace relucover
