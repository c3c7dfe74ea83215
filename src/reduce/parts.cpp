#include "reduce/parts.hpp"

#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <map>
#include <optional>

#include "core/blas.hpp"
#include "reduce/cut.hpp"
#include "reduce/handover.hpp"
#include "reduce/rank_exchange.hpp"

namespace relucover {

std::unique_ptr<Part> Recycled::take() {
  std::unique_ptr<Part> reused;
  {
    const std::lock_guard lock(guard_);
    if (!spare_.empty()) {
      reused = std::move(spare_.back());
      spare_.pop_back();
    }
  }
  if (!reused) return kind_.another();
  reused->clear();
  return reused;
}

void Recycled::give(std::unique_ptr<Part> used) {
  const std::lock_guard lock(guard_);
  spare_.push_back(std::move(used));
}

void OrderedMerge::push(std::unique_ptr<Part> chunk) {
  partials_.push_back({std::move(chunk), 1});
  while (partials_.size() > 1 && partials_.back().weight == partials_[partials_.size() - 2].weight) merge_last();
}

std::unique_ptr<Part> OrderedMerge::finish() {
  while (partials_.size() > 1) merge_last();
  return std::move(partials_.front().value);
}

void OrderedMerge::merge_last() {
  Partial& left = partials_[partials_.size() - 2];
  left.value->merge(*partials_.back().value);
  left.weight += partials_.back().weight;
  recycled_.give(std::move(partials_.back().value));
  partials_.pop_back();
}

namespace {

/// The workers for this many threads, made once: TBB keeps some memory of every arena that ever was.
tbb::task_arena& arena_of(int threads) {
  static std::mutex guard;
  static std::map<int, tbb::task_arena> arenas;
  const std::lock_guard lock(guard);
  // More workers than cores would only make TBB print a warning.
  const int workers = std::min(threads, tbb::this_task_arena::max_concurrency());
  return arenas.try_emplace(workers, workers).first->second;
}

/// Hands on `next` and what follows it, up to `last`.
auto numbers_up_to(Index last, Index& next) {
  return tbb::make_filter<void, Index>(tbb::filter_mode::serial_in_order, [last, &next](tbb::flow_control& flow) -> Index {
    const Handover task;
    if (next == last) {
      flow.stop();
      return 0;
    }
    return next++;
  });
}

/// Not parallel_for: its last worker is still in its headers, and in the stack of this thread, when this thread goes on, which the thread
/// sanitizer can't be told of. Pipelines are inside TBB.
void run_pipeline(const tbb::filter<void, void>& stages, Index at_once, int threads) {
  // A worker does it where the caller's place among the workers is taken: by another caller.
  const auto pipeline = [&] {
    const Handover task;
    tbb::parallel_pipeline(static_cast<std::size_t>(at_once), stages);
  };
  const HandoversAround tasks;
  arena_of(threads).execute(pipeline);
}

}  // namespace

void in_parallel(Index count, int threads, const std::function<void(Index)>& work) {
  if (threads == 1 || count <= 1) {
    for (Index i = 0; i < count; ++i) work(i);
    return;
  }
  Index next = 0;
  const HandoversAround stages;  // TBB keeps them in memory that goes from caller to caller
  const auto each = tbb::make_filter<Index, void>(tbb::filter_mode::parallel, [&](Index i) {
    const Handover task;
    work(i);
  });
  run_pipeline(numbers_up_to(count, next) & each, threads, threads);
}

namespace {

/// The samples from `offset` on, cut; what is added to, and by how many threads.
struct Work {
  const SampleSource& source;
  const Cut& cut;
  Index offset;
  Recycled& recycled;
  int threads;

  /// `check` is asked after every few blocks: a chunk of large data takes long.
  template <class Check>
  std::unique_ptr<Part> add_chunk(Index chunk, const Check& check) const {
    constexpr Index few_blocks = 4;
    auto part = recycled.take();
    const Index begin = chunk * cut.chunk_rows, end = std::min(begin + cut.chunk_rows, cut.samples);
    const Index step = few_blocks * cut.block_rows;
    for (Index first = begin; first < end; first += step) {
      check();
      part->add(source, offset + first, std::min(step, end - first), cut.block_rows);
    }
    return part;
  }

  /// Adds the chunks [first, last) on all threads, and hands them on in order. `check` may throw to stop, on any thread.
  template <class Check, class Take>
  void add_chunks(Index first, Index last, const Check& check, const Take& take) const {
    if (threads == 1 || last - first <= 1) {
      for (Index chunk = first; chunk < last; ++chunk) take(add_chunk(chunk, check));
      return;
    }
    // Parts wait here, and not in the pipeline's tokens, which TBB forgets where it is stopped. Chunks are taken in order, and no more than
    // `at_once` are under way: each has a place of its own.
    const Index at_once = 2 * threads;
    std::vector<std::unique_ptr<Part>> waiting(static_cast<std::size_t>(at_once));
    const auto place_of = [&](Index chunk) -> std::unique_ptr<Part>& { return waiting[static_cast<std::size_t>(chunk % at_once)]; };
    Index next = first;
    const HandoversAround stages;
    const auto add = tbb::make_filter<Index, Index>(tbb::filter_mode::parallel, [&](Index chunk) {
      const Handover task;
      place_of(chunk) = add_chunk(chunk, check);
      return chunk;
    });
    const auto merge = tbb::make_filter<Index, void>(tbb::filter_mode::serial_in_order, [&](Index chunk) {
      const Handover task;
      take(std::move(place_of(chunk)));
    });
    run_pipeline(numbers_up_to(last, next) & add & merge, at_once, threads);
  }
};

/// Adds the chunks of this rank, all of them on all threads, to one part for each node of the tree that it has.
RankWork work_of_rank(const Work& work, const RankShares& shares, int rank, const Control& control) {
  RankWork done;
  try {
    control.check_here();
    const ChunkNode share = shares.of(rank);
    const std::vector<ChunkNode> nodes = shares.nodes_of(rank);
    std::optional<OrderedMerge> merged;
    Index chunk = share.first;
    work.add_chunks(
        share.first, share.last, [&] { control.check_here(); },
        [&](std::unique_ptr<Part> part) {
          if (!merged) merged.emplace(work.recycled);
          merged->push(std::move(part));
          if (++chunk < nodes[done.parts.size()].last) return;
          done.parts.push_back(merged->finish());
          merged.reset();
        });
  } catch (...) {
    done.trouble = std::current_exception();
  }
  return done;
}

}  // namespace

std::unique_ptr<Part> reduce_parts(const SampleSource& source, const Part& kind, const Control& control, Index begin, Index end) {
  const Cut cut(end - begin, source.inputs() + source.outputs());
  if (cut.samples <= 0) return kind.another();
  const SingleThreadedBlas single_threaded;
  Recycled recycled(kind);
  const Work work{source, cut, begin, recycled, control.threads()};
  if (control.ranks() != nullptr && cut.chunks() > 1 && kind.packs()) {
    const RankShares shares(cut.chunks(), control.ranks()->size());
    return sum_over_ranks(*control.ranks(), shares, work_of_rank(work, shares, control.ranks()->rank(), control), recycled);
  }
  OrderedMerge merged(recycled);
  work.add_chunks(
      0, cut.chunks(), [&] { control.check(); }, [&](std::unique_ptr<Part> part) { merged.push(std::move(part)); });
  return merged.finish();
}

}  // namespace relucover
