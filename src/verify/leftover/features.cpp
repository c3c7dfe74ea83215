#include "verify/leftover/features.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <utility>

#include "core/linear_algebra.hpp"

namespace relucover {

namespace {

/// features V / √e over the eigenvalues of its Gram matrix that stand out of rounding.
Matrix by_eigenvectors(const Matrix& features, const Matrix& gram) {
  constexpr double rounding = 1e-11;
  const SymmetricEigen eigen = symmetric_eigen(gram);
  Index first = 0;
  while (first < eigen.values.size() && !(eigen.values[first] > rounding * eigen.values[eigen.values.size() - 1])) ++first;
  const Index kept = eigen.values.size() - first;
  return features * (eigen.vectors.rightCols(kept) * eigen.values.tail(kept).cwiseSqrt().cwiseInverse().asDiagonal());
}

template <class AnyMatrix>
AnyMatrix by_blocks_over_lower(const AnyMatrix& features, const Matrix& lower) {
  const Index at_once = std::max<Index>(64, (lower.rows() + 1) / 2);
  const AnyMatrix turn =
      solve_lower(lower, Matrix::Identity(lower.rows(), lower.cols())).transpose().template cast<typename AnyMatrix::Scalar>();
  AnyMatrix basis(features.rows(), features.cols());
  for (Index from = 0; from < basis.cols(); from += at_once) {
    const Index some = std::min(at_once, basis.cols() - from), used = from + some;
    basis.middleCols(from, some).noalias() = features.leftCols(used) * turn.block(0, from, used, some);
  }
  return basis;
}

/// The lower half of columnsᵀ columns.
Matrix lower_gram(const Matrix& columns) {
  Matrix gram = Matrix::Zero(columns.cols(), columns.cols());
  gram.selfadjointView<Eigen::Lower>().rankUpdate(columns.transpose());
  return gram;
}

}  // namespace

Matrix over_lower(const Matrix& features, const Matrix& lower) { return by_blocks_over_lower(features, lower); }
RoughMatrix over_lower(const RoughMatrix& features, const Matrix& lower) { return by_blocks_over_lower(features, lower); }

Matrix spanning_basis(Matrix features, Orthogonal wanted) {
  std::vector<Index> some;
  const Vector norms = features.colwise().norm();
  for (Index j = 0; j < norms.size(); ++j)
    if (norms[j] > 0) some.push_back(j);
  if (some.empty()) return Matrix(features.rows(), 0);
  if (static_cast<Index>(some.size()) < features.cols()) features = features(Eigen::all, some).eval();
  for (Index j = 0; j < features.cols(); ++j) features.col(j) /= norms[some[static_cast<std::size_t>(j)]];
  const Matrix gram = lower_gram(features);
  constexpr double clearly_regular = 1e-8;
  Cholesky factor(gram);
  Matrix basis =
      factor.definite() && factor.least_pivot() > clearly_regular ? over_lower(features, factor.lower()) : by_eigenvectors(features, gram);
  const double well_conditioned = wanted == Orthogonal::to_rounding ? 0.05 : 1e-4;
  if (factor.definite() && factor.least_pivot() > well_conditioned) return basis;
  const Cholesky again(lower_gram(basis));  // once more: what the Gram matrix lost to rounding
  return again.definite() ? over_lower(basis, again.lower()) : basis;
}

Vector leverage_of(const Matrix& basis) { return basis.rowwise().squaredNorm(); }

Matrix of_unit_size(Matrix values) {
  const double largest = values.size() > 0 ? values.cwiseAbs().maxCoeff() : 0.0;
  if (!(largest > 0)) return values;
  values /= largest;
  return values * (std::sqrt(static_cast<double>(values.size())) / values.norm());
}

Matrix orthogonal_to(const Matrix& basis, Matrix features) {
  if (basis.cols() > 0) features.noalias() -= basis * (basis.transpose() * features);
  return features;
}

Matrix standardised(const Matrix& x) {
  const Eigen::RowVectorXd mean = x.colwise().mean();
  Matrix columns = x.rowwise() - mean;
  const Eigen::RowVectorXd spread = (columns.colwise().squaredNorm() / static_cast<double>(std::max<Index>(1, x.rows()))).cwiseSqrt();
  std::vector<Index> varying;
  for (Index j = 0; j < x.cols(); ++j)
    if (spread[j] > 1e-12 * std::max(std::abs(mean[j]), 1e-300)) varying.push_back(j);
  return columns(Eigen::all, varying) * spread(varying).cwiseInverse().asDiagonal();
}

Matrix whitened(const Matrix& x) {
  Matrix z = standardised(x);
  if (z.cols() == 0) return z;
  const double rows = static_cast<double>(std::max<Index>(1, x.rows()));
  const SymmetricEigen eigen = symmetric_eigen(z.transpose() * z / rows);
  Index first = 0;
  while (first < eigen.values.size() && !(eigen.values[first] > 1e-10 * eigen.values[eigen.values.size() - 1])) ++first;
  const Index kept = eigen.values.size() - first;
  return z * (eigen.vectors.rightCols(kept) * eigen.values.tail(kept).cwiseSqrt().cwiseInverse().asDiagonal());
}

Matrix with_ones(const Matrix& z) {
  Matrix z1(z.rows(), z.cols() + 1);
  z1 << z, Vector::Ones(z.rows());
  return z1;
}

Matrix random_signs(Index rows, Index columns, RandomStream& random) {
  Matrix signs(rows, columns);
  std::uint32_t bits = 0;
  for (Index i = 0; i < signs.size(); ++i) {
    if (i % 32 == 0) bits = random.bits();
    signs.data()[i] = bits & 1 ? 1.0 : -1.0;
    bits >>= 1;
  }
  return signs;
}

std::vector<Index> random_rows(Index size, Index count, RandomStream& random) {
  count = std::min(count, size);
  if (20 * count < size) {  // few of many: drawn until they differ
    std::vector<Index> few;
    while (static_cast<Index>(few.size()) < count)
      if (const Index row = random.below(size); std::find(few.begin(), few.end(), row) == few.end()) few.push_back(row);
    return few;
  }
  std::vector<Index> rows(static_cast<std::size_t>(size));
  std::iota(rows.begin(), rows.end(), Index{0});
  for (Index i = 0; i < count; ++i)
    std::swap(rows[static_cast<std::size_t>(i)], rows[static_cast<std::size_t>(i + random.below(size - i))]);
  rows.resize(static_cast<std::size_t>(count));
  return rows;
}

namespace {

/// A number and where it stood; keys rise with the number.
struct PlacedKey {
  std::uint64_t key = 0;
  Index place = 0;
};

constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63;

std::uint64_t rising_bits(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);  // 0 and -0 are one number
  return (bits & sign_bit) != 0 ? ~bits : bits | sign_bit;
}
double value_of(std::uint64_t key) { return std::bit_cast<double>((key & sign_bit) != 0 ? key ^ sign_bit : ~key); }

constexpr int later_bits = 31;

constexpr Index few_to_sort = 200;

/// Sorts by all but the later bits of the keys, digit by digit: several times as fast as comparing.
template <typename Item>
void sort_by_first_bits(std::vector<Item>& items, const auto& key_of) {
  constexpr int digit = 11, digits = 3, from = later_bits;
  constexpr std::uint64_t mask = (1U << digit) - 1;
  std::array<std::array<std::uint32_t, mask + 1>, digits> counts{};
  for (const Item& item : items)
    for (int i = 0; i < digits; ++i) ++counts[i][(key_of(item) >> (from + digit * i)) & mask];
  std::vector<Item> sorted(items.size());
  for (int i = 0; i < digits; ++i) {
    std::uint32_t before = 0;
    for (std::uint32_t& count : counts[i]) before += std::exchange(count, before);
    for (const Item& item : items) sorted[counts[i][(key_of(item) >> (from + digit * i)) & mask]++] = item;
    items.swap(sorted);
  }
}

/// What the first bits do not tell apart is little, unless values are nearly equal.
template <typename Item>
void sort_by_later_bits(std::vector<Item>& items, const auto& key_of, const auto& before) {
  const auto first_bits = [&](const Item& item) { return key_of(item) >> later_bits; };
  for (auto first = items.begin(); first != items.end();) {
    const auto last = std::find_if(first + 1, items.end(), [&](const Item& item) { return first_bits(item) != first_bits(*first); });
    if (last - first > 1) std::sort(first, last, before);
    first = last;
  }
}

}  // namespace

