#include "decompose/consensus.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/linear_algebra.hpp"
#include "core/median.hpp"
#include "core/random.hpp"

namespace relucover {

namespace {

std::vector<Index> draw_set(Index size, Index bound, RandomStream& random) {
  std::vector<Index> set;
  while (static_cast<Index>(set.size()) < size) {
    const Index one = random.below(bound);
    if (std::find(set.begin(), set.end(), one) == set.end()) set.push_back(one);
  }
  return set;
}

/// The direction that the columns leave out, of one row more than columns.
Vector normal_of(const Matrix& columns) { return orthonormal_basis(columns, columns.rows()).col(columns.rows() - 1); }

/// Among the columns given, those that satisfy the relation.
std::vector<Index> agreeing(const Matrix& rows, const std::vector<Index>& columns, const Vector& normal, double tolerance) {
  std::vector<Index> found;
  for (const Index j : columns)
    if (std::abs(normal.dot(rows.col(j))) <= tolerance) found.push_back(j);
  return found;
}

/// Columns that are not zero in these rows: a zero satisfies every relation.
std::vector<Index> telling_columns(const Matrix& rows, double size) {
  std::vector<Index> columns;
  for (Index j = 0; j < rows.cols(); ++j)
    if (rows.col(j).cwiseAbs().maxCoeff() > 1e-6 * size) columns.push_back(j);
  return columns;
}

/// The columns without those that a relation was drawn from, which satisfy it whether it is right or not.
std::vector<Index> without(const std::vector<Index>& columns, const std::vector<Index>& drawn) {
  std::vector<Index> left;
  for (const Index j : columns)
    if (std::find(drawn.begin(), drawn.end(), j) == drawn.end()) left.push_back(j);
  return left;
}

struct Relation {
  std::vector<Index> rows, columns;  // rank + 1 rows, the columns that agree
};

/// A relation between rank + 1 rows that many columns satisfy; no columns if none was found.
Relation find_relation(const Matrix& given, Index rank, double size, const ConsensusOptions& options, const Control& control,
                       Index& draws) {
  constexpr std::size_t looked_at = 200;
  constexpr Index draws_per_rows = 500;
  RandomStream random(options.seed, purpose::subsample, 7000 + static_cast<std::uint64_t>(rank));
  Relation relation;
  Matrix rows;
  std::vector<Index> telling, part;
  const Index most_draws = options.rank > 0 ? options.draws : options.draws / 8;
  for (Index draw = 0; draw < most_draws; ++draw) {
    if (draw % 256 == 0) control.check();
    if (draw % draws_per_rows == 0) {  // rows may be bad, or dependent: others now and then
      relation.rows = draw_set(rank + 1, given.rows(), random);
      rows = given(relation.rows, Eigen::all);
      telling = telling_columns(rows, size);
      part.assign(telling.begin(), telling.begin() + static_cast<std::ptrdiff_t>(std::min(looked_at, telling.size())));
      if (static_cast<Index>(telling.size()) < 4 * rank + 8) continue;
    }
    if (static_cast<Index>(telling.size()) < 4 * rank + 8) continue;
    ++draws;
    std::vector<Index> drawn = draw_set(rank, static_cast<Index>(telling.size()), random);
    for (Index& at : drawn) at = telling[static_cast<std::size_t>(at)];
    const Vector normal = normal_of(rows(Eigen::all, drawn));
    const double tolerance = options.tolerance * size;
    const auto enough = [&](std::size_t count, std::size_t of) {
      return static_cast<double>(count) >= options.support * static_cast<double>(of) + static_cast<double>(rank) + 4;
    };
    if (!enough(agreeing(rows, part, normal, tolerance).size(), part.size())) continue;
    relation.columns = without(agreeing(rows, telling, normal, tolerance), drawn);
    if (!enough(relation.columns.size(), telling.size())) continue;
    // Columns of fewer dimensions would agree with many relations.
    const Vector values = singular_values(rows(Eigen::all, relation.columns));
    if (values[rank - 1] > 1e-6 * values[0] && normal.cwiseAbs().minCoeff() > 1e-6) return relation;
  }
  relation.columns.clear();
  return relation;
}

/// Coefficients of one row in the base rows, by consensus over columns where the base is right.
Vector row_coefficients(const Matrix& base, const Vector& row, double tolerance, RandomStream& random) {
  constexpr int tries = 400;
  const Index rank = base.rows(), n = base.cols();
  Vector best = Vector::Zero(rank);
  Index most = -1;
  // Columns where a unit is at rest agree with wrong coefficients too: only three quarters of all are enough to stop early.
  for (int attempt = 0; attempt < tries && 4 * most < 3 * n; ++attempt) {
    const std::vector<Index> set = draw_set(rank, n, random);
    const Vector coefficients = solve_square(base(Eigen::all, set).transpose(), row(set));
    if (!coefficients.allFinite()) continue;
    const Index count = ((base.transpose() * coefficients - row).cwiseAbs().array() <= tolerance * (1 + coefficients.norm())).count();
    if (count <= most) continue;
    most = count;
    best = coefficients;
  }
  std::vector<Index> right;
  for (Index j = 0; j < n; ++j)
    if (std::abs(base.col(j).dot(best) - row[j]) <= tolerance * (1 + best.norm())) right.push_back(j);
  if (static_cast<Index>(right.size()) <= rank) return best;
  return least_squares(base(Eigen::all, right).transpose(), row(right));
}

/// The coefficients of a column that most of its entries agree on.
Vector column_coefficients(const Matrix& left, const Vector& column, double tolerance, RandomStream& random) {
  constexpr int tries = 60;
  const Index rank = left.cols(), rows = left.rows();
  std::vector<Index> right;
  for (int attempt = 0; attempt < tries && 4 * static_cast<Index>(right.size()) < 3 * rows; ++attempt) {
    const std::vector<Index> set = draw_set(rank, rows, random);
    const Vector v = solve_square(left(set, Eigen::all), column(set));
    if (!v.allFinite()) continue;
    std::vector<Index> agree;
    for (Index i = 0; i < rows; ++i)
      if (std::abs(left.row(i).dot(v) - column[i]) <= tolerance) agree.push_back(i);
    if (agree.size() > right.size()) right = std::move(agree);
  }
  if (static_cast<Index>(right.size()) <= rank) return Vector::Zero(rank);
  return least_squares(left(right, Eigen::all), column(right));
}

/// All rows in terms of those of the relation, in whose columns these are right.
Matrix left_factor(const Matrix& given, const Relation& relation, double tolerance, RandomStream& random, const Control& control) {
  const Index rank = static_cast<Index>(relation.rows.size()) - 1;
  const std::vector<Index> base_rows(relation.rows.begin(), relation.rows.end() - 1);
  const Matrix base = given(base_rows, relation.columns);
  Matrix left(given.rows(), rank);
  for (Index i = 0; i < given.rows(); ++i) {
    control.check();
    left.row(i) = row_coefficients(base, given(i, relation.columns).transpose(), tolerance, random).transpose();
  }
  return orthonormal_basis(left);
}

Matrix right_factor(const Matrix& left, const Matrix& given, double tolerance, RandomStream& random, const Control& control) {
  Matrix right(left.cols(), given.cols());
  for (Index j = 0; j < given.cols(); ++j) {
    if (j % 256 == 0) control.check();
    right.col(j) = column_coefficients(left, given.col(j), tolerance, random);
  }
  return right;
}

/// Share of columns in which more than rank + 1 entries agree.
double explained_share(const Matrix& left, const Matrix& right, const Matrix& given, double tolerance) {
  const auto counts = ((given - left * right).cwiseAbs().array() <= tolerance).cast<Index>().colwise().sum().eval();
  return static_cast<double>((counts > left.cols() + 1).count()) / static_cast<double>(std::max<Index>(given.cols(), 1));
}

}  // namespace

Consensus consensus_factors(const Matrix& given, const Control& control, const ConsensusOptions& options) {
  Consensus result;
  const double size = median_of(Vector(given.reshaped().cwiseAbs()));
  if (!(size > 0)) return result;
  const double tolerance = 10 * options.tolerance * size;
  constexpr Index looked_at = 1000;
  // Columns where a unit is at rest have a rank less and relations of their own: a rank counts if nearly all columns have it.
  constexpr double nearly_all = 0.8;
  const Index first = options.rank > 0 ? options.rank : 1, last = options.rank > 0 ? options.rank : options.max_rank;
  for (Index rank = first; rank <= std::min({last, given.rows() - 2, given.cols() / 3}); ++rank) {
    const Relation relation = find_relation(given, rank, size, options, control, result.draws);
    if (relation.columns.empty()) continue;
    RandomStream random(options.seed, purpose::subsample, 6999);
    const Matrix left = left_factor(given, relation, tolerance, random, control);
    const Matrix part = given.leftCols(std::min(looked_at, given.cols()));
    const double share = explained_share(left, right_factor(left, part, tolerance, random, control), part, tolerance);
    if (share < nearly_all) continue;
    result.rank = rank;
    result.left = left;
    result.right = right_factor(left, given, tolerance, random, control);
    result.agrees = (given - result.left * result.right).cwiseAbs().array() <= tolerance;
    return result;
  }
  return result;
}

}  // namespace relucover
