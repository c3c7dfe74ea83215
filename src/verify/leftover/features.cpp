#include "verify/leftover/features.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
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

}  // namespace

Matrix spanning_basis(Matrix features) {
  std::vector<Index> some;
  const Vector norms = features.colwise().norm();
  for (Index j = 0; j < norms.size(); ++j)
    if (norms[j] > 0) some.push_back(j);
  if (some.empty()) return Matrix(features.rows(), 0);
  if (static_cast<Index>(some.size()) < features.cols()) features = features(Eigen::all, some).eval();
  features.array().rowwise() /= features.colwise().norm().array();
  const Matrix gram = features.transpose() * features;
  constexpr double clearly_regular = 1e-8;
  Cholesky factor(gram);
  Matrix basis = factor.definite() && factor.least_pivot() > clearly_regular
                     ? Matrix(solve_lower(factor.lower(), features.transpose()).transpose())
                     : by_eigenvectors(features, gram);
  constexpr double well_conditioned = 0.05;
  if (factor.definite() && factor.least_pivot() > well_conditioned) return basis;
  const Cholesky again(basis.transpose() * basis);  // once more: what the Gram matrix lost to rounding
  return again.definite() ? Matrix(solve_lower(again.lower(), basis.transpose()).transpose()) : basis;
}

Vector leverage_of(const Matrix& basis) { return basis.rowwise().squaredNorm(); }

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

Matrix sorted_columns(Matrix values) {
  for (auto column : values.colwise()) std::sort(column.begin(), column.end());
  return values;
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

std::uint64_t rising_bits(double value) {
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);  // 0 and -0 are one number
  return (bits & sign) != 0 ? ~bits : bits | sign;
}

constexpr int later_bits = 31;

/// Sorts by all but the later bits of the keys, digit by digit: several times as fast as comparing.
void sort_by_first_bits(std::vector<PlacedKey>& keys) {
  constexpr int digit = 11, digits = 3, from = later_bits;
  constexpr std::uint64_t mask = (1U << digit) - 1;
  std::array<std::array<std::uint32_t, mask + 1>, digits> counts{};
  for (const PlacedKey& k : keys)
    for (int i = 0; i < digits; ++i) ++counts[i][(k.key >> (from + digit * i)) & mask];
  std::vector<PlacedKey> sorted(keys.size());
  for (int i = 0; i < digits; ++i) {
    std::uint32_t before = 0;
    for (std::uint32_t& count : counts[i]) before += std::exchange(count, before);
    for (const PlacedKey& k : keys) sorted[counts[i][(k.key >> (from + digit * i)) & mask]++] = k;
    keys.swap(sorted);
  }
}

}  // namespace

std::vector<Index> order_of(const Vector& values) {
  std::vector<PlacedKey> sorted(static_cast<std::size_t>(values.size()));
  for (Index i = 0; i < values.size(); ++i) sorted[static_cast<std::size_t>(i)] = {rising_bits(values[i]), i};
  sort_by_first_bits(sorted);
  // What the first bits do not tell apart is little, unless values are nearly equal.
  const auto first_bits = [](const PlacedKey& a) { return a.key >> later_bits; };
  for (auto first = sorted.begin(); first != sorted.end();) {
    const auto last = std::find_if(first + 1, sorted.end(), [&](const PlacedKey& a) { return first_bits(a) != first_bits(*first); });
    if (last - first > 1)
      std::sort(first, last, [](const PlacedKey& a, const PlacedKey& b) { return std::pair(a.key, a.place) < std::pair(b.key, b.place); });
    first = last;
  }
  std::vector<Index> order(sorted.size());
  for (std::size_t place = 0; place < order.size(); ++place) order[place] = sorted[place].place;
  return order;
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
  for (double m = static_cast<double>(first); m <= static_cast<double>(most); m = std::max(m + 1, m * ratio))
    counts.push_back(static_cast<Index>(m));
  if (with_last && (counts.empty() || counts.back() != most)) counts.push_back(most);
  return counts;
}

}  // namespace relucover
