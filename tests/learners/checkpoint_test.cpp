// Work that was stopped goes on from its checkpoint and ends with the bytes of undisturbed work.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/checkpoint.hpp"
#include "relucover/errors.hpp"
#include "support/files.hpp"
#include "support/planted.hpp"

namespace relucover {
namespace {

class StopsAfter : public Observer {
 public:
  explicit StopsAfter(int questions) : left_(questions) {}
  void progress(std::string_view, double, std::string_view) override {}
  bool cancelled() const override { return --left_ < 0; }

 private:
  mutable int left_;
};

struct Stopped {
  test::Planted problem = test::planted({.inputs = 10, .units = 6, .seed = 5}, {.samples = 4000});
  std::string file;
  LearnOptions options{.units = 6, .threads = 1};
  explicit Stopped(const std::string& name) : file((std::filesystem::path(testing::TempDir()) / name).string()) {
    std::filesystem::remove(file);
    options.checkpoint = file;
  }
  ~Stopped() { std::filesystem::remove(file); }
  Result run(int questions) {
    StopsAfter stops(questions);
    options.observer = &stops;
    return learn(problem.samples, options);
  }
};

TEST(Checkpoint, GoesOnWithTheSameBytesHoweverOftenItIsStopped) {
  Stopped work("relucover_goes_on.state");
  const Result undisturbed = learn(work.problem.samples, {.units = 6, .threads = 1});
  Result result = work.run(20);
  int stops = 0;
  while (result.status == Status::budget_exhausted && stops < 200) {
    ++stops;
    work.options.resume = work.file;
    result = work.run(20 + 4 * stops);  // a little further each time: repeated parts are not kept
  }
  EXPECT_GT(stops, 3);
  EXPECT_EQ(result.status, undisturbed.status) << result.message;
  EXPECT_EQ(result.network.W, undisturbed.network.W);
  EXPECT_EQ(result.network.A, undisturbed.network.A);
}

TEST(Checkpoint, OfAnEarlierVersionSaysWhatItDoesNotKnow) {
  const std::string file = (std::filesystem::path(testing::TempDir()) / "relucover_earlier.state").string();
  Checkpoint earlier(file, {{"samples", "1000000"}}, 60);
  earlier.write();
  Checkpoint now("", {{"samples", "1000000"}, {"chunks of the data", "245"}}, 60);
  try {
    now.resume_from(file);
    ADD_FAILURE() << "was taken";
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("earlier version: it says nothing of chunks of the data, here 245"), std::string::npos)
        << error.what();
  }
  std::filesystem::remove(file);
}

TEST(Checkpoint, OfOtherWorkIsRefusedWithTheDifference) {
  Stopped work("relucover_other.state");
  EXPECT_EQ(work.run(60).status, Status::budget_exhausted);
  const auto message = [&](const SampleSource& data, LearnOptions options) -> std::string {
    options.resume = work.file;
    options.checkpoint.clear();
    options.observer = nullptr;
    try {
      learn(data, options);
    } catch (const DataError& error) {
      return error.what();
    }
    return "was taken";
  };
  LearnOptions other = work.options;
  other.seed = 9;
  EXPECT_NE(message(work.problem.samples, other).find("seed was 0"), std::string::npos);
  const auto data = test::planted({.inputs = 10, .units = 6, .seed = 6}, {.samples = 4000});
  EXPECT_NE(message(data.samples, work.options).find("check sum of the data"), std::string::npos);
  std::filesystem::resize_file(work.file, std::filesystem::file_size(work.file) / 2);
  EXPECT_NE(message(work.problem.samples, work.options).find("damaged"), std::string::npos);
  std::ofstream(work.file) << "something else";
  EXPECT_NE(message(work.problem.samples, work.options).find("not a checkpoint"), std::string::npos);
  std::filesystem::remove(work.file);
  EXPECT_NE(message(work.problem.samples, work.options).find("can't be read"), std::string::npos);
}

TEST(Checkpoint, ThatCouldNotBeWrittenIsRefusedBeforeTheWork) {
  Stopped work("relucover_nowhere.state");
  work.options.checkpoint = "/no such folder/x.state";
  EXPECT_THROW(work.run(1000), DataError);
}

}  // namespace
}  // namespace relucover
