#include "reduce/reduce.hpp"

#include <algorithm>

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

}  // namespace relucover
