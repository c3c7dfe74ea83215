#include "verify/leftover/periods_left.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "verify/leftover/features.hpp"
#include "verify/leftover/period_scores.hpp"
#include "verify/leftover/tails.hpp"

namespace relucover {

namespace {

constexpr Index cells_of_range = 8192;

/// Rows of a variable on a grid over the middle of its values; -1 beyond. Empty: too few values to have periods.
std::vector<std::int16_t> cells_along(const Eigen::Ref<const Vector>& variable, const Eigen::Ref<const Vector>& sorted) {
  constexpr double left_out = 0.005;
  constexpr double fewest = 50;
  const auto numbers = std::lower_bound(sorted.begin(), sorted.end(), true, [](double value, bool) { return std::isfinite(value); });
  const auto n = static_cast<double>(numbers - sorted.begin());
  if (n < fewest) return {};
  const double low = sorted[static_cast<Index>(left_out * n)], high = sorted[static_cast<Index>((1 - left_out) * (n - 1))];
  if (!(high > low)) return {};
  double distinct = 1;
  for (Index i = 1; i < static_cast<Index>(n) && distinct < fewest; ++i) distinct += sorted[i] != sorted[i - 1] ? 1 : 0;
  if (distinct < fewest) return {};
  std::vector<std::int16_t> cell(static_cast<std::size_t>(variable.size()), -1);
  for (Index i = 0; i < variable.size(); ++i)
    if (variable[i] >= low && variable[i] <= high)
      cell[static_cast<std::size_t>(i)] = static_cast<std::int16_t>(
          std::min(cells_of_range - 1, static_cast<Index>((variable[i] - low) / (high - low) * static_cast<double>(cells_of_range))));
  return cell;
}

}  // namespace

double periods_left(const Matrix& variables, const Matrix& sorted, const Matrix& of) {
  constexpr double could_matter = 1e-2;
  const Matrix residual = of_unit_size(of);
  PeriodScores scores(cells_of_range);
  const auto chance_of = [&](const Vector& sum) {
    const double as_sine = sum.maxCoeff();
    // A saw tooth has as much again at twice and three times as many periods.
    double as_tooth = 0;
    for (Index j = PeriodScores::slowest; 3 * j < sum.size(); ++j) as_tooth = std::max(as_tooth, sum[j] + sum[2 * j] + sum[3 * j]);
    return std::min(erlang_tail(residual.cols(), as_sine), erlang_tail(3 * residual.cols(), as_tooth));
  };
  const double looks = static_cast<double>(2 * scores.count() * variables.cols());
  double least = 1;
  Index looked_at = 0;
  for (Index variable = 0; variable < variables.cols(); ++variable) {
    const std::vector<std::int16_t> cell = cells_along(variables.col(variable), sorted.col(variable));
    if (cell.empty()) continue;
    ++looked_at;
    double chance = residual.cols() > 1 ? chance_of(scores.roughly_of(cell, residual)) : 0;
    if (chance * looks < could_matter) chance = chance_of(scores.of(cell, residual));
    least = std::min(least, chance);
  }
  if (looked_at == 0) return 1;
  return std::min(1.0, least * static_cast<double>(2 * scores.count() * looked_at));
}

}  // namespace relucover
