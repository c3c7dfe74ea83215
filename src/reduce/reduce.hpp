#pragma once
// The one way to visit data. Everything that touches all samples is a sum over them.
//
// A reduction is a value with
//   using Scalar = double (or float: the precision it wants blocks in);
//   void add(const Block<Scalar>& block);
//   void merge(const Reduction& other);
// `reduce` copies the given empty reduction, adds every block to one of the copies and merges these along a binary tree.
// The cut into chunks and the tree depend on the data's size alone, so the answer is the same to the last bit for any
// number of threads.
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/blas.hpp"
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
  void push(std::unique_ptr<Reduction> chunk) {
    partials_.push_back({std::move(chunk), 1});
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

/// Sums `empty` over the samples [begin, end) of the source.
template <class Reduction>
Reduction reduce(const SampleSource& source, const Reduction& empty, const Control& control, Index begin, Index end) {
  const Cut cut(end - begin, source.inputs() + source.outputs());
  if (cut.samples <= 0) return empty;
  const SingleThreadedBlas single_threaded;
  Recycled<Reduction> recycled;
  OrderedMerge<Reduction> merged(recycled);
  const Index chunks = cut.chunks();
  const auto add_chunk = [&](Index chunk) {
    auto part = recycled.take(empty);
    reduce_chunk(source, cut, chunk, begin, *part);
    return part;
  };
  if (control.threads() == 1 || chunks == 1) {
    for (Index chunk = 0; chunk < chunks; ++chunk) {
      control.check();
      merged.push(add_chunk(chunk));
    }
    return merged.finish();
  }
  using Part = std::shared_ptr<std::unique_ptr<Reduction>>;  // pipeline tokens must be copyable
  Index next = 0;
  // More workers than cores would only make TBB print a warning.
  tbb::task_arena arena(std::min(control.threads(), tbb::this_task_arena::max_concurrency()));
  arena.execute([&] {
    tbb::parallel_pipeline(
        static_cast<std::size_t>(2 * control.threads()),
        tbb::make_filter<void, Index>(tbb::filter_mode::serial_in_order,
                                      [&](tbb::flow_control& flow) -> Index {
                                        if (next == chunks) {
                                          flow.stop();
                                          return 0;
                                        }
                                        control.check();
                                        return next++;
                                      }) &
            tbb::make_filter<Index, Part>(
                tbb::filter_mode::parallel,
                [&](Index chunk) { return std::make_shared<std::unique_ptr<Reduction>>(add_chunk(chunk)); }) &
            tbb::make_filter<Part, void>(tbb::filter_mode::serial_in_order,
                                         [&](const Part& part) { merged.push(std::move(*part)); }));
  });
  return merged.finish();
}

template <class Reduction>
Reduction reduce(const SampleSource& source, const Reduction& empty, const Control& control) {
  return reduce(source, empty, control, 0, source.samples());
}

}  // namespace relucover
