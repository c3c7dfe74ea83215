#include "verify/extreme_spreads.hpp"

#include <fmt/format.h>

#include <limits>

#include "reduce/reduce.hpp"

namespace relucover {

namespace {

/// The least and largest values of every column.
struct ColumnRanges {
  using Scalar = double;
  Vector least_x, largest_x, least_y, largest_y;
  ColumnRanges(Index inputs, Index outputs)
      : least_x(Vector::Constant(inputs, std::numeric_limits<double>::infinity())), largest_x(-least_x),
        least_y(Vector::Constant(outputs, std::numeric_limits<double>::infinity())), largest_y(-least_y) {}
  void add(const Block<double>& block) {
    if (block.rows() == 0) return;
    take_in(block.x.colwise().minCoeff().transpose(), block.x.colwise().maxCoeff().transpose(), least_x, largest_x);
    take_in(block.y.colwise().minCoeff().transpose(), block.y.colwise().maxCoeff().transpose(), least_y, largest_y);
  }
  static void take_in(const Vector& least, const Vector& largest, Vector& all_least, Vector& all_largest) {
    all_least = all_least.cwiseMin(least);
    all_largest = all_largest.cwiseMax(largest);
  }
  void merge(const ColumnRanges& other) {
    take_in(other.least_x, other.largest_x, least_x, largest_x);
    take_in(other.least_y, other.largest_y, least_y, largest_y);
  }
  void fields(auto& visit) { visit(least_x, largest_x, least_y, largest_y); }
};

}  // namespace

std::string spreads_beyond_squares(const InputMoments& moments, const SampleSource& source, const Control& control) {
  constexpr double smallest = 1e-100, largest = 1e100;
  const auto far = [&](const Vector& variances) {
    return (variances.array() < smallest * smallest).any() || (variances.array() > largest * largest).any();
  };
  if (!far(moments.covariance.diagonal()) && !far(moments.label_covariance.diagonal())) return {};
  const ColumnRanges ranges = reduce(source, ColumnRanges(source.inputs(), source.outputs()), control);
  const auto words = [&](const char* what, const Vector& least, const Vector& most) -> std::string {
    for (Index j = 0; j < least.size(); ++j) {
      const double size = most[j] - least[j];
      if (size > largest || (size > 0 && size < smallest))
        return fmt::format("values too {}: {} go from {:.1e} to {:.1e}, and squares of such numbers {}; rescale them to a spread near 1",
                           size > largest ? "large" : "small",
                           least.size() > 1 ? fmt::format("{} (column {})", what, j + 1) : std::string(what), least[j], most[j],
                           size > largest ? "overflow" : "underflow");
    }
    return {};
  };
  const std::string of_inputs = words("inputs", ranges.least_x, ranges.largest_x);
  return of_inputs.empty() ? words("labels", ranges.least_y, ranges.largest_y) : of_inputs;
}

}  // namespace relucover
