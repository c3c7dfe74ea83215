// Several ranks give the bytes that one process gives, and stop together.
#include <gtest/gtest.h>

#include <cmath>

#include "core/archive.hpp"
#include "reduce/cut.hpp"
#include "reduce/reduce.hpp"
#include "support/planted.hpp"
#include "support/thread_ranks.hpp"
#include "support/vector_sum.hpp"

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

void expect_sums_to_the_last_bit(int size, test::RankTalk talk, const std::vector<Index>& sizes) {
  for (const Index samples : sizes) {
    const auto source = synthetic_samples(planted_network({.inputs = 4, .units = 2}), {.samples = samples});
    const Total alone = reduce(*source, Total{}, Control(1));
    test::ThreadRanks ranks(size, talk);
    ranks.run([&](const Communicator& rank) {
      const Total together = reduce(*source, Total{}, Control(rank.rank() % 3 + 1).with_ranks(&rank));
      EXPECT_EQ(together.rows, samples);
      EXPECT_EQ(together.gram, alone.gram) << samples << " samples, rank " << rank.rank();
    });
  }
}

class Ranks : public testing::TestWithParam<int> {};

TEST_P(Ranks, SumToTheLastBit) {
  for (const auto talk : {test::RankTalk::gather_only, test::RankTalk::messages})
    expect_sums_to_the_last_bit(GetParam(), talk, {100, 1024, 1025, 9000, 70001, 300000});
}

TEST(ManyRanks, SumToTheLastBit) {
  expect_sums_to_the_last_bit(40, test::RankTalk::messages, {3000, 9000, 300000});
  expect_sums_to_the_last_bit(64, test::RankTalk::messages, {9000, 300000});
  expect_sums_to_the_last_bit(64, test::RankTalk::gather_only, {9000});
}

TEST_P(Ranks, LearnTheSameBytes) {
  const auto problem = test::planted({.inputs = 8, .units = 4, .seed = 3}, {.samples = 6000});
  for (const double noise : {0.0, 0.1}) {
    const auto noisy = test::planted({.inputs = 8, .units = 4, .seed = 3}, {.samples = 6000, .noise = noise});
    const Result alone = learn(noisy.samples, {.units = 4, .threads = 1});
    test::ThreadRanks ranks(GetParam(), test::RankTalk::messages);
    ranks.run([&](const Communicator& rank) {
      const Result together = learn(noisy.samples, {.units = 4, .threads = 1, .ranks = &rank});
      EXPECT_EQ(together.status, alone.status);
      EXPECT_EQ(together.network.W, alone.network.W);
      EXPECT_EQ(together.network.b, alone.network.b);
      EXPECT_EQ(together.network.A, alone.network.A);
    });
  }
}

TEST_P(Ranks, LearnLayersWithTheSameBytes) {
  const auto samples = synthetic_samples(planted_deep_network({.inputs = 3, .layers = {3, 2}, .seed = 2}), {.samples = 4000, .seed = 2});
  const LearnOptions options{.layers = {3, 2}, .threads = 1, .starts = 2};
  const Result alone = learn(*samples, options);
  ASSERT_TRUE(alone.usable()) << alone.brief();
  test::ThreadRanks(GetParam(), test::RankTalk::messages).run([&](const Communicator& rank) {
    LearnOptions shared = options;
    shared.ranks = &rank;
    const Result together = learn(*samples, shared);
    EXPECT_EQ(together.message, alone.message);
    ASSERT_EQ(together.network.upper.size(), alone.network.upper.size());
    EXPECT_EQ(together.network.W, alone.network.W);
    EXPECT_EQ(together.network.b, alone.network.b);
    EXPECT_EQ(together.network.upper.front().W, alone.network.upper.front().W);
    EXPECT_EQ(together.network.A, alone.network.A);
  });
}

class StopsSoon : public Observer {
 public:
  explicit StopsSoon(int questions) : questions_(questions) {}
  void progress(std::string_view, double, std::string_view) override {}
  bool cancelled() const override { return ++asked_ > questions_; }

 private:
  int questions_;
  mutable std::atomic<int> asked_{0};
};

