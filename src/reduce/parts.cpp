#include "reduce/parts.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <map>

#include "core/archive.hpp"
#include "core/blas.hpp"

namespace relucover {

namespace {
constexpr Index smallest_block = 256;
constexpr Index smallest_chunk = 1024;  // or merging would cost more than adding
constexpr Index block_values = 1 << 16;  // half a megabyte of doubles: stays in the second-level cache
}  // namespace

Cut::Cut(Index samples_, Index columns) : samples(samples_) {
  const Index per_chunk = (samples + max_chunks - 1) / max_chunks;
  chunk_rows = std::max<Index>(smallest_chunk, (per_chunk + smallest_block - 1) / smallest_block * smallest_block);
  block_rows = std::clamp<Index>(block_values / std::max<Index>(columns, 1) / smallest_block * smallest_block,
                                 smallest_block, chunk_rows);
}

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

void OrderedMerge::push(std::unique_ptr<Part> chunk, Index weight) {
  partials_.push_back({std::move(chunk), weight});
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

std::vector<Subtree> subtrees_of_rank(Index chunks, int rank, int ranks) {
  const Index last = chunks * (rank + 1) / ranks;
  std::vector<Subtree> parts;
  for (Index at = chunks * rank / ranks; at < last;) {
    Index size = 1;
    while (at % (2 * size) == 0 && at + 2 * size <= last) size *= 2;
    parts.push_back({at, size});
    at += size;
  }
  return parts;
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

}  // namespace

void in_parallel(Index count, int threads, const std::function<void(Index)>& work) {
  arena_of(threads).execute([&] { tbb::parallel_for(Index{0}, count, work); });
}

namespace {

/// The samples from `offset` on, cut; what is added to, and by how many threads.
struct Work {
  const SampleSource& source;
  const Cut& cut;
  Index offset;
  Recycled& recycled;
  int threads;

  std::unique_ptr<Part> add_chunk(Index chunk) const {
    auto part = recycled.take();
    const Index begin = chunk * cut.chunk_rows;
    part->add(source, offset + begin, std::min(cut.chunk_rows, cut.samples - begin), cut.block_rows);
    return part;
  }

  /// Adds the chunks [first, last) in order, on all threads. `check` may throw to stop.
  template <class Check>
  void add_chunks(Index first, Index last, const Check& check, OrderedMerge& merged) const {
    if (threads == 1 || last - first == 1) {
      for (Index chunk = first; chunk < last; ++chunk) {
        check();
        merged.push(add_chunk(chunk));
      }
      return;
    }
    using Token = std::shared_ptr<std::unique_ptr<Part>>;  // pipeline tokens must be copyable
    Index next = first;
    arena_of(threads).execute([&] {
      const auto number = tbb::make_filter<void, Index>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& flow) -> Index {
        if (next == last) {
          flow.stop();
          return 0;
        }
        check();
        return next++;
      });
      const auto add = tbb::make_filter<Index, Token>(
          tbb::filter_mode::parallel, [&](Index chunk) { return std::make_shared<std::unique_ptr<Part>>(add_chunk(chunk)); });
      const auto merge = tbb::make_filter<Token, void>(tbb::filter_mode::serial_in_order,
                                                       [&](const Token& part) { merged.push(std::move(*part)); });
      tbb::parallel_pipeline(static_cast<std::size_t>(2 * threads), number & add & merge);
    });
  }
};

/// Everybody's packed subtrees, in order. If some rank could not do its part (`trouble` says why), all throw.
std::vector<std::vector<std::string>> exchange(const Communicator& ranks, const std::vector<std::string>& mine,
                                               const std::string& trouble, std::exception_ptr own) {
  const std::vector<std::string> everybody = ranks.all_gather(pack(trouble, mine));
  if (own) std::rethrow_exception(own);
  std::vector<std::vector<std::string>> parts(everybody.size());
  for (std::size_t rank = 0; rank < everybody.size(); ++rank) {
    std::string theirs;
    unpack(everybody[rank], theirs, parts[rank]);
    if (!theirs.empty()) throw Interrupted(fmt::format("rank {} stopped: {}", rank, theirs));
  }
  return parts;
}

std::unique_ptr<Part> reduce_over_ranks(const Work& work, const Part& kind, const Control& control) {
  const Communicator& ranks = *control.ranks();
  const Index chunks = work.cut.chunks();
  std::vector<std::string> mine;
  std::string trouble;
  std::exception_ptr own;
  try {
    control.check_here();
    for (const Subtree& subtree : subtrees_of_rank(chunks, ranks.rank(), ranks.size())) {
      OrderedMerge merged(work.recycled);
      work.add_chunks(subtree.first, subtree.first + subtree.chunks, [&] { control.check_here(); }, merged);
      mine.push_back(merged.finish()->packed());
    }
  } catch (const std::exception& error) {
    trouble = error.what();
    own = std::current_exception();
  }
  const auto all = exchange(ranks, mine, trouble, own);
  OrderedMerge merged(work.recycled);
  for (int rank = 0; rank < ranks.size(); ++rank) {
    const auto subtrees = subtrees_of_rank(chunks, rank, ranks.size());
    for (std::size_t k = 0; k < subtrees.size(); ++k) {
      auto part = kind.another();
      part->unpack_from(all[static_cast<std::size_t>(rank)][k]);
      merged.push(std::move(part), subtrees[k].chunks);
    }
  }
  return merged.finish();
}

}  // namespace

std::unique_ptr<Part> reduce_parts(const SampleSource& source, const Part& kind, const Control& control, Index begin, Index end) {
  const Cut cut(end - begin, source.inputs() + source.outputs());
  if (cut.samples <= 0) return kind.another();
  const SingleThreadedBlas single_threaded;
  Recycled recycled(kind);
  const Work work{source, cut, begin, recycled, control.threads()};
  if (control.ranks() != nullptr && cut.chunks() > 1 && kind.packs()) return reduce_over_ranks(work, kind, control);
  OrderedMerge merged(recycled);
  work.add_chunks(0, cut.chunks(), [&] { control.check(); }, merged);
  return merged.finish();
}

}  // namespace relucover
