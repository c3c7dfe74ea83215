#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "reduce/reduce.hpp"

namespace relucover {
namespace {

/// Remembers which samples it saw, in order: any sample lost, doubled or out of place shows.
struct Seen {
  using Scalar = double;
  std::vector<Index> rows;
  void add(const Block<double>& block) {
    for (Index i = 0; i < block.rows(); ++i) rows.push_back(static_cast<Index>(block.x(i, 0)));
  }
  void merge(const Seen& other) { rows.insert(rows.end(), other.rows.begin(), other.rows.end()); }
};

/// Records the tree that merged it.
struct Tree {
  using Scalar = double;
  std::string text;
  void add(const Block<double>&) {}
  void merge(const Tree& other) { text = "(" + text + other.text + ")"; }
};

RC_GTEST_PROP(Reduce, SeesEverySampleOnceInOrderOnAnyNumberOfThreads, ()) {
  const auto samples = *rc::gen::inRange<Index>(0, 40000);
  const auto cols = *rc::gen::inRange<Index>(1, 4);
  const auto threads = *rc::gen::inRange(1, 6);
  RowMatrix x = RowMatrix::Zero(samples, cols);
  for (Index i = 0; i < samples; ++i) x(i, 0) = static_cast<double>(i);
  const MemorySource<double> source(std::move(x), RowMatrix::Zero(samples, 1));
  const auto begin = *rc::gen::inRange<Index>(0, samples + 1);
  const auto end = *rc::gen::inRange<Index>(begin, samples + 1);
  const Seen seen = reduce(source, Seen{}, Control(threads), begin, end);
  RC_ASSERT(std::ssize(seen.rows) == end - begin);
  for (Index i = 0; i < end - begin; ++i) RC_ASSERT(seen.rows[static_cast<std::size_t>(i)] == begin + i);
}

RC_GTEST_PROP(OrderedMerge, KeepsTheOrderAndTheDepthLow, ()) {
  const auto count = *rc::gen::inRange(1, 65);
  const Tree none;
  const PartOf<Tree> kind(none);
  Recycled recycled(kind);
  OrderedMerge merged(recycled);
  for (int i = 0; i < count; ++i) {
    auto part = std::make_unique<PartOf<Tree>>(none);
    part->value.text = std::string(1, static_cast<char>('0' + i));
    merged.push(std::move(part));
  }
  const std::string tree = static_cast<PartOf<Tree>&>(*merged.finish()).value.text;
  std::string leaves;
  int depth = 0, deepest = 0;
  for (const char c : tree) {
    if (c == '(')
      deepest = std::max(deepest, ++depth);
    else if (c == ')')
      --depth;
    else
      leaves.push_back(c);
  }
  for (int i = 0; i < count; ++i) RC_ASSERT(leaves[static_cast<std::size_t>(i)] == static_cast<char>('0' + i));
  RC_ASSERT(deepest <= 12);  // two log2(64): rounding grows with the logarithm of the number of chunks
}

}  // namespace
}  // namespace relucover
