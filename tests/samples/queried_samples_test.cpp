#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "relucover/errors.hpp"
#include "samples/queried_samples.hpp"

namespace relucover {
namespace {

struct TemporaryFile {
  std::filesystem::path path;
  explicit TemporaryFile(const std::string& name) : path(std::filesystem::temp_directory_path() / name) { std::filesystem::remove(path); }
  ~TemporaryFile() { std::filesystem::remove(path); }
};

/// Answers with the row sums, but only the first `most` queries of a batch, and counts every query it answers.
class ShortOfBreath : public BlackBox {
 public:
  explicit ShortOfBreath(Index most) : most_(most) {}
  std::string name() const override { return "short of breath"; }
  RowMatrix ask(const Eigen::Ref<const RowMatrix>& queries, const Control&) override {
    const Index rows = std::min(most_, queries.rows());
    answered += rows;
    return queries.topRows(rows).rowwise().sum();
  }
  Index answered = 0;

 private:
  Index most_;
};

ExtractOptions options_for(const std::filesystem::path& spool) {
  ExtractOptions options;
  options.inputs = 3;
  options.batch = 64;
  options.spool = spool;
  return options;
}

const QueryLaw standard(Vector::Ones(3));

RowMatrix all_x(const QueriedSamples& samples) {
  BlockBuffer<double> buffer;
  return samples.read(0, samples.samples(), buffer).x;
}

TEST(QueriedSamples, PartialAnswersAreKeptAndNothingIsCountedTwice) {
  ShortOfBreath oracle(50);
  Asking asking(oracle, 64);
  QueriedSamples samples(asking, standard, options_for({}));
  samples.grow(1000, Control(1));
  EXPECT_EQ(samples.samples(), 1000);
  EXPECT_EQ(asking.queries(), 1000);
  EXPECT_EQ(oracle.answered, 1000);
  EXPECT_GT(asking.repeated(), 0);
  BlockBuffer<double> buffer;
  const auto block = samples.read(0, 1000, buffer);
  EXPECT_LT((block.x.rowwise().sum() - block.y).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(QueriedSamples, QueriesAreFloat32NumbersWhateverTheBatch) {
  ShortOfBreath one(7), other(1000);
  Asking ask_one(one, 64), ask_other(other, 64);
  QueriedSamples a(ask_one, standard, options_for({})), b(ask_other, standard, options_for({}));
  a.grow(200, Control(1));
  b.grow(200, Control(1));
  EXPECT_EQ(all_x(a), all_x(b));
  EXPECT_EQ(all_x(a).cast<float>().cast<double>(), all_x(a));
}

TEST(QueriedSamples, SpoolIsTakenUpAgain) {
  const TemporaryFile spool("relucover-spool-test");
  RowMatrix first_x;
  {
    ShortOfBreath oracle(64);
    Asking asking(oracle, 64);
    QueriedSamples samples(asking, standard, options_for(spool.path));
    samples.grow(300, Control(1));
    first_x = all_x(samples);
  }
  std::ofstream(spool.path, std::ios::app | std::ios::binary) << "cut";  // a row that didn't get to its end
  ShortOfBreath oracle(64);
  Asking asking(oracle, 64);
  QueriedSamples samples(asking, standard, options_for(spool.path));
  EXPECT_EQ(samples.reused(), 300);
  samples.grow(400, Control(1));
  EXPECT_EQ(oracle.answered, 100);
  EXPECT_EQ(asking.queries(), 100);
  EXPECT_EQ(RowMatrix(all_x(samples).topRows(300)), first_x);
  BlockBuffer<double> buffer;
  const auto block = samples.read(0, 400, buffer);
  EXPECT_LT((block.x.rowwise().sum() - block.y).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(QueriedSamples, SpoolOfOtherQueriesIsRefused) {
  const TemporaryFile spool("relucover-spool-other-test");
  ShortOfBreath oracle(64);
  Asking asking(oracle, 64);
  { QueriedSamples(asking, standard, options_for(spool.path)).grow(10, Control(1)); }
  ExtractOptions other = options_for(spool.path);
  other.learn.seed = 5;
  EXPECT_THROW(QueriedSamples(asking, standard, other), DataError);
  EXPECT_THROW(QueriedSamples(asking, QueryLaw(2 * Vector::Ones(3)), options_for(spool.path)), DataError);
  std::ofstream(spool.path) << "something else\n";
  EXPECT_THROW(QueriedSamples(asking, standard, options_for(spool.path)), DataError);
}

TEST(QueriedSamples, AnswersThatAreNotNumbersAreRefused) {
  const auto oracle = callable_oracle([](const RowMatrix& x) { return RowMatrix(x / 0.0); });
  Asking asking(*oracle, 64);
  QueriedSamples samples(asking, standard, options_for({}));
  EXPECT_THROW(samples.grow(10, Control(1)), DataError);
}

}  // namespace
}  // namespace relucover
