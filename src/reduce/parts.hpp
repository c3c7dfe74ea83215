#pragma once
// How samples are added and merged, for reductions of any kind.
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "relucover/progress.hpp"
#include "relucover/samples.hpp"

namespace relucover {

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
  virtual void unpack_from(std::string_view bytes) = 0;
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
  void push(std::unique_ptr<Part> chunk);
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

/// Does pieces of work that don't know of each other, 0 to count - 1, on so many threads.
void in_parallel(Index count, int threads, const std::function<void(Index)>& work);

/// Sums parts of the given kind over the samples [begin, end) of the source.
std::unique_ptr<Part> reduce_parts(const SampleSource& source, const Part& kind, const Control& control, Index begin, Index end);

}  // namespace relucover
