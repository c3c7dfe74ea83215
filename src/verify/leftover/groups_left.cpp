#include "verify/leftover/groups_left.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>

#include "verify/leftover/features.hpp"
#include "verify/leftover/flipped_scores.hpp"
#include "verify/leftover/tails.hpp"

namespace relucover {

namespace {

constexpr Index fewest_rows = 4;  // of a group, in the mean

/// Rows of equal numbers are a group.
std::optional<Grouping> grouping_of(const std::vector<std::int64_t>& numbers) {
  std::vector<std::int64_t> distinct = numbers;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  if (distinct.size() < 2 || fewest_rows * distinct.size() > numbers.size()) return {};
  Grouping made;
  made.count = static_cast<Index>(distinct.size());
  made.group.reserve(numbers.size());
  for (const std::int64_t number : numbers)
    made.group.push_back(static_cast<Index>(std::lower_bound(distinct.begin(), distinct.end(), number) - distinct.begin()));
  return made;
}

class Groupings {
 public:
  explicit Groupings(Index rows) : rows_(rows) {}
  /// `number_of` a row.
  void add(const auto& number_of) {
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(rows_));
    for (Index i = 0; i < rows_; ++i) numbers[static_cast<std::size_t>(i)] = number_of(i);
    if (auto made = grouping_of(numbers)) all.push_back(std::move(*made));
  }
  std::vector<Grouping> all;

