#pragma once
// The one way to visit data. Everything that touches all samples is a sum over them.
//
// A reduction is a value with
//   using Scalar = double (or float: the precision it wants blocks in);
//   void add(const Block<Scalar>& block);
//   void merge(const Reduction& other);
// `reduce` copies the given empty reduction, adds every block to one of the copies and merges these along a binary tree.
// The cut into chunks and the tree depend on the data's size alone, so the answer is the same to the last bit for any
// number of threads and ranks.
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/archive.hpp"
#include "core/blas.hpp"
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

/// Reductions that were merged away, to be filled again: a large one is costly to allocate for every chunk.
template <class Reduction>
class Recycled {
 public:
  std::unique_ptr<Reduction> take(const Reduction& empty) {
    std::unique_ptr<Reduction> reused;
    {
      const std::lock_guard lock(guard_);
      if (!spare_.empty()) {
        reused = std::move(spare_.back());
        spare_.pop_back();
      }
    }
    if (!reused) return std::make_unique<Reduction>(empty);
    *reused = empty;
    return reused;
  }
  void give(std::unique_ptr<Reduction> used) {
    const std::lock_guard lock(guard_);
    spare_.push_back(std::move(used));
  }

 private:
  std::mutex guard_;
  std::vector<std::unique_ptr<Reduction>> spare_;
};

/// Merges chunks that arrive in order along a binary tree, keeping at most one partial per level.
template <class Reduction>
class OrderedMerge {
 public:
  explicit OrderedMerge(Recycled<Reduction>& recycled) : recycled_(recycled) {}
  /// `weight` chunks in one: a power of two that divides the number of chunks before it.
  void push(std::unique_ptr<Reduction> chunk, Index weight = 1) {
    partials_.push_back({std::move(chunk), weight});
    while (partials_.size() > 1 && partials_.back().weight == partials_[partials_.size() - 2].weight) merge_last();
  }
  Reduction finish() {
    while (partials_.size() > 1) merge_last();
    return std::move(*partials_.front().value);
  }

 private:
  struct Partial {
    std::unique_ptr<Reduction> value;
    Index weight;
  };
  void merge_last() {
    Partial& left = partials_[partials_.size() - 2];
    left.value->merge(*partials_.back().value);
    left.weight += partials_.back().weight;
    recycled_.give(std::move(partials_.back().value));
    partials_.pop_back();
  }
  Recycled<Reduction>& recycled_;
  std::vector<Partial> partials_;
};

template <class Reduction>
void reduce_chunk(const SampleSource& source, const Cut& cut, Index chunk, Index offset, Reduction& part) {
  BlockBuffer<typename Reduction::Scalar> buffer;
  const Index begin = chunk * cut.chunk_rows;
  const Index end = std::min(begin + cut.chunk_rows, cut.samples);
  for (Index first = begin; first < end; first += cut.block_rows)
    part.add(source.read(offset + first, std::min(cut.block_rows, end - first), buffer));
}

/// The workers for this many threads, made once: TBB keeps some memory of every arena that ever was.
tbb::task_arena& arena_of(int threads);