TEST_P(Ranks, StopTogether) {
  const auto problem = test::planted({.inputs = 20, .units = 10, .seed = 3}, {.samples = 20000});
  for (const auto talk : {test::RankTalk::gather_only, test::RankTalk::messages}) {
    test::ThreadRanks ranks(GetParam(), talk);
    ranks.run([&](const Communicator& rank) {
      StopsSoon stops(40);
      const bool last = rank.rank() == rank.size() - 1;  // only this one is told
      const Result result = learn(problem.samples, {.units = 10, .threads = 1, .observer = last ? &stops : nullptr, .ranks = &rank});
      EXPECT_EQ(result.status, Status::budget_exhausted);
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Some, Ranks, testing::Values(2, 3, 5));

TEST(ManyRanks, StopTogetherEvenIfTheOneThatIsToldHasNoWork) {
  const auto source = synthetic_samples(planted_network({.inputs = 4, .units = 2}), {.samples = 5000});  // five chunks
  for (const auto talk : {test::RankTalk::gather_only, test::RankTalk::messages})
    for (int told = 0; told < 23; ++told) {
      test::ThreadRanks ranks(23, talk);
      ranks.run([&](const Communicator& rank) {
        StopsSoon stops(0);
        const Control control = Control(1, 1e9, rank.rank() == told ? &stops : nullptr).with_ranks(&rank);
        try {
          reduce(*source, Total{}, control);
          ADD_FAILURE() << "rank " << rank.rank() << " goes on";
        } catch (const Interrupted& stop) {
          EXPECT_EQ(std::string(stop.what()), rank.rank() == told ? "cancelled" : "rank " + std::to_string(told) + " stopped: cancelled");
        }
      });
    }
}

/// The most that one rank sends and receives for one sum of `size` numbers.
test::Traffic most_traffic(int ranks, Index samples, Index size) {
  const auto source = synthetic_samples(planted_network({.inputs = 1, .units = 1}), {.samples = samples});
  test::ThreadRanks all(ranks, test::RankTalk::messages);
  all.run([&](const Communicator& rank) { reduce(*source, test::VectorSum(size), Control(1).with_ranks(&rank)); });
  test::Traffic most;
  for (const test::Traffic& of : all.traffic()) most = {std::max(most.messages, of.messages), std::max(most.bytes, of.bytes)};
  return most;
}

TEST(ManyRanks, SendAndReceiveFourTimesTheLogarithmOfTheirNumberAtMost) {
  constexpr Index size = 1000;
  const auto expect_few = [&](int ranks, Index samples, double times) {
    const test::Traffic most = most_traffic(ranks, samples, size);
    EXPECT_LE(static_cast<double>(most.messages), times) << ranks << " ranks, " << samples << " samples";
    EXPECT_LE(static_cast<double>(most.bytes), 1.01 * 8 * size * times) << ranks << " ranks, " << samples << " samples";
  };
  // Between few ranks, whose shares are cut of many nodes, it is those nodes.
  for (const int ranks : {2, 3, 4, 5, 7})
    for (Index chunks = 2; chunks < 90; chunks += 5) expect_few(ranks, chunks <= 32 ? 1024 * chunks : 4096 * chunks, 10);
  for (const int ranks : {8, 9, 13, 21})
    for (Index chunks = 2; chunks < 90; chunks += 5) expect_few(ranks, chunks <= 32 ? 1024 * chunks : 4096 * chunks, 4 * std::log2(ranks));
  for (const int ranks : {64, 777, 1024}) expect_few(ranks, 300'000, 4 * std::log2(ranks));
  expect_few(1024, 5'000'000, 4 * std::log2(1024));
}

TEST(ManyRanks, GatherAndBroadcastByMessages) {
  for (const int size : {1, 2, 3, 8, 13}) {
    test::ThreadRanks ranks(size, test::RankTalk::messages);
    ranks.run([&](const Communicator& rank) {
      const auto all = rank.all_gather("rank " + std::to_string(rank.rank()));
      ASSERT_EQ(all.size(), static_cast<std::size_t>(size));
      for (int other = 0; other < size; ++other) EXPECT_EQ(all[static_cast<std::size_t>(other)], "rank " + std::to_string(other));
      EXPECT_EQ(rank.broadcast(rank.rank() == 0 ? "told" : "not looked at"), "told");
    });
  }
}

TEST(RankShares, CoverAllChunksInOrderAlikeAndInFewNodes) {
  for (const Index chunks : {1, 2, 5, 31, 32, 40, 245, 1024, 8000, 8192})
    for (const int size : {1, 2, 3, 5, 7, 40, 64, 1000, 1024}) {
      const RankShares shares(chunks, size);
      const double fair = static_cast<double>(chunks) / size;
      Index next = 0;
      for (int rank = 0; rank < size; ++rank) {
        const ChunkNode share = shares.of(rank);
        EXPECT_EQ(share.first, next);
        for (const ChunkNode& node : shares.nodes_of(rank)) {
          EXPECT_EQ(node.first, next);
          next = node.last;
        }
        EXPECT_EQ(next, share.last);
        EXPECT_LE(static_cast<double>(share.chunks()), std::max(std::ceil(fair), 1.125 * fair));
        for (Index chunk = share.first; chunk < share.last; ++chunk) EXPECT_EQ(shares.owner(chunk), rank);
        if ((size & (size - 1)) == 0 && (chunks & (chunks - 1)) == 0) {
          EXPECT_LE(shares.nodes_of(rank).size(), 1U);
        }
      }
      EXPECT_EQ(next, chunks);
    }
}

TEST(Cut, GivesEveryRankWorkFromAMillionSamplesOnAndFewChunksToFew) {
  for (const Index samples : {1'000'000, 1 << 20, 3'000'000, 100'000'000})
    for (const int size : {2, 40, 64}) {
      const RankShares shares(Cut(samples, 5).chunks(), size);
      for (int rank = 0; rank < size; ++rank) EXPECT_GT(shares.of(rank).chunks(), 0);
    }
  EXPECT_EQ(Cut(1024, 5).chunks(), 1);
  EXPECT_LE(Cut(100'000, 5).chunks(), 32);
  EXPECT_GE(Cut(Index{10'000'000'000}, 5).chunks(), 4096);
  EXPECT_LE(Cut(Index{10'000'000'000}, 5).chunks(), Cut::most_chunks);
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
