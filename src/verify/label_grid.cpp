#include "verify/label_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "reduce/reduce.hpp"

namespace relucover {

namespace {

constexpr std::array<double, LabelGrid::most_decimals + 1> powers = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
// A grid is believed when its labels would lie on it by chance once in 2^40.
constexpr double evidence_wanted = 40;

/// The value as it would be stored.
bool stored_alike(double one, double other, Precision stored) {
  return stored == Precision::float64 ? one == other : static_cast<float>(one) == static_cast<float>(other);
}

/// Distance of neighbouring numbers of this size in the precision they are stored in.
double spacing_at(double value, Precision stored) {
  const double unit = stored == Precision::float64 ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon();
  return unit * std::exp2(std::floor(std::log2(std::abs(value))));
}

/// An integer over 10^decimals, rounded to the precision that labels are stored in, is this very value.
bool on_decimal_grid(double value, int decimals, Precision stored) {
  const double power = powers[static_cast<std::size_t>(decimals)];
  const double nearest = std::round(value * power) / power;  // one rounding: 10^9 is exact
  if (!(std::abs(value * power) < 0x1p53)) return false;
  return stored_alike(nearest, value, stored);
}

/// Written with this many significant digits and read again it is this very value.
bool has_digits(double value, int digits, Precision stored) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*e", digits - 1, value);
  return stored_alike(std::strtod(text, nullptr), value, stored);
}

/// Step of the grid of significant digits at a value.
double digit_step(double value, int digits) {
  return value == 0 ? 0 : std::pow(10.0, std::floor(std::log10(std::abs(value))) + 1 - digits);
}

/// Exponent of the lowest bit that is set.
int lowest_bit(double value) {
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  const auto bits = static_cast<std::uint64_t>(std::abs(std::ldexp(mantissa, 53)));
  return exponent - 53 + std::countr_zero(bits);
}

struct GridSums {
  using Scalar = double;
  Precision stored;
  explicit GridSums(Precision of) : stored(of) {}
  bool float32 = true;
  int decimals = 0;  // most_decimals + 1: none
  int digits = 1;    // most_digits + 1: none
  // log2 of how seldom labels lie on such a grid by chance, for each number of decimals and of digits
  Vector decimal_evidence = Vector::Zero(LabelGrid::most_decimals + 2), digit_evidence = Vector::Zero(LabelGrid::most_digits + 2);
  int lowest = std::numeric_limits<int>::max();  // bit set in any label
  int most_bits = 0;                             // from the first to the last that is set, of any label
  double exponents = 0, nonzero = 0;             // sum of the labels' exponents, and their number
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
    while (digits <= LabelGrid::most_digits && !has_digits(label, digits, stored)) ++digits;
    if (label != 0) {
      add_evidence(label);
      const int last = lowest_bit(label);
      lowest = std::min(lowest, last);
      most_bits = std::max(most_bits, std::ilogb(label) - last + 1);
      exponents += std::ilogb(label);
      nonzero += 1;
    }
    if (few_values) add_value(label);
  }
  void add_evidence(double label) {
    if (decimals > LabelGrid::most_decimals && digits > LabelGrid::most_digits) return;
    const double spacing = spacing_at(label, stored);
    if (!(spacing > 0) || !std::isfinite(spacing)) return;
    for (int k = decimals; k <= LabelGrid::most_decimals; ++k)
      decimal_evidence[k] += std::max(0.0, -std::log2(powers[static_cast<std::size_t>(k)] * spacing));
    for (int k = digits; k <= LabelGrid::most_digits; ++k) digit_evidence[k] += std::max(0.0, std::log2(digit_step(label, k) / spacing));
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
    digits = std::max(digits, other.digits);
    decimal_evidence += other.decimal_evidence;
    digit_evidence += other.digit_evidence;
    lowest = std::min(lowest, other.lowest);
    most_bits = std::max(most_bits, other.most_bits);
    exponents += other.exponents;
    nonzero += other.nonzero;
    few_values = few_values && other.few_values;
    if (!few_values) values.clear();
    for (const double value : other.values)
      if (few_values) add_value(value);
  }
  void fields(auto& visit) {
    visit(largest, float32, decimals, digits, decimal_evidence, digit_evidence, lowest, most_bits, exponents, nonzero, few_values, values);
  }
};

}  // namespace

double LabelGrid::step() const {
  if (decimals >= 0) return 1 / powers[static_cast<std::size_t>(decimals)];
  if (binary != no_grid) return std::exp2(binary);
  return digits >= 0 ? digit_step(largest, digits) : 0;
}

Matrix LabelGrid::half_step(const Matrix& labels) const {
  if (digits < 0) return Matrix::Constant(labels.rows(), labels.cols(), 0.5 * step());
  return labels.unaryExpr([this](double label) { return 0.5 * digit_step(label, digits); });
}

double LabelGrid::rounding() const {
  if (rounded()) return 0.5 * step();
  const double unit = float32 ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
  return 0.5 * unit * largest;
}

double LabelGrid::bits() const {
  if (rounded()) return std::log2(1 + 2 * largest / step());
  return float32 ? 22 : 50;
}

std::string LabelGrid::words() const {
  if (decimals >= 0) return fmt::format("labels have {} decimal{}", decimals, decimals == 1 ? "" : "s");
  if (digits >= 0) return fmt::format("labels have {} significant digit{}", digits, digits == 1 ? "" : "s");
  if (binary != no_grid) return fmt::format("labels are multiples of 2^{}", binary);
  return {};
}

LabelGrid label_grid(const SampleSource& source, const Control& control) {
  const GridSums sums = reduce(source, GridSums(source.precision()), control);
  LabelGrid grid{.float32 = sums.float32,
                 .decimals = -1,
                 .digits = -1,
                 .significant_bits = sums.most_bits,
                 .values = sums.values,
                 .largest = sums.largest};
  const auto evidence = [](const Vector& all, int least, int most) { return least <= most ? all[least] : 0.0; };
  const double by_decimals = evidence(sums.decimal_evidence, sums.decimals, LabelGrid::most_decimals);
  const double by_digits = evidence(sums.digit_evidence, sums.digits, LabelGrid::most_digits);
  // Multiples of 2^k whose neighbours in their precision are closer: each label shows it by so many bits that are not set.
  const int precision = sums.float32 ? 23 : 52;
  const double by_bits = sums.nonzero > 0 ? sums.nonzero * (sums.lowest + precision) - sums.exponents : 0;
  const double most = std::max({by_decimals, by_digits, by_bits});
  if (most < evidence_wanted) return grid;
  if (by_decimals == most)
    grid.decimals = sums.decimals;
  else if (by_digits == most)
    grid.digits = sums.digits;
  else
    grid.binary = sums.lowest;
  return grid;
}

}  // namespace relucover
