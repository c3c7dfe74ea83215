// Several ranks give the bytes that one process gives, and stop together.
#include <gtest/gtest.h>

#include "core/archive.hpp"
#include "reduce/reduce.hpp"
#include "support/planted.hpp"
#include "support/thread_ranks.hpp"

namespace relucover {
namespace {

struct Total {
  using Scalar = double;
  Matrix gram = Matrix::Zero(4, 4);
  Index rows = 0;
  void add(const Block<double>& block) {
    gram += block.x.transpose() * block.x;
    rows += block.rows();
  }
  void fields(auto& visit) { visit(gram, rows); }
};

class Ranks : public testing::TestWithParam<int> {};

TEST_P(Ranks, SumToTheLastBit) {
  for (const Index samples : {100, 1024, 1025, 9000, 70001}) {
    const auto source = synthetic_samples(planted_network({.inputs = 4, .units = 2}), {.samples = samples});
    const Total alone = reduce(*source, Total{}, Control(1));
    test::ThreadRanks ranks(GetParam());
    ranks.run([&](const Communicator& rank) {
      const Total together = reduce(*source, Total{}, Control(1).with_ranks(&rank));
      EXPECT_EQ(together.rows, samples);
      EXPECT_EQ(together.gram, alone.gram) << samples << " samples, rank " << rank.rank();
    });
  }
}

TEST_P(Ranks, LearnTheSameBytes) {
  const auto problem = test::planted({.inputs = 8, .units = 4, .seed = 3}, {.samples = 6000});
  for (const double noise : {0.0, 0.1}) {
    const auto noisy = test::planted({.inputs = 8, .units = 4, .seed = 3}, {.samples = 6000, .noise = noise});
    const Result alone = learn(noisy.samples, {.units = 4, .threads = 1});
    test::ThreadRanks ranks(GetParam());
    ranks.run([&](const Communicator& rank) {
      const Result together = learn(noisy.samples, {.units = 4, .threads = 1, .ranks = &rank});
      EXPECT_EQ(together.status, alone.status);
      EXPECT_EQ(together.network.W, alone.network.W);
      EXPECT_EQ(together.network.b, alone.network.b);
      EXPECT_EQ(together.network.A, alone.network.A);
    });
  }
}

TEST_P(Ranks, StopTogether) {
  const auto problem = test::planted({.inputs = 20, .units = 10, .seed = 3}, {.samples = 20000});
  class StopsSoon : public Observer {
   public:
    void progress(std::string_view, double, std::string_view) override {}
    bool cancelled() const override { return ++asked_ > 40; }

   private:
    mutable std::atomic<int> asked_{0};
  };
  test::ThreadRanks ranks(GetParam());
  ranks.run([&](const Communicator& rank) {
    StopsSoon stops;
    const bool last = rank.rank() == rank.size() - 1;  // only this one is told
    const Result result = learn(problem.samples, {.units = 10, .threads = 1, .observer = last ? &stops : nullptr, .ranks = &rank});
    EXPECT_EQ(result.status, Status::budget_exhausted);
  });
}

INSTANTIATE_TEST_SUITE_P(Some, Ranks, testing::Values(2, 3, 5));

TEST(Subtrees, CoverAllChunksOnceAndFitTheTree) {
  for (Index chunks = 1; chunks <= 40; ++chunks)
    for (int size = 1; size <= 7; ++size) {
      Index next = 0;
      for (int rank = 0; rank < size; ++rank)
        for (const Subtree& part : subtrees_of_rank(chunks, rank, size)) {
          EXPECT_EQ(part.first, next);
          EXPECT_EQ(part.chunks & (part.chunks - 1), 0);
          EXPECT_EQ(part.first % part.chunks, 0);
          next += part.chunks;
        }
      EXPECT_EQ(next, chunks);
    }
}

TEST(Archive, GivesBackWhatWasPackedAndRefusesTruncation) {
  const Matrix matrix = Matrix::Random(3, 5);
  const std::vector<std::string> words = {"a", "", "bcd"};
  const std::string bytes = pack(matrix, words, Index{7}, true);
  Matrix other;
  std::vector<std::string> more;
  Index number = 0;
  bool flag = false;
  unpack(bytes, other, more, number, flag);
  EXPECT_EQ(other, matrix);
  EXPECT_EQ(more, words);
  EXPECT_EQ(number, 7);
  EXPECT_TRUE(flag);
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_THROW(unpack(std::string_view(bytes).substr(0, length), other, more, number, flag), std::runtime_error);
}

}  // namespace
}  // namespace relucover
