#include "decompose/consensus.hpp"

#include <gtest/gtest.h>

#include "core/random.hpp"

namespace relucover {
namespace {

/// A relu(W x) of the given rank, a share of the entries replaced.
struct Corrupted {
  Matrix clean, given;
};
Corrupted corrupted(Index rows, Index rank, Index columns, double share, std::uint64_t seed) {
  RandomStream random(seed, purpose::study);
  Corrupted made;
  made.clean =
      random.normal_matrix(rows, rank) * (random.normal_matrix(rank, rank + 3) * random.normal_matrix(rank + 3, columns)).cwiseMax(0);
  made.given = made.clean;
  for (double& value : made.given.reshaped())
    if (random.uniform() < share) value = 10 * random.normal();
  return made;
}

TEST(Consensus, FindsRankAndLabelsOfThreeRowsForEachRank) {
  for (const auto& [rows, rank, share] : {std::tuple{12, 4, 0.15}, std::tuple{9, 3, 0.15}, std::tuple{31, 4, 0.2}}) {
    for (const std::uint64_t seed : {1, 2, 3}) {
      const Corrupted data = corrupted(rows, rank, 800, share, seed);
      const Consensus found = consensus_factors(data.given, Control(1), {.seed = seed});
      ASSERT_EQ(found.rank, rank) << rows << " rows, seed " << seed;
      const Matrix answer = found.left * found.right;
      Index right = 0;
      for (Index j = 0; j < answer.cols(); ++j) {
        if (found.agrees.col(j).count() < rank + 2) continue;
        ++right;
        EXPECT_LT((answer.col(j) - data.clean.col(j)).cwiseAbs().maxCoeff(), 1e-7) << "column " << j;
      }
      EXPECT_GT(right, 750);
    }
  }
}

TEST(Consensus, OfNoiseIsNone) {
  RandomStream random(5, purpose::study);
  EXPECT_EQ(consensus_factors(random.normal_matrix(10, 300), Control(1), {.max_rank = 4, .draws = 20'000}).rank, 0);
}

}  // namespace
}  // namespace relucover
