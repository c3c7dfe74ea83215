#pragma once
// The grid that labels lie on: what rounding they went through before they were stored.
#include <array>
#include <vector>

#include "relucover/progress.hpp"
#include "relucover/samples.hpp"

namespace relucover {

struct LabelGrid {
  /// Every label is a float32 value.
  bool float32 = true;
  /// Every label is an integer over 10^decimals, this many at least; -1: not with `most_decimals` or fewer.
  int decimals = 0;
  static constexpr int most_decimals = 9;
  /// The different labels in increasing order if there are at most `most_values`, else empty.
  std::vector<double> values;
  static constexpr std::size_t most_values = 16;
  double largest = 0;  // |y|

  /// Half of the distance between neighbours on the grid at the largest label: the rounding error that labels carry.
  double rounding() const;
};

LabelGrid label_grid(const SampleSource& source, const Control& control);

}  // namespace relucover
