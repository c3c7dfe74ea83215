#pragma once
// How samples are cut in chunks, the tree that chunks are merged along, and which rank adds which chunks.
#include <vector>

#include "relucover/types.hpp"

namespace relucover {

/// How samples are cut: in chunks that are added block by block. Chunks are as many as the data give work for, whoever does it.
struct Cut {
  static constexpr Index few_chunks = 32;  // of small data: enough for the threads of one machine
  static constexpr Index most_chunks = 8192;
  Index samples;
  Index chunk_rows;
  Index block_rows;
  Cut(Index samples, Index columns);
  Index chunks() const { return (samples + chunk_rows - 1) / chunk_rows; }
};

/// The chunks [first, last) as a node of the tree: its left child is the largest power of two of them that leaves something.
struct ChunkNode {
  Index first, last;
  Index chunks() const { return last - first; }
  Index middle() const;
  ChunkNode left() const { return {first, middle()}; }
  ChunkNode right() const { return {middle(), last}; }
};

/// Which chunks every rank adds: in order, alike up to an eighth of a share, and where that is possible whole subtrees.
class RankShares {
 public:
  RankShares(Index chunks, int ranks) : chunks_(chunks), ranks_(ranks) {}
  Index begin(int rank) const;
  ChunkNode of(int rank) const { return {begin(rank), begin(rank + 1)}; }
  int owner(Index chunk) const;
  /// The last rank with chunks among those before `rank` (the first rank always has some).
  int owner_before(int rank) const { return owner(begin(rank) - 1); }
  /// Whether this is one of the ranks without chunks that follow `first`.
  bool idle(int rank, int first) const { return rank < ranks_ && owner_before(rank + 1) == first; }
  ChunkNode root() const { return {0, chunks_}; }
  /// The largest nodes of the tree that the rank has alone, in order.
  std::vector<ChunkNode> nodes_of(int rank) const;

 private:
  Index chunks_;
  int ranks_;
};

}  // namespace relucover
