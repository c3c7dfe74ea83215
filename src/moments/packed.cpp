#include "moments/packed.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/check.hpp"
#include "core/linear_algebra.hpp"

namespace relucover {

double binomial(Index n, Index k) {
  double value = 1;
  for (Index i = 1; i <= k; ++i) value = value * static_cast<double>(n - k + i) / static_cast<double>(i);
  return std::round(value);
}

Index packed_size(Index dimension, Index order) {
  if (order == 0) return 1;
  if (dimension == 0) return 0;
  return static_cast<Index>(binomial(dimension + order - 1, order));
}

PackedIndex::PackedIndex(Index dimension, Index order) : dimension_(dimension), order_(order) {
  const Index count = packed_size(dimension, order);
  tuples_.resize(static_cast<std::size_t>(count * order));
  multiplicity_.resize(count);
  std::vector<int> tuple(static_cast<std::size_t>(order), 0);
  for (Index at = 0; at < count; ++at) {
    std::copy(tuple.begin(), tuple.end(), tuples_.begin() + at * order);
    double orderings = 1, run = 0;
    for (Index t = 0; t < order; ++t) {
      const auto i = static_cast<std::size_t>(t);
      run = t > 0 && tuple[i] == tuple[i - 1] ? run + 1 : 1;
      orderings *= static_cast<double>(t + 1) / run;
    }
    multiplicity_[at] = std::round(orderings);
    // Next in colexicographic order: raise the first index that can be raised, reset those before it.
    for (std::size_t t = 0; t < tuple.size(); ++t)
      if (t + 1 == tuple.size() || tuple[t] < tuple[t + 1]) {
        ++tuple[t];
        std::fill(tuple.begin(), tuple.begin() + static_cast<std::ptrdiff_t>(t), 0);
        break;
      }
  }
}

Index PackedIndex::place(const int* sorted, Index order) {
  Index place = 0;
  for (Index t = 0; t < order; ++t) {
    Index term = 1;  // C(i_t + t, t + 1), exact in integers
    for (Index i = 1; i <= t + 1; ++i) term = term * (sorted[t] + t - (t + 1) + i) / i;
    place += term;
  }
  return place;
}

SymmetricTensor::SymmetricTensor(Index dimension_, Index order_)
    : dimension(dimension_), order(order_), values(Vector::Zero(packed_size(dimension_, order_))) {}

double SymmetricTensor::at(std::vector<int> indices) const {
  check_equal("indices", static_cast<Index>(indices.size()), order);
  std::sort(indices.begin(), indices.end());
  return values[PackedIndex::place(indices.data(), order)];
}

double SymmetricTensor::squared_norm() const { return dot(*this); }

double SymmetricTensor::dot(const SymmetricTensor& other) const {
  check_equal("order", other.order, order);
  check_equal("dimension", other.dimension, dimension);
  return (PackedIndex(dimension, order).multiplicities().array() * values.array() * other.values.array()).sum();
}

Vector packed_power(const Vector& w, Index order) {
  Vector power = Vector::Ones(1);
  for (Index k = 1; k <= order; ++k) {
    Vector next(packed_size(w.size(), k));
    Index at = 0;
    for (Index j = 0; j < w.size(); ++j) {
      const Index prefix = packed_size(j + 1, k - 1);
      next.segment(at, prefix) = w[j] * power.head(prefix);
      at += prefix;
    }
    power = std::move(next);
  }
  return power;
}

void add_power(SymmetricTensor& tensor, double weight, const Vector& w) {
  check_equal("length of the vector", w.size(), tensor.dimension);
  tensor.values += weight * packed_power(w, tensor.order);
}

Eigen::Matrix<Index, Eigen::Dynamic, Eigen::Dynamic> joined_places(const PackedIndex& a, const PackedIndex& b) {
  Eigen::Matrix<Index, Eigen::Dynamic, Eigen::Dynamic> places(a.size(), b.size());
  const Index order = a.order() + b.order();
  std::vector<int> joined(static_cast<std::size_t>(order));
  for (Index j = 0; j < b.size(); ++j)
    for (Index i = 0; i < a.size(); ++i) {
      std::merge(a.tuple(i), a.tuple(i) + a.order(), b.tuple(j), b.tuple(j) + b.order(), joined.begin());
      places(i, j) = PackedIndex::place(joined.data(), order);
    }
  return places;
}

Matrix flatten(const SymmetricTensor& tensor, Index row_order) {
  const PackedIndex rows(tensor.dimension, row_order), columns(tensor.dimension, tensor.order - row_order);
  const auto places = joined_places(rows, columns);
  Matrix flat(rows.size(), columns.size());
  for (Index j = 0; j < flat.cols(); ++j)
    for (Index i = 0; i < flat.rows(); ++i)
      flat(i, j) = tensor.values[places(i, j)] * std::sqrt(rows.multiplicity(i) * columns.multiplicity(j));
  return flat;
}

Vector weighted_power(const Vector& w, Index order) {
  return packed_power(w, order).cwiseProduct(PackedIndex(w.size(), order).multiplicities().cwiseSqrt());
}

Vector nearest_power(const Vector& weighted, Index dimension, Index order) {
  SymmetricTensor tensor(dimension, order);
  tensor.values = weighted.cwiseQuotient(PackedIndex(dimension, order).multiplicities().cwiseSqrt());
  if (order == 1) return tensor.values.normalized();
  const Matrix unfolding = flatten(tensor, 1);  // the weights of the columns keep the Gram matrix of the full unfolding
  const SymmetricEigen eigen = symmetric_eigen(unfolding * unfolding.transpose());
  Vector w = eigen.vectors.col(dimension - 1);
  if (order % 2 && tensor.values.dot(packed_power(w, order).cwiseProduct(PackedIndex(dimension, order).multiplicities())) < 0) w = -w;
  return w;
}

Contraction::Contraction(const SymmetricTensor& tensor, Index contracted_order)
    : dimension_(tensor.dimension), left_order_(tensor.order - contracted_order) {
  const PackedIndex left(dimension_, left_order_), right(dimension_, contracted_order);
  const auto places = joined_places(left, right);
  unfolded_.resize(left.size(), right.size());
  for (Index j = 0; j < right.size(); ++j)
    for (Index i = 0; i < left.size(); ++i) unfolded_(i, j) = tensor.values[places(i, j)] * right.multiplicity(j);
}

SymmetricTensor Contraction::operator()(const Vector& with) const {
  SymmetricTensor contracted(dimension_, left_order_);
  contracted.values = unfolded_ * with;
  return contracted;
}

}  // namespace relucover
