#include "verify/leftover/near_rows.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "verify/leftover/features.hpp"
#include "verify/leftover/tails.hpp"

namespace relucover {

namespace {

using NearPair = std::pair<Index, Index>;

/// Every row with the few nearest to it in these columns: a pair stands twice where both are near to each other.
std::vector<NearPair> near_pairs(const Matrix& columns) {
  constexpr Index nearest = 4;
  const std::vector<Index> order = order_of(columns.col(0));
  const Matrix sorted = columns(order, Eigen::all);
  const Index n = sorted.rows();
  std::vector<NearPair> pairs;
  pairs.reserve(static_cast<std::size_t>(nearest * n));
  for (Index i = 0; i < n; ++i) {
    std::pair<double, Index> best[nearest];  // by rising distance
    Index count = 0;
    // Along the first column, away from the row, until nothing nearer can come.
    Index below = i - 1, above = i + 1;
    while (below >= 0 || above < n) {
      const double down = below >= 0 ? sorted(i, 0) - sorted(below, 0) : INFINITY;
      const double up = above < n ? sorted(above, 0) - sorted(i, 0) : INFINITY;
      const double along = std::min(down, up);
      if (count == nearest && along * along >= best[nearest - 1].first) break;
      const Index other = down <= up ? below-- : above++;
      const double distance = (sorted.row(i) - sorted.row(other)).squaredNorm();
      if (count == nearest && distance >= best[nearest - 1].first) continue;
      Index place = count < nearest ? count++ : nearest - 1;
      for (; place > 0 && best[place - 1].first > distance; --place) best[place] = best[place - 1];
      best[place] = {distance, other};
    }
    for (Index k = 0; k < count; ++k)
      pairs.emplace_back(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(best[k].second)]);
  }
  return pairs;
}

double sum_over_pairs(const std::vector<NearPair>& pairs, const Vector& values) {
  double sum = 0;
  for (const auto& [i, j] : pairs) sum += values[i] * values[j];
  return sum;
}

}  // namespace

double near_rows_alike(const Matrix& x, const Vector& centred, RandomStream& random) {
  constexpr Index most_columns = 8, most_rows = 4000, draws = 1500;
  constexpr double could_matter = 1e-3;
  std::vector<Index> rows = random_rows(x.rows(), std::min(x.rows(), most_rows), random);
  std::sort(rows.begin(), rows.end());
  const Matrix all = standardised(x(rows, Eigen::all));
  const Vector values = centred(rows);
  const Index columns = std::min(all.cols(), most_columns);
  const double mean_square = values.squaredNorm() / static_cast<double>(values.size());
  double highest = 0;
  Index looked_at = 0;
  std::vector<NearPair> best;
  const auto look = [&](const std::vector<Index>& which) {
    ++looked_at;
    std::vector<NearPair> pairs = near_pairs(all(Eigen::all, which));
    // Rows that change places are nearly independent: each pair has a variance of its own, and twice of it where it stands twice.
    const double score = sum_over_pairs(pairs, values) / (mean_square * std::sqrt(2.0 * static_cast<double>(pairs.size())));
    if (score > highest) {
      highest = score;
      best = std::move(pairs);
    }
  };
  for (Index a = 0; a < columns; ++a) {
    look({a});
    for (Index b = 0; b < a; ++b) {
      look({a, b});
      for (Index c = 0; c < b; ++c) look({a, b, c});
    }
  }
  const auto times = static_cast<double>(looked_at);
  if (best.empty() || normal_tail(highest) * times > could_matter) return 1;
  Vector drawn(draws);
  for (Index k = 0; k < draws; ++k) drawn[k] = sum_over_pairs(best, values(random_rows(values.size(), values.size(), random)));
  return std::min(1.0, times * tail_of_many_draws(drawn, sum_over_pairs(best, values)));
}

}  // namespace relucover
