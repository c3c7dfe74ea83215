#pragma once
// What the methods for thresholds make of a label: its distance from the value at rest, or whether it is at rest at all.
#include <cmath>
#include <optional>

#include "relucover/samples.hpp"

namespace relucover {

struct LabelView {
  enum class Kind { value, activity };
  Kind kind = Kind::value;
  double rest = 0;
  /// Labels this close to the value at rest are at rest: rounding of the labels.
  double tolerance = 0;
  /// 0/1 labels of an intersection: 1 - y is the union of the complements.
  bool complement = false;

  double operator()(double y) const {
    const double value = complement ? 1 - y : y;
    if (kind == Kind::value) return active(value) ? value - rest : 0;
    return active(value) ? 1 : 0;
  }
  bool active(double value) const { return std::abs(value - rest) > tolerance; }
};

/// The value of f when no unit is active, and how sure that is.
struct RestValue {
  double value = 0;
  /// Share of samples that have exactly this value.
  double share = 0;
  /// No value is repeated: labels carry noise, and `value` is the mode of their density.
  bool noisy() const { return share < 0.02; }
};
/// Labels within `window` of one another count as one value.
RestValue rest_value(const SampleSource& source, double window, const Control& control);

/// Rounding error that labels carry, as noise of known size: half the distance of neighbouring values where labels are float32
/// or rounded to decimals, that of float64 where they take few values or the grid is as coarse as the labels are spread.
double label_rounding(const SampleSource& source, const Control& control);
/// Every label is this one value; nullopt if they differ.
std::optional<double> constant_label(const SampleSource& source, const Control& control);

/// Mean label over all samples.
double mean_label(const SampleSource& source, const Control& control);

}  // namespace relucover