 private:
  Index rows_;
};

bool whole(const auto& column) {
  constexpr double most = 1e9;
  return (column.array() == column.array().round()).all() && column.cwiseAbs().maxCoeff() < most;
}

/// Levels of the columns that have few, alone and crossed by twos and threes; of sums of these.
void add_levels(const Matrix& x, Groupings& groupings) {
  constexpr Index few_levels = 16, most_columns = 60, most_crossed = 10;
  std::vector<Grouping> levels;
  std::vector<Index> small;  // places in `levels`
  Vector sum = Vector::Zero(x.rows());
  for (Index j = 0; j < std::min(x.cols(), most_columns); ++j) {
    Groupings of_column(x.rows());
    const std::vector<Index> order = order_of(x.col(j));
    std::vector<std::int64_t> level(order.size());
    std::int64_t count = 0;
    for (std::size_t k = 1; k < order.size(); ++k) {
      count += x(order[k], j) != x(order[k - 1], j) ? 1 : 0;
      level[static_cast<std::size_t>(order[k])] = count;
    }
    of_column.add([&](Index i) { return level[static_cast<std::size_t>(i)]; });
    if (of_column.all.empty()) continue;
    if (of_column.all.front().count <= few_levels) {
      small.push_back(static_cast<Index>(levels.size()));
      if (whole(x.col(j))) sum += x.col(j);
    }
    levels.push_back(of_column.all.front());
  }
  if (small.size() >= 2)
    for (const double every : {1e9, 2.0, 3.0})
      groupings.add([&](Index i) { return static_cast<std::int64_t>(sum[i] - every * std::floor(sum[i] / every)); });
  const auto crossed = std::min<std::size_t>(small.size(), most_crossed);
  const auto level_of = [&](std::size_t which, Index row) {
    const Grouping& of = levels[static_cast<std::size_t>(small[which])];
    return of.group[static_cast<std::size_t>(row)];
  };
  for (std::size_t a = 0; a < crossed; ++a)
    for (std::size_t b = 0; b < a; ++b) {
      groupings.add([&](Index i) { return few_levels * level_of(a, i) + level_of(b, i); });
      for (std::size_t c = 0; c < b; ++c)
        groupings.add([&](Index i) { return few_levels * (few_levels * level_of(a, i) + level_of(b, i)) + level_of(c, i); });
    }
  for (Grouping& of : levels) groupings.all.push_back(std::move(of));
}

/// Days of the week, months, hours, last digits.
void add_residues(const Matrix& x, Groupings& groupings) {
  constexpr Index most_columns = 30;
  Vector sum = Vector::Zero(x.rows());
  Index whole_columns = 0;
  for (Index j = 0; j < std::min(x.cols(), most_columns); ++j) {
    if (!whole(x.col(j))) continue;
    sum += x.col(j);
    ++whole_columns;
    const double range = x.col(j).maxCoeff() - x.col(j).minCoeff();
    for (const std::int64_t every : {2, 3, 4, 5, 6, 7, 8, 10, 12, 24, 25, 28, 30, 50, 52, 60, 100, 365, 1000})
      if (range > static_cast<double>(every)) groupings.add([&](Index i) { return static_cast<std::int64_t>(x(i, j)) % every; });
    for (const double every : {10.0, 12.0, 30.0, 100.0, 1000.0})  // and what these count
      if (range > 2 * every) groupings.add([&](Index i) { return static_cast<std::int64_t>(std::floor(x(i, j) / every)); });
  }
  if (whole_columns > 1)
    for (const std::int64_t every : {2, 3, 4, 5, 7, 10}) groupings.add([&](Index i) { return static_cast<std::int64_t>(sum[i]) % every; });
}

/// Which column is the largest, the least, the second largest; the order of three or four; how many are positive, and which.
void add_orders(const Matrix& x, Groupings& groupings) {
  constexpr Index most_columns = 200, most_ordered = 6, most_signs = 16;
  const Index d = std::min(x.cols(), most_columns);
  if (d < 2) return;
  for (const bool second : {false, true})
    for (const double sign : {1.0, -1.0})
      groupings.add([&](Index i) {
        Index best = 0, next = -1;
        for (Index j = 1; j < d; ++j) {
          if (sign * x(i, j) > sign * x(i, best)) {
            next = best;
            best = j;
          } else if (next < 0 || sign * x(i, j) > sign * x(i, next)) {
            next = j;
          }
        }
        return static_cast<std::int64_t>(second ? next : best);
      });
  groupings.add([&](Index i) { return static_cast<std::int64_t>((x.row(i).leftCols(d).array() > 0).count()); });
  groupings.add([&](Index i) {
    std::int64_t pattern = 0;
    for (Index j = 0; j < std::min(d, most_signs); ++j) pattern = 2 * pattern + (x(i, j) > 0 ? 1 : 0);
    return pattern;
  });
  const Index ordered = std::min(d, most_ordered);
  const auto below = [&](Index i, Index a, Index b) { return static_cast<std::int64_t>(x(i, a) < x(i, b)); };
  for (Index a = 0; a < ordered; ++a)
    for (Index b = 0; b < a; ++b) {
      groupings.add([&](Index i) { return 2 * below(i, a, b) + (x(i, a) == x(i, b) ? 1 : 0); });
      for (Index c = 0; c < b; ++c) {
        const auto of_three = [&](Index i) { return 4 * below(i, a, b) + 2 * below(i, b, c) + below(i, a, c); };
        groupings.add(of_three);
        for (Index e = 0; e < c; ++e) {
          const auto of_four = [&](Index i) { return 8 * of_three(i) + 4 * below(i, a, e) + 2 * below(i, b, e) + below(i, c, e); };
          groupings.add(of_four);
          groupings.add(
              [&](Index i) { return static_cast<std::int64_t>(__builtin_popcountll(static_cast<unsigned long long>(of_four(i))) % 2); });
        }
      }
    }
}

/// Rows that hold a column's commonest value, where that is one of many: it was filled in.
void add_filled(const Matrix& x, Groupings& groupings) {
  constexpr double often = 0.01;
  std::vector<std::vector<bool>> filled;
  for (Index j = 0; j < x.cols(); ++j) {
    const std::vector<Index> order = order_of(x.col(j));
    std::size_t begin = 0, from = 0, longest = 0;
    for (std::size_t k = 1; k <= order.size(); ++k)
      if (k == order.size() || x(order[k], j) != x(order[begin], j)) {
        if (k - begin > longest) {
          longest = k - begin;
          from = begin;
        }
        begin = k;
      }
    if (static_cast<double>(longest) < often * static_cast<double>(order.size()) || longest < 5) continue;
    const double value = x(order[from], j);
    groupings.add([&](Index i) { return static_cast<std::int64_t>(x(i, j) == value); });
  }
}

/// Of Σ_g (Σ_{i in g} w_i r_i)² / count_g under flips of signs: value, mean and variance.
struct SumOverGroups {
  double value = 0, mean = 0, variance = 0;
  double chance() const { return variance > 0 ? gamma_tail(mean, variance, value) : 1.0; }
};

SumOverGroups sum_over(const Grouping& grouping, const Matrix& residual) {
  Vector count = Vector::Zero(grouping.count);
  for (const Index g : grouping.group) ++count[g];
  const Vector one_over = count.cwiseInverse();
  SumOverGroups sum;
  Vector total(grouping.count), square(grouping.count), fourth(grouping.count);
  for (const auto& output : residual.colwise()) {
    total.setZero();
    square.setZero();
    fourth.setZero();
    for (Index i = 0; i < output.size(); ++i) {
      const Index g = grouping.group[static_cast<std::size_t>(i)];
      const double r = output[i], r2 = r * r;
      total[g] += r;
      square[g] += r2;
      fourth[g] += r2 * r2;
    }
    sum.value += total.cwiseAbs2().dot(one_over);
    sum.mean += square.dot(one_over);
    sum.variance += 2 * (square.cwiseAbs2() - fourth).dot(one_over.cwiseAbs2());
  }
  return sum;
}

/// (Qᵀ r)² over orthonormal functions Q that are constant, or go with a weight, in each group, beyond what the answer can do.
class SumBeyond {
 public:
  SumBeyond(const Grouping& grouping, const Vector& weight, const Matrix& basis) {
    Matrix features = Matrix::Zero(weight.size(), grouping.count);
    for (Index i = 0; i < weight.size(); ++i) features(i, grouping.group[static_cast<std::size_t>(i)]) = weight[i];
    functions_ = spanning_basis(beyond(basis, std::move(features)), Orthogonal::to_nine_digits);
  }
  double of(const Matrix& residual) const { return (functions_.transpose() * residual).squaredNorm(); }
  /// Against flips.
  double chance(const Matrix& residual) const {
    SumOverGroups sum;
    sum.value = of(residual);
    const Vector size = functions_.rowwise().squaredNorm();
    for (const auto& output : residual.colwise()) {
      const Vector square = output.cwiseAbs2();
      sum.mean += square.dot(size);
      const Matrix products = functions_.transpose() * (square.asDiagonal() * functions_);
      sum.variance += 2 * (products.squaredNorm() - square.cwiseProduct(size).squaredNorm());
    }
    return sum.chance();
  }

