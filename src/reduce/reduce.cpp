#include "reduce/reduce.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

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

tbb::task_arena& arena_of(int threads) {
  static std::mutex guard;
  static std::map<int, tbb::task_arena> arenas;
  const std::lock_guard lock(guard);
  // More workers than cores would only make TBB print a warning.
  const int workers = std::min(threads, tbb::this_task_arena::max_concurrency());
  return arenas.try_emplace(workers, workers).first->second;
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

}  // namespace relucover
