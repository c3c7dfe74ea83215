#include "verify/leftover/periods_left.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "verify/leftover/tails.hpp"

namespace relucover {

namespace {

constexpr Index cells = 8192, points = 2 * cells, most_periods = cells / 8;

/// Σ_k values_k e^{-2πi jk / points} for all j, in place; the number of points is a power of two.
void transform(std::vector<std::complex<double>>& values) {
  static const std::vector<std::complex<double>> roots = [] {
    std::vector<std::complex<double>> all(points / 2);
    for (std::size_t k = 0; k < all.size(); ++k)
      all[k] = std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(points));
    return all;
  }();
  const std::size_t n = values.size();
  for (std::size_t i = 1, j = 0; i < n; ++i) {
    std::size_t bit = n >> 1;
    for (; (j & bit) != 0; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(values[i], values[j]);
  }
  for (std::size_t length = 2; length <= n; length *= 2)
    for (std::size_t first = 0; first < n; first += length)
      for (std::size_t k = 0; k < length / 2; ++k) {
        auto &a = values[first + k], &b = values[first + k + length / 2];
        const auto turned = b * roots[k * (n / length)];
        b = a - turned;
        a += turned;
      }
}

/// Rows of a variable on a grid over the middle of its values; -1 beyond. Empty: too few values to have periods.
std::vector<Index> cells_along(const Vector& variable) {
  constexpr double left_out = 0.005;
  constexpr double fewest = 50;
  Vector sorted = variable;
  const auto end = std::partition(sorted.begin(), sorted.end(), [](double value) { return !std::isnan(value); });
  std::sort(sorted.begin(), end);
  sorted.conservativeResize(end - sorted.begin());
  const auto n = static_cast<double>(sorted.size());
  if (n < fewest) return {};
  const double low = sorted[static_cast<Index>(left_out * n)], high = sorted[static_cast<Index>((1 - left_out) * (n - 1))];
  if (!(high > low)) return {};
  double distinct = 1;
  for (Index i = 1; i < sorted.size() && distinct < fewest; ++i) distinct += sorted[i] != sorted[i - 1] ? 1 : 0;
  if (distinct < fewest) return {};
  std::vector<Index> cell(static_cast<std::size_t>(variable.size()), -1);
  for (Index i = 0; i < variable.size(); ++i)
    if (variable[i] >= low && variable[i] <= high)
      cell[static_cast<std::size_t>(i)] =
          std::min(cells - 1, static_cast<Index>((variable[i] - low) / (high - low) * static_cast<double>(cells)));
  return cell;
}

}  // namespace

// With flipped signs, Σ_i ±r_i e^{iθ_i} is a normal variable in the plane; its largest variance is (Σ r² + |Σ r² e^{2iθ}|) / 2.
double periods_left(const Matrix& variables, const Matrix& residual) {
  constexpr Index slowest = 4;  // half periods over the range
  double least = 1;
  Index looked_at = 0;
  for (const auto& variable : variables.colwise()) {
    const std::vector<Index> cell = cells_along(variable);
    if (cell.empty()) continue;
    ++looked_at;
    Vector sum = Vector::Zero(2 * most_periods);
    for (const auto& output : residual.colwise()) {
      // One transform of two real sequences: r, and r² as the imaginary part.
      std::vector<std::complex<double>> values(static_cast<std::size_t>(points));
      double squares = 0;
      for (Index i = 0; i < output.size(); ++i)
        if (const Index at = cell[static_cast<std::size_t>(i)]; at >= 0) {
          values[static_cast<std::size_t>(at)] += std::complex<double>(output[i], output[i] * output[i]);
          squares += output[i] * output[i];
        }
      if (!(squares > 0)) continue;
      transform(values);
      const auto of = [&](Index j, bool second) {
        const auto there = values[static_cast<std::size_t>(j)],
                   opposite = std::conj(values[static_cast<std::size_t>((points - j) % points)]);
        return second ? (there - opposite) / std::complex<double>(0, 2) : (there + opposite) / 2.0;
      };
      for (Index j = slowest; j < 2 * most_periods; ++j) sum[j] += std::norm(of(j, false)) / (squares + std::abs(of(2 * j, true)));
    }
    const double as_sine = sum.maxCoeff();
    // A saw tooth has as much again at twice and three times as many periods.
    double as_tooth = 0;
    for (Index j = slowest; 3 * j < 2 * most_periods; ++j) as_tooth = std::max(as_tooth, sum[j] + sum[2 * j] + sum[3 * j]);
    least = std::min({least, erlang_tail(residual.cols(), as_sine), erlang_tail(3 * residual.cols(), as_tooth)});
  }
  if (looked_at == 0) return 1;
  return std::min(1.0, least * static_cast<double>(2 * 2 * most_periods * looked_at));
}

}  // namespace relucover
