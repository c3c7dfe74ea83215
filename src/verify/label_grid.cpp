#include "verify/label_grid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reduce/reduce.hpp"

namespace relucover {

namespace {

constexpr std::array<double, LabelGrid::most_decimals + 1> powers = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};

/// An integer over 10^decimals, rounded to the precision that labels are stored in, is this very value.
bool on_decimal_grid(double value, int decimals, Precision stored) {
  const double power = powers[static_cast<std::size_t>(decimals)];
  const double nearest = std::round(value * power) / power;  // one rounding: 10^9 is exact
  if (!(std::abs(value * power) < 0x1p53)) return false;
  return stored == Precision::float64 ? nearest == value : static_cast<float>(nearest) == static_cast<float>(value);
}

struct GridSums {
  using Scalar = double;
  Precision stored;
  explicit GridSums(Precision of) : stored(of) {}
  bool float32 = true;
  int decimals = 0;  // most_decimals + 1: none
  std::vector<double> values;
  bool few_values = true;
  double largest = 0;

  void add(const Block<double>& block) {
    for (Index i = 0; i < block.rows(); ++i)
      for (Index j = 0; j < block.y.cols(); ++j) add_label(block.y(i, j));
  }
  void add_label(double label) {
    largest = std::max(largest, std::abs(label));
    float32 = float32 && static_cast<double>(static_cast<float>(label)) == label;
    while (decimals <= LabelGrid::most_decimals && !on_decimal_grid(label, decimals, stored)) ++decimals;
    if (few_values) add_value(label);
  }
  void add_value(double label) {
    const auto at = std::lower_bound(values.begin(), values.end(), label);
    if (at != values.end() && *at == label) return;
    values.insert(at, label);
    if (values.size() <= LabelGrid::most_values) return;
    few_values = false;
    values.clear();
  }
  void merge(const GridSums& other) {
    largest = std::max(largest, other.largest);
    float32 = float32 && other.float32;
    decimals = std::max(decimals, other.decimals);  // a grid contains every coarser one
    few_values = few_values && other.few_values;
    if (!few_values) values.clear();
    for (const double value : other.values)
      if (few_values) add_value(value);
  }
  template <class Visit>
  void fields(Visit& visit) {
    visit(largest, float32, decimals, few_values, values);
  }
};

}  // namespace

double LabelGrid::rounding() const {
  if (decimals >= 0) return 0.5 / powers[static_cast<std::size_t>(decimals)];
  const double unit = float32 ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
  return 0.5 * unit * largest;
}

LabelGrid label_grid(const SampleSource& source, const Control& control) {
  const GridSums sums = reduce(source, GridSums(source.precision()), control);
  return {.float32 = sums.float32,
          .decimals = sums.decimals <= LabelGrid::most_decimals ? sums.decimals : -1,
          .values = sums.values,
          .largest = sums.largest};
}

}  // namespace relucover
