#include "reduce/cut.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace relucover {

namespace {
constexpr Index smallest_block = 256;
constexpr Index smallest_chunk = 1024;   // or merging would cost more than adding
constexpr Index enough_rows = 4096;      // of a chunk: merging it costs a hundredth of adding it
constexpr Index block_values = 1 << 16;  // half a megabyte of doubles: stays in the second-level cache

Index rows_of_each(Index samples, Index chunks) { return (samples + chunks - 1) / chunks; }
}  // namespace

Cut::Cut(Index samples_, Index columns) : samples(samples_) {
  const Index wanted = std::max(std::min(rows_of_each(samples, few_chunks), enough_rows), rows_of_each(samples, most_chunks));
  chunk_rows = std::max<Index>(smallest_chunk, (wanted + smallest_block - 1) / smallest_block * smallest_block);
  block_rows = std::clamp<Index>(block_values / std::max<Index>(columns, 1) / smallest_block * smallest_block, smallest_block, chunk_rows);
}

Index ChunkNode::middle() const { return first + static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(chunks() - 1))); }

Index RankShares::begin(int rank) const {
  if (rank == ranks_) return chunks_;
  const Index fair = (chunks_ * rank + ranks_ - 1) / ranks_;
  const Index slack = chunks_ / (16 * static_cast<Index>(ranks_));
  if (rank == 0 || slack == 0) return fair;
  // The multiple of the largest power of two nearby: there the largest subtree begins.
  Index begin = fair;
  for (Index step = 1; step <= 2 * chunks_; step *= 2) {
    const Index candidate = (fair + step / 2) / step * step;
    if (candidate >= fair - slack && candidate <= fair + slack) begin = candidate;
  }
  return begin;
}

int RankShares::owner(Index chunk) const {
  int low = 0, high = ranks_;  // begin(low) <= chunk < begin(high)
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    (begin(middle) <= chunk ? low : high) = middle;
  }
  return low;
}

std::vector<ChunkNode> RankShares::nodes_of(int rank) const {
  const ChunkNode share = of(rank);
  std::vector<ChunkNode> nodes;
  const auto visit = [&](const auto& self, const ChunkNode& node) -> void {
    if (node.last <= share.first || node.first >= share.last) return;
    if (share.first <= node.first && node.last <= share.last) {
      nodes.push_back(node);
      return;
    }
    self(self, node.left());
    self(self, node.right());
  };
  if (chunks_ > 0) visit(visit, root());
  return nodes;
}

}  // namespace relucover
