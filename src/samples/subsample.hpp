#pragma once
// A fixed random part of the samples, in memory, split in rows to fit and rows to judge the fit by.
#include "relucover/progress.hpp"
#include "relucover/samples.hpp"

namespace relucover {

/// Distinct rows of [0, size), spread evenly over it and in random order; the same for the same seed.
std::vector<Index> spread_rows(Index size, Index count, std::uint64_t seed);
/// About as many, in runs of neighbours: cheaper to read.
std::vector<Index> spread_runs(Index size, Index count, std::uint64_t seed);

/// Copies rows of a source to memory.
MemorySource<double> gather(const SampleSource& source, const std::vector<Index>& rows, const Control& control);
/// The samples [first, first + count) in memory, for algorithms that look at single samples again and again.
MemorySource<double> gather(const SampleSource& source, Index first, Index count, const Control& control);

}  // namespace relucover
