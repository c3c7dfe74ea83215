#include "verify/leftover/groups_left.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>

#include "core/linear_algebra.hpp"
#include "verify/leftover/features.hpp"
#include "verify/leftover/flipped_scores.hpp"
#include "verify/leftover/tails.hpp"

namespace relucover {

namespace {

constexpr Index fewest_rows = 4;  // of a group, in the mean
constexpr Index few_groups = 50;

/// Rows of equal numbers are a group.
std::optional<Grouping> grouping_of(const std::vector<std::int64_t>& numbers) {
  const auto [least, largest] = std::minmax_element(numbers.begin(), numbers.end());
  const auto most = static_cast<std::int64_t>(numbers.size()) / fewest_rows;
  Grouping made;
  made.group.reserve(numbers.size());
  if (const std::int64_t low = *least; *largest - low <= 16 * most) {  // the place of each number in a table
    std::vector<Index> group(static_cast<std::size_t>(*largest - low + 1), -1);
    for (const std::int64_t number : numbers) group[static_cast<std::size_t>(number - low)] = 0;
    for (Index& of : group)
      if (of == 0) of = made.count++;
    if (made.count < 2 || made.count > most) return {};
    for (const std::int64_t number : numbers) made.group.push_back(group[static_cast<std::size_t>(number - low)]);
    return made;
  }
  std::vector<std::int64_t> distinct = numbers;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  made.count = std::ssize(distinct);
  if (made.count < 2 || made.count > most) return {};
  for (const std::int64_t number : numbers)
    made.group.push_back(std::lower_bound(distinct.begin(), distinct.end(), number) - distinct.begin());
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
void add_levels(const Matrix& x, const Matrix& sorted, Groupings& groupings) {
  constexpr Index few_levels = 16, most_columns = 60, most_crossed = 10;
  std::vector<Grouping> levels;
  std::vector<Index> small;  // places in `levels`
  Vector sum = Vector::Zero(x.rows());
  for (Index j = 0; j < std::min(x.cols(), most_columns); ++j) {
    std::vector<double> distinct;
    std::unique_copy(sorted.col(j).begin(), sorted.col(j).end(), std::back_inserter(distinct));
    if (fewest_rows * std::ssize(distinct) > x.rows()) continue;
    Groupings of_column(x.rows());
    of_column.add([&](Index i) { return std::lower_bound(distinct.begin(), distinct.end(), x(i, j)) - distinct.begin(); });
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
  // Of each row: which of two columns is smaller, for all pairs.
  const Index ordered = std::min(d, most_ordered);
  const auto pair = [](Index a, Index b) { return a * (a - 1) / 2 + b; };
  std::vector<std::uint32_t> smaller(static_cast<std::size_t>(x.rows()));
  for (Index a = 0; a < ordered; ++a)
    for (Index b = 0; b < a; ++b)
      for (Index i = 0; i < x.rows(); ++i)
        smaller[static_cast<std::size_t>(i)] |= static_cast<std::uint32_t>(x(i, a) < x(i, b)) << pair(a, b);
  const auto below = [&](Index i, Index a, Index b) {
    return static_cast<std::int64_t>(smaller[static_cast<std::size_t>(i)] >> pair(a, b) & 1);
  };
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
void add_filled(const Matrix& x, const Matrix& sorted, Groupings& groupings) {
  constexpr double often = 0.01;
  for (Index j = 0; j < x.cols(); ++j) {
    const auto values = sorted.col(j);
    Index begin = 0, from = 0, longest = 0;
    for (Index k = 1; k <= values.size(); ++k)
      if (k == values.size() || values[k] != values[begin]) {
        if (k - begin > longest) {
          longest = k - begin;
          from = begin;
        }
        begin = k;
      }
    if (static_cast<double>(longest) < often * static_cast<double>(values.size()) || longest < 5) continue;
    const double value = values[from];
    groupings.add([&](Index i) { return static_cast<std::int64_t>(x(i, j) == value); });
  }
}

/// Of Σ_g (Σ_{i in g} w_i r_i)² / count_g under flips of signs: value, mean and variance.
struct SumOverGroups {
  double value = 0, mean = 0, variance = 0;
  double chance() const { return variance > 0 ? gamma_tail(mean, variance, value) : 1.0; }
};

/// The same for all weights at once: of each, and before these of no weight. The variance is that of outputs that are alike.
class SumsOverGroups {
 public:
  SumsOverGroups(const std::vector<Grouping>& groupings, const Matrix& weights, const Matrix& residual, Index few_groups)
      : sums_(groupings.size(), std::vector<SumOverGroups>(static_cast<std::size_t>(weights.cols() + 1))) {
    // Rows that fit into the fastest memory: all groupings look at them there. Of each weight: all outputs, their sum of squares,
    // and the square of this.
    constexpr Index at_once = 512;
    const Index n = residual.rows(), outputs = residual.cols(), moments = outputs + 2, all = moments * (weights.cols() + 1);
    const RoughMatrix r = residual.cast<float>(), w = weights.cast<float>();
    const RoughVector square = r.rowwise().squaredNorm(), fourth = square.cwiseAbs2();
    RowMajor<float> powers(std::min(at_once, n), all);
    std::vector<RowMajor<float>> totals;
    std::vector<Vector> counts;
    for (const Grouping& grouping : groupings) {
      totals.emplace_back(RowMajor<float>::Zero(grouping.count, grouping.count > few_groups ? moments : all));
      counts.emplace_back(Vector::Zero(grouping.count));
      for (const Index g : grouping.group) ++counts.back()[g];
    }
    for (Index first = 0; first < n; first += at_once) {
      const Index some = std::min(at_once, n - first);
      for (Index k = 0; k <= weights.cols(); ++k) {
        auto of = powers.middleCols(moments * k, moments).topRows(some);
        of << r.middleRows(first, some), square.segment(first, some), fourth.segment(first, some);
        if (k == 0) continue;
        const RoughVector weight = w.col(k - 1).segment(first, some), weight_square = weight.cwiseAbs2();
        of.leftCols(outputs).array().colwise() *= weight.array();
        of.col(outputs).array() *= weight_square.array();
        of.col(outputs + 1).array() *= weight_square.array().square();
      }
      for (std::size_t k = 0; k < groupings.size(); ++k) {
        const Index* group = groupings[k].group.data() + first;
        const Index width = totals[k].cols();
        for (Index i = 0; i < some; ++i) totals[k].row(group[i]) += powers.row(i).head(width);
      }
    }
    for (std::size_t k = 0; k < groupings.size(); ++k) {
      const Vector one_over = counts[k].cwiseInverse();
      for (Index j = 0; moments * j < totals[k].cols(); ++j) {
        const Matrix of = totals[k].middleCols(moments * j, moments).cast<double>();
        SumOverGroups& sum = sums_[k][static_cast<std::size_t>(j)];
        sum.value = of.leftCols(outputs).rowwise().squaredNorm().dot(one_over);
        sum.mean = of.col(outputs).dot(one_over);
        sum.variance = 2 * (of.col(outputs).cwiseAbs2() - of.col(outputs + 1)).dot(one_over.cwiseAbs2()) / static_cast<double>(outputs);
      }
    }
  }
  const SumOverGroups& of(std::size_t grouping, Index weight) const { return sums_[grouping][static_cast<std::size_t>(weight)]; }

 private:
  std::vector<std::vector<SumOverGroups>> sums_;
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
  SumBeyond(const Grouping& grouping, const Vector& weight, const RoughBasis& basis) {
    RoughMatrix features = RoughMatrix::Zero(weight.size(), grouping.count);
    for (Index i = 0; i < weight.size(); ++i) features(i, grouping.group[static_cast<std::size_t>(i)]) = static_cast<float>(weight[i]);
    functions_ = spanning_basis(basis.beyond(std::move(features)).cast<double>(), Orthogonal::to_nine_digits);
  }
  Index size() const { return functions_.cols(); }
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

/// A grouping with a weight (0: none), and the chance of its sum.
struct GroupLook {
  const Grouping* grouping;
  Index weight;
  double chance;
};

/// Chances of the sums beyond what the answer can do, by products alone: as if what is left of a group's function lay where the function
/// lies, and as if noise were even, whichever is less.
std::vector<double> rough_chances_beyond(const std::vector<GroupLook>& looks, const Matrix& weights, const RoughBasis& basis,
                                         const Matrix& residual) {
  constexpr Index at_once = 128;    // rows that stay in fast memory while all looks go through them
  constexpr double spanned = 1e-4;  // of a function's square: less can't be told from rounding
  const Index n = residual.rows(), functions = basis.size(), outputs = residual.cols();
  const RoughMatrix r = residual.cast<float>(), w = weights.cast<float>();
  const RoughVector squares = r.rowwise().squaredNorm();
  RowMajor<float> terms(std::min(at_once, n), functions + outputs);
  std::vector<RowMajor<float>> sums;
  std::vector<Vector> sizes, noises;  // of each group: Σ w², Σ w² r²
  for (const GroupLook& look : looks) {
    sums.emplace_back(RowMajor<float>::Zero(look.grouping->count, terms.cols()));
    sizes.emplace_back(Vector::Zero(look.grouping->count));
    noises.emplace_back(Vector::Zero(look.grouping->count));
  }
  for (Index first = 0; first < n; first += at_once) {
    const Index some = std::min(at_once, n - first);
    terms.topRows(some) << basis.columns().middleRows(first, some), r.middleRows(first, some);
    for (std::size_t k = 0; k < looks.size(); ++k) {
      const Index* group = looks[k].grouping->group.data() + first;
      for (Index i = 0; i < some; ++i) {
        const float weight = looks[k].weight == 0 ? 1.0F : w(first + i, looks[k].weight - 1);
        sums[k].row(group[i]) += weight * terms.row(i);
        sizes[k][group[i]] += static_cast<double>(weight * weight);
        noises[k][group[i]] += static_cast<double>(weight * weight * squares[first + i]);
      }
    }
  }
  const Matrix along = basis.along(residual);
  const double mean_square = residual.squaredNorm() / static_cast<double>(n);
  std::vector<double> chances;
  for (std::size_t k = 0; k < looks.size(); ++k) {
    const Matrix by_basis = sums[k].leftCols(functions).cast<double>();
    const Vector scale = sizes[k].cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
    const Matrix left = scale.asDiagonal() * (sums[k].rightCols(outputs).cast<double>() - by_basis * along),
                 scaled = scale.asDiagonal() * by_basis;
    const SymmetricEigen eigen = symmetric_eigen(Matrix::Identity(scale.size(), scale.size()) - scaled * scaled.transpose());
    const Vector inverse = (eigen.values.array() > spanned).select(eigen.values.array().inverse(), 0.0);
    const Matrix inverted = eigen.vectors * inverse.asDiagonal() * eigen.vectors.transpose();
    const auto rank = static_cast<double>((inverse.array() > 0).count());
    const double value = left.cwiseProduct(inverted * left).sum(), share = rank / std::max(inverted.trace(), 1e-300);
    const Vector noise = noises[k].cwiseProduct(scale.cwiseAbs2());
    const SumOverGroups even{value, rank * mean_square, 2 * rank * mean_square * mean_square / static_cast<double>(outputs)},
        by_rows{value, share * inverted.diagonal().dot(noise),
                2 * share * share * noise.dot(inverted.cwiseAbs2() * noise) / static_cast<double>(outputs)};
    chances.push_back(std::min(even.chance(), by_rows.chance()));
  }
  return chances;
}

}  // namespace

std::vector<Grouping> groupings_of(const Matrix& x) {
  Groupings groupings(x.rows());
  const Matrix sorted = sorted_columns(x);
  add_levels(x, sorted, groupings);
  add_residues(x, groupings);
  add_orders(x, groupings);
  add_filled(x, sorted, groupings);
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

double groups_left(const std::vector<Grouping>& groupings, const Matrix& weights, const RoughBasis* basis, const Matrix& residual,
                   Chance chance, RandomStream& random, const Control& control) {
  constexpr Index draws = 1500;
  constexpr std::size_t most_beyond = 12, few_groupings = 2;
  constexpr double could_matter = 1e-3, surely_ordinary = 0.1, suspicious = 0.02;
  if (groupings.empty() || residual.rows() < 20) return 1;
  const bool few = groupings.size() <= few_groupings;  // all are looked at in full
  control.check();
  const SumsOverGroups sums(groupings, weights, residual, few_groups);
  control.check();
  std::vector<GroupLook> promising;
  Index count = 0;
  for (Index w = 0; w <= weights.cols(); ++w)
    for (std::size_t k = 0; k < groupings.size(); ++k) {
      if (w > 0 && groupings[k].count > few_groups) continue;
      ++count;
      if (const double there = sums.of(k, w).chance(); few || there < suspicious) promising.push_back({&groupings[k], w, there});
    }
  if (promising.empty()) return 1;
  const auto weight_of = [&](const GroupLook& look) {
    return look.weight == 0 ? Vector(Vector::Ones(residual.rows())) : Vector(weights.col(look.weight - 1));
  };
  if (residual.cols() > 1)
    for (GroupLook& look : promising) look.chance = sum_over(*look.grouping, weight_of(look).asDiagonal() * residual).chance();
  std::sort(promising.begin(), promising.end(), [](const GroupLook& a, const GroupLook& b) { return a.chance < b.chance; });
  double least = promising.front().chance;
  // The residual has nothing along the answer's own functions: what a group shares with these hides the rest of it.
  std::optional<SumBeyond> best;
  if (basis != nullptr) {
    std::vector<GroupLook> beyond;
    for (std::size_t k = 0; k < promising.size() && (k < most_beyond || few); ++k)
      if (promising[k].grouping->count <= few_groups) beyond.push_back(promising[k]);
    const std::vector<double> rough = rough_chances_beyond(beyond, weights, *basis, residual);
    for (std::size_t k = 0; k < beyond.size(); ++k) {
      if (rough[k] * static_cast<double>(count) > surely_ordinary) {
        least = std::min(least, rough[k]);
        continue;
      }
      control.check();
      SumBeyond sum(*beyond[k].grouping, weight_of(beyond[k]), *basis);
      if (const double there = sum.chance(residual); there < least) {
        least = there;
        best = std::move(sum);
      }
    }
  }
  const double of_all = std::min(1.0, least * static_cast<double>(count));
  if (of_all > could_matter) return of_all;
  const Matrix values = best ? residual : Matrix(weight_of(promising.front()).asDiagonal() * residual);
  const auto sum_of = [&](const Matrix& r) { return best ? best->of(r) : sum_over(*promising.front().grouping, r).value; };
  Vector drawn(draws);
  for (double& sum : drawn) {
    control.check();
    sum = sum_of(chance == Chance::flips ? Matrix(random_signs(values.rows(), 1, random).col(0).asDiagonal() * values)
                                         : Matrix(values(random_rows(values.rows(), values.rows(), random), Eigen::all)));
  }
  return std::min(1.0, std::max(least, tail_of_many_draws(drawn, sum_of(values))) * static_cast<double>(count));
}

double groups_left(const std::vector<Grouping>& groupings, const EvenNoise& even) {
  if (!even.normal) return 1;
  double least = 1;
  for (const Grouping& grouping : groupings) {
    if (grouping.count > few_groups) continue;
    const SumBeyond sum(grouping, even.weights.cast<double>(), even.basis);
    const auto freedom = static_cast<double>(sum.size() * even.residual.cols());
    if (freedom > 0) least = std::min(least, gamma_tail(freedom, 2 * freedom, sum.of(even.residual.cast<double>())));
  }
  return std::min(1.0, least * static_cast<double>(std::max<std::size_t>(1, groupings.size())));
}

}  // namespace relucover
