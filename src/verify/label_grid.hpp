#pragma once
// The grid that labels lie on: what rounding they went through before they were stored.
#include <array>
#include <limits>
#include <string>
#include <vector>

#include "relucover/progress.hpp"
#include "relucover/samples.hpp"

namespace relucover {

struct LabelGrid {
  /// Every label is a float32 value.
  bool float32 = true;
  /// Every label is an integer over 10^decimals, this many at least; -1: not with `most_decimals` or fewer, or the labels are
  /// too large, in the precision they are stored in, to tell.
  int decimals = 0;
  static constexpr int most_decimals = 9;
  /// Every label has this many significant digits at most; -1: not with `most_digits` or fewer, or decimals say it better.
  int digits = -1;
  static constexpr int most_digits = 9;
  /// Every label is a multiple of 2^binary, which floating-point numbers of their size need not be; `no_grid`: not so.
  int binary = no_grid;
  static constexpr int no_grid = std::numeric_limits<int>::min();
  /// Set in the label that takes most of them: 24 where labels are float32, 11 and 8 in half precision.
  int significant_bits = 0;
  static constexpr int half_precision_bits = 11;
  /// The different labels in increasing order if there are at most `most_values`, else empty.
  std::vector<double> values;
  static constexpr std::size_t most_values = 16;
  double largest = 0;  // |y|

  bool rounded() const { return decimals >= 0 || digits >= 0 || binary != no_grid; }
  /// Distance of neighbours on the grid at the largest label; 0: no grid but that of the floating-point numbers.
  double step() const;
  /// Half of the distance of neighbours at each label.
  Matrix half_step(const Matrix& labels) const;
  /// The rounding error that labels carry, at the largest of them.
  double rounding() const;
  /// Bits of information that one label on this grid can carry.
  double bits() const;
  /// "labels have 3 decimals"; empty where there is nothing to say.
  std::string words() const;
};

LabelGrid label_grid(const SampleSource& source, const Control& control);

}  // namespace relucover