std::vector<Index> order_of(const Vector& values) {
  std::vector<PlacedKey> sorted(static_cast<std::size_t>(values.size()));
  for (Index i = 0; i < values.size(); ++i) sorted[static_cast<std::size_t>(i)] = {rising_bits(values[i]), i};
  const auto key_of = [](const PlacedKey& item) { return item.key; };
  const auto before = [](const PlacedKey& a, const PlacedKey& b) { return std::pair(a.key, a.place) < std::pair(b.key, b.place); };
  if (values.size() <= few_to_sort) {
    std::sort(sorted.begin(), sorted.end(), before);
  } else {
    sort_by_first_bits(sorted, key_of);
    sort_by_later_bits(sorted, key_of, before);
  }
  std::vector<Index> order(sorted.size());
  for (std::size_t place = 0; place < order.size(); ++place) order[place] = sorted[place].place;
  return order;
}

std::vector<Index> least_of(const Vector& values, Index count) {
  std::vector<Index> order(static_cast<std::size_t>(values.size()));
  std::iota(order.begin(), order.end(), Index{0});
  const auto end = order.begin() + std::min(count, values.size());
  std::partial_sort(order.begin(), end, order.end(), [&](Index a, Index b) { return std::pair(values[a], a) < std::pair(values[b], b); });
  order.erase(end, order.end());
  return order;
}