/// Adds the chunks [first, last) in order, on all threads. `check` may throw to stop.
template <class Reduction, class Check>
void reduce_chunks(const SampleSource& source, const Cut& cut, Index offset, Index first, Index last, const Reduction& empty,
                   int threads, const Check& check, Recycled<Reduction>& recycled, OrderedMerge<Reduction>& merged) {
  const auto add_chunk = [&](Index chunk) {
    auto part = recycled.take(empty);
    reduce_chunk(source, cut, chunk, offset, *part);
    return part;
  };
  if (threads == 1 || last - first == 1) {
    for (Index chunk = first; chunk < last; ++chunk) {
      check();
      merged.push(add_chunk(chunk));
    }
    return;
  }
  using Part = std::shared_ptr<std::unique_ptr<Reduction>>;  // pipeline tokens must be copyable
  Index next = first;
  arena_of(threads).execute([&] {
    tbb::parallel_pipeline(
        static_cast<std::size_t>(2 * threads),
        tbb::make_filter<void, Index>(tbb::filter_mode::serial_in_order,
                                      [&](tbb::flow_control& flow) -> Index {
                                        if (next == last) {
                                          flow.stop();
                                          return 0;
                                        }
                                        check();
                                        return next++;
                                      }) &
            tbb::make_filter<Index, Part>(
                tbb::filter_mode::parallel,
                [&](Index chunk) { return std::make_shared<std::unique_ptr<Reduction>>(add_chunk(chunk)); }) &
            tbb::make_filter<Part, void>(tbb::filter_mode::serial_in_order,
                                         [&](const Part& part) { merged.push(std::move(*part)); }));
  });
}

/// The chunks of one rank, cut in whole subtrees of the tree that one process would merge along.
struct Subtree {
  Index first, chunks;
};
std::vector<Subtree> subtrees_of_rank(Index chunks, int rank, int ranks);
/// Everybody's packed subtrees, in order. If some rank could not do its part (`trouble` says why), all throw.
std::vector<std::vector<std::string>> exchange(const Communicator& ranks, const std::vector<std::string>& mine,
                                               const std::string& trouble, std::exception_ptr own);

template <class Reduction>
Reduction reduce_over_ranks(const SampleSource& source, const Cut& cut, Index offset, const Reduction& empty, const Control& control) {
  const Communicator& ranks = *control.ranks();
  Recycled<Reduction> recycled;
  std::vector<std::string> mine;
  std::string trouble;
  std::exception_ptr own;
  try {
    control.check_here();
    for (const Subtree& part : subtrees_of_rank(cut.chunks(), ranks.rank(), ranks.size())) {
      OrderedMerge<Reduction> merged(recycled);
      reduce_chunks(source, cut, offset, part.first, part.first + part.chunks, empty, control.threads(),
                    [&] { control.check_here(); }, recycled, merged);
      mine.push_back(pack(merged.finish()));
    }
  } catch (const std::exception& error) {
    trouble = error.what();
    own = std::current_exception();
  }
  const auto all = exchange(ranks, mine, trouble, own);
  OrderedMerge<Reduction> merged(recycled);
  for (int rank = 0; rank < ranks.size(); ++rank) {
    const auto parts = subtrees_of_rank(cut.chunks(), rank, ranks.size());
    for (std::size_t k = 0; k < parts.size(); ++k) {
      auto part = std::make_unique<Reduction>(empty);
      unpack(all[static_cast<std::size_t>(rank)][k], *part);
      merged.push(std::move(part), parts[k].chunks);
    }
  }
  return merged.finish();
}

/// Sums `empty` over the samples [begin, end) of the source. With several ranks each adds a part, and all get the sum, if
/// the reduction lists its fields (core/archive.hpp); others are added up by every rank.
template <class Reduction>
Reduction reduce(const SampleSource& source, const Reduction& empty, const Control& control, Index begin, Index end) {
  const Cut cut(end - begin, source.inputs() + source.outputs());
  if (cut.samples <= 0) return empty;
  const SingleThreadedBlas single_threaded;
  if constexpr (Archivable<Reduction>)
    if (control.ranks() != nullptr && cut.chunks() > 1) return reduce_over_ranks(source, cut, begin, empty, control);
  Recycled<Reduction> recycled;
  OrderedMerge<Reduction> merged(recycled);
  reduce_chunks(source, cut, begin, 0, cut.chunks(), empty, control.threads(), [&] { control.check(); }, recycled, merged);
  return merged.finish();
}

template <class Reduction>
Reduction reduce(const SampleSource& source, const Reduction& empty, const Control& control) {
  return reduce(source, empty, control, 0, source.samples());
}

}  // namespace relucover
