#include "verify/distinct_rows.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <unordered_map>
#include <unordered_set>

namespace relucover {

namespace {

/// 64 bits of a row's values: -0 and 0 are one value. Two rows of many share them by chance once in 2^64 pairs.
class RowHash {
 public:
  void add(double value) {
    if (value == 0) value = 0;
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    state_ ^= bits + 0x9e3779b97f4a7c15u + (state_ << 6) + (state_ >> 2);
    state_ ^= state_ >> 30;  // SplitMix64's finaliser
    state_ *= 0xbf58476d1ce4e5b9u;
    state_ ^= state_ >> 27;
    state_ *= 0x94d049bb133111ebu;
    state_ ^= state_ >> 31;
  }
  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0;
};

template <class Row>
void add_row(RowHash& hash, const Row& row) {
  for (Index j = 0; j < row.size(); ++j) hash.add(row[j]);
}

}  // namespace

Index distinct_inputs(const SampleSource& source, Index enough, const Control& control) {
  constexpr Index block_rows = 4096;
  std::unordered_set<std::uint64_t> seen;
  BlockBuffer<double> buffer;
  for (Index first = 0; first < source.samples() && static_cast<Index>(seen.size()) < enough; first += block_rows) {
    control.check();
    const auto block = source.read(first, std::min(block_rows, source.samples() - first), buffer);
    for (Index i = 0; i < block.rows(); ++i) {
      RowHash hash;
      add_row(hash, block.x.row(i));
      seen.insert(hash.value());
    }
  }
  return std::min(enough, static_cast<Index>(seen.size()));
}

std::vector<Index> distinct_samples(const MemorySource<double>& samples) {
  std::unordered_set<std::uint64_t> seen;
  std::vector<Index> rows;
  for (Index i = 0; i < samples.samples(); ++i) {
    RowHash hash;
    add_row(hash, samples.x().row(i));
    add_row(hash, samples.y().row(i));
    if (seen.insert(hash.value()).second) rows.push_back(i);
  }
  return rows;
}

std::vector<std::vector<Index>> rows_of_equal_inputs(const Matrix& x) {
  std::unordered_map<std::uint64_t, std::size_t> place;
  std::vector<std::vector<Index>> groups;
  for (Index i = 0; i < x.rows(); ++i) {
    RowHash hash;
    add_row(hash, x.row(i));
    const auto [at, fresh] = place.try_emplace(hash.value(), groups.size());
    if (fresh) groups.emplace_back();
    groups[at->second].push_back(i);
  }
  std::erase_if(groups, [](const auto& group) { return group.size() < 2; });
  return groups;
}

}  // namespace relucover
