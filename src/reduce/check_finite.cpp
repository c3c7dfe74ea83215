#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "reduce/reduce.hpp"
#include "relucover/errors.hpp"

namespace relucover {

namespace {

/// The first sample with a value that is not finite.
struct FirstNotFinite {
  using Scalar = double;  // also for float32 labels, whose inputs may be finite in float64 only
  static constexpr Index none = std::numeric_limits<Index>::max();
  Index sample = none;

  void add(const Block<double>& block) {
    // Zero times anything finite is zero: one pass without branches; only a bad block is looked at row by row.
    const auto finite = [](const auto& values) { return (values.array() * 0.0).sum() == 0.0; };
    if (sample != none || (finite(block.x) && finite(block.y))) return;
    for (Index i = 0; sample == none; ++i)
      if (!finite(block.x.row(i)) || !finite(block.y.row(i))) sample = block.first + i;
  }
  void merge(const FirstNotFinite& other) { sample = std::min(sample, other.sample); }
  void fields(auto& visit) { visit(sample); }
};

[[noreturn]] void report(const SampleSource& source, Index sample) {
  BlockBuffer<double> buffer;
  const Block<double> block = source.read(sample, 1, buffer);
  const Origin origin = source.origin(sample);
  const auto complain = [&](const char* array, const auto& row) {
    for (Index j = 0; j < row.size(); ++j)
      if (!std::isfinite(row[j]))
        throw DataError(origin.file, fmt::format("{}[{}, {}]", array, origin.row, j),
                        std::isnan(row[j]) ? "is not a number (NaN)" : "is infinite", "remove that sample or repair the value");
  };
  complain("x", block.x.row(0));
  complain("y", block.y.row(0));
  throw DataError(origin.file, fmt::format("row {}", origin.row), "changed while it was read", "is somebody writing the file?");
}

}  // namespace

void check_finite(const SampleSource& source, const Control& control) {
  const auto found = reduce(source, FirstNotFinite{}, control);
  if (found.sample != FirstNotFinite::none) report(source, found.sample);
}

}  // namespace relucover
