#include "samples/subsample.hpp"

#include <algorithm>
#include <numeric>

#include "core/random.hpp"

namespace relucover {

std::vector<Index> spread_rows(Index size, Index count, std::uint64_t seed) {
  count = std::min(size, count);
  RandomStream random(seed, purpose::subsample);
  std::vector<Index> rows(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i) {
    // One row from each of `count` equal stretches, so files sorted in any way are seen all over.
    const double width = static_cast<double>(size) / static_cast<double>(count);
    const Index low = static_cast<Index>(static_cast<double>(i) * width);
    const Index high = i + 1 == count ? size : static_cast<Index>(static_cast<double>(i + 1) * width);
    rows[static_cast<std::size_t>(i)] = low + random.below(std::max<Index>(1, high - low));
  }
  if (count == size) std::iota(rows.begin(), rows.end(), Index{0});
  for (Index i = count - 1; i > 0; --i) std::swap(rows[static_cast<std::size_t>(i)], rows[static_cast<std::size_t>(random.below(i + 1))]);
  return rows;
}

std::vector<Index> spread_runs(Index size, Index count, std::uint64_t seed) {
  constexpr Index run = 64;
  if (count >= size || size < 2 * run) return spread_rows(size, count, seed);
  std::vector<Index> rows;
  for (const Index at : spread_rows(size / run, (count + run - 1) / run, seed))
    for (Index i = 0; i < run; ++i) rows.push_back(at * run + i);
  return rows;
}

MemorySource<double> gather(const SampleSource& source, const std::vector<Index>& rows, const Control& control) {
  // Visit in file order, store in the given order.
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return rows[i] < rows[j]; });
  RowMatrix x(static_cast<Index>(rows.size()), source.inputs()), y(static_cast<Index>(rows.size()), source.outputs());
  BlockBuffer<double> buffer;
  constexpr Index longest_run = 4096, values_of_a_gap = 512;
  const Index gap = std::max<Index>(4, values_of_a_gap / (source.inputs() + source.outputs()));
  for (std::size_t begin = 0, checked = 0; begin < order.size();) {
    constexpr std::size_t rows_between_checks = 256;
    if (begin == 0 || begin - checked >= rows_between_checks) {
      control.check();
      checked = begin;
    }
    // Rows close together are read as one run: cheaper for files that are compressed or far away.
    std::size_t end = begin + 1;
    const Index first = rows[order[begin]];
    while (end < order.size() && rows[order[end]] - rows[order[end - 1]] <= gap && rows[order[end]] - first < longest_run) ++end;
    const auto block = source.read(first, rows[order[end - 1]] - first + 1, buffer);
    for (std::size_t i = begin; i < end; ++i) {
      x.row(static_cast<Index>(order[i])) = block.x.row(rows[order[i]] - first);
      y.row(static_cast<Index>(order[i])) = block.y.row(rows[order[i]] - first);
    }
    begin = end;
  }
  return MemorySource<double>(std::move(x), std::move(y), source.name());
}

MemorySource<double> gather(const SampleSource& source, Index first, Index count, const Control& control) {
  std::vector<Index> rows(static_cast<std::size_t>(count));
  std::iota(rows.begin(), rows.end(), first);
  return gather(source, rows, control);
}

}  // namespace relucover