// By 22 bits of v / (1 + |v|), of values of unit size: fine where most values lie, and far out in proportion to them.
void rough_order_of(const Eigen::Ref<const Vector>& values, std::vector<std::uint32_t>& order) {
  constexpr int digit = 11;
  constexpr std::uint32_t digits = 1U << digit, mask = digits - 1;
  struct Placed {
    std::uint32_t key, place;
  };
  const auto n = static_cast<std::size_t>(values.size());
  const double one_over_size = std::sqrt(static_cast<double>(n)) / std::max(values.norm(), 1e-300);
  std::vector<Placed> keys(n), sorted(n);
  std::array<std::uint32_t, digits> low{}, high{};
  const Eigen::ArrayXf scaled = (values * one_over_size).array().cast<float>();
  constexpr auto largest_half = digits * digits / 2 - 1;
  const Eigen::ArrayXf bits = (1 + scaled / (1 + scaled.abs())) * static_cast<float>(largest_half);
  for (std::size_t i = 0; i < n; ++i) {
    const auto key = static_cast<std::uint32_t>(bits[static_cast<Index>(i)]);
    keys[i] = {key, static_cast<std::uint32_t>(i)};
    ++low[key & mask];
    ++high[key >> digit];
  }
  std::uint32_t before_low = 0, before_high = 0;
  for (std::uint32_t k = 0; k < digits; ++k) {
    before_low += std::exchange(low[k], before_low);
    before_high += std::exchange(high[k], before_high);
  }
  for (const Placed& item : keys) sorted[low[item.key & mask]++] = item;
  order.resize(n);
  for (const Placed& item : sorted) order[high[item.key >> digit]++] = item.place;
}

Matrix sorted_columns(Matrix values) {
  std::vector<std::uint64_t> keys(static_cast<std::size_t>(values.rows()));
  const auto key_of = [](std::uint64_t key) { return key; };
  for (auto column : values.colwise()) {
    if (column.size() <= few_to_sort) {
      std::sort(column.begin(), column.end());
      continue;
    }
    for (Index i = 0; i < column.size(); ++i) keys[static_cast<std::size_t>(i)] = rising_bits(column[i]);
    sort_by_first_bits(keys, key_of);
    sort_by_later_bits(keys, key_of, std::less<>());
    for (Index i = 0; i < column.size(); ++i) column[i] = value_of(keys[static_cast<std::size_t>(i)]);
  }
  return values;
}

Vector relative_ranks(const Vector& values) {
  const std::vector<Index> order = order_of(values);
  Vector ranks(values.size());
  for (std::size_t place = 0; place < order.size(); ++place)
    ranks[order[place]] = static_cast<double>(place + 1) / static_cast<double>(order.size());
  return ranks;
}

double robust_deviation(const Vector& values) { return 1.4826 * median_of(values.cwiseAbs()); }

std::vector<Index> growing_counts(Index first, Index most, double ratio, bool with_last) {
  std::vector<Index> counts;
  auto m = static_cast<double>(first);
  while (m <= static_cast<double>(most)) {
    counts.push_back(static_cast<Index>(m));
    m = std::max(m + 1, m * ratio);
  }
  if (with_last && (counts.empty() || counts.back() != most)) counts.push_back(most);
  return counts;
}

}  // namespace relucover