 private:
  Matrix functions_;
};

}  // namespace

std::vector<Grouping> groupings_of(const Matrix& x) {
  Groupings groupings(x.rows());
  add_levels(x, groupings);
  add_residues(x, groupings);
  add_orders(x, groupings);
  add_filled(x, groupings);
  return std::move(groupings.all);
}

std::vector<Grouping> patterns_of(const Matrix& t) {
  constexpr Index most_units = 62;
  if (t.cols() < 2) return {};
  Groupings groupings(t.rows());
  groupings.add([&](Index i) { return static_cast<std::int64_t>((t.row(i).array() > 0).count()); });
  groupings.add([&](Index i) {
    std::int64_t pattern = 0;
    for (Index j = 0; j < std::min(t.cols(), most_units); ++j) pattern = 2 * pattern + (t(i, j) > 0 ? 1 : 0);
    return pattern;
  });
  return std::move(groupings.all);
}

double groups_left(const std::vector<Grouping>& groupings, const Matrix& weights, const Matrix& basis, const Matrix& residual,
                   Chance chance, RandomStream& random) {
  constexpr Index few_groups = 50, draws = 1500;
  constexpr std::size_t most_beyond = 12, few_groupings = 2;
  constexpr double could_matter = 1e-3, suspicious = 0.02;
  if (groupings.empty() || residual.rows() < 20) return 1;
  const bool few = groupings.size() <= few_groupings;  // all are looked at in full
  // As they are, and with slopes.
  struct Look {
    const Grouping* grouping;
    Vector weight;
    double chance;
  };
  std::vector<Look> promising;
  double least = 1;
  Index count = 0;
  const auto weighted = [&](const Look& look) { return Matrix(look.weight.asDiagonal() * residual); };
  for (Index w = -1; w < weights.cols(); ++w) {
    const Vector weight = w < 0 ? Vector::Ones(residual.rows()) : Vector(weights.col(w));
    const Matrix with_weight = weight.asDiagonal() * residual;
    for (const Grouping& grouping : groupings) {
      if (w >= 0 && grouping.count > few_groups) continue;
      ++count;
      const double there = sum_over(grouping, with_weight).chance();
      if (few || there < suspicious) promising.push_back({&grouping, weight, there});
    }
  }
  std::sort(promising.begin(), promising.end(), [](const Look& a, const Look& b) { return a.chance < b.chance; });
  if (!promising.empty()) least = promising.front().chance;
  // The residual has nothing along the answer's own functions: what a group shares with these hides the rest of it.
  std::optional<SumBeyond> best;
  for (std::size_t k = 0; k < promising.size() && chance == Chance::flips && basis.cols() > 0; ++k) {
    const Look& look = promising[k];
    if (look.grouping->count > few_groups || (k >= most_beyond && !few)) continue;
    SumBeyond sum(*look.grouping, look.weight, basis);
    if (const double there = sum.chance(residual); there < least) {
      least = there;
      best = std::move(sum);
    }
  }
  const double of_all = std::min(1.0, least * static_cast<double>(count));
  if (of_all > could_matter) return of_all;
  const Matrix values = best ? residual : weighted(promising.front());
  const auto sum_of = [&](const Matrix& r) { return best ? best->of(r) : sum_over(*promising.front().grouping, r).value; };
  Vector drawn(draws);
  for (Index k = 0; k < draws; ++k)
    drawn[k] = sum_of(chance == Chance::flips ? Matrix(random_signs(values.rows(), 1, random).col(0).asDiagonal() * values)
                                              : Matrix(values(random_rows(values.rows(), values.rows(), random), Eigen::all)));
  return std::min(1.0, std::max(least, tail_of_many_draws(drawn, sum_of(values))) * static_cast<double>(count));
}

}  // namespace relucover
