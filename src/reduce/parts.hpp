#pragma once
// How samples are cut, added and merged, for reductions of any kind.
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "relucover/communicator.hpp"
#include "relucover/progress.hpp"
#include "relucover/samples.hpp"

namespace relucover {

/// How samples are cut: at most `max_chunks` chunks, each added block by block.
struct Cut {
  static constexpr Index max_chunks = 32;
  Index samples;
  Index chunk_rows;
  Index block_rows;
  Cut(Index samples, Index columns);
  Index chunks() const { return (samples + chunk_rows - 1) / chunk_rows; }
};

/// A copy of a reduction that some of the samples are added to. Threads, ranks and the tree know it only by this.
class Part {
 public:
  virtual ~Part() = default;
  /// An empty one.
  virtual std::unique_ptr<Part> another() const = 0;
  /// Makes this one empty.
  virtual void clear() = 0;
  /// Adds the samples [first, first + rows), so many at once.
  virtual void add(const SampleSource& source, Index first, Index rows, Index at_once) = 0;
  virtual void merge(const Part& other) = 0;
  /// Whether it can travel between ranks.
  virtual bool packs() const = 0;
  virtual std::string packed() const = 0;
  virtual void unpack_from(const std::string& bytes) = 0;
};

/// Parts that were merged away, to be filled again: a large one is costly to allocate for every chunk.
class Recycled {
 public:
  explicit Recycled(const Part& kind) : kind_(kind) {}
  std::unique_ptr<Part> take();
  void give(std::unique_ptr<Part> used);

 private:
  const Part& kind_;
  std::mutex guard_;
  std::vector<std::unique_ptr<Part>> spare_;
};

/// Merges chunks that arrive in order along a binary tree, keeping at most one partial per level.
class OrderedMerge {
 public:
  explicit OrderedMerge(Recycled& recycled) : recycled_(recycled) {}
  /// `weight` chunks in one: a power of two that divides the number of chunks before it.
  void push(std::unique_ptr<Part> chunk, Index weight = 1);
  std::unique_ptr<Part> finish();

 private:
  struct Partial {
    std::unique_ptr<Part> value;
    Index weight;
  };
  void merge_last();
  Recycled& recycled_;
  std::vector<Partial> partials_;
};

/// The chunks of one rank, cut in whole subtrees of the tree that one process would merge along.
struct Subtree {
  Index first, chunks;
};
std::vector<Subtree> subtrees_of_rank(Index chunks, int rank, int ranks);

/// Does pieces of work that don't know of each other, 0 to count - 1, on so many threads.
void in_parallel(Index count, int threads, const std::function<void(Index)>& work);

/// Sums parts of the given kind over the samples [begin, end) of the source.
std::unique_ptr<Part> reduce_parts(const SampleSource& source, const Part& kind, const Control& control, Index begin, Index end);

}  // namespace relucover
