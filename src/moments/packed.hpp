#pragma once
// Symmetric tensors stored once per multiset of indices.
//
// A sorted tuple i_1 <= ... <= i_k has the place Σ_t C(i_t + t - 1, t) (colexicographic). The place does not depend on
// the dimension, and all tuples with indices <= j are a prefix of the list: features of order k are built from prefixes
// of the features of order k - 1, column block by column block.
#include <functional>
#include <vector>

#include "relucover/types.hpp"

namespace relucover {

inline constexpr Index max_tensor_order = 8;

double binomial(Index n, Index k);
/// Number of sorted k-tuples of indices below `dimension`.
Index packed_size(Index dimension, Index order);

/// All sorted tuples of one order, and how many orderings each has.
class PackedIndex {
 public:
  PackedIndex(Index dimension, Index order);
  Index dimension() const { return dimension_; }
  Index order() const { return order_; }
  Index size() const { return static_cast<Index>(multiplicity_.size()); }
  /// `order` indices, increasing.
  const int* tuple(Index place) const { return tuples_.data() + place * order_; }
  double multiplicity(Index place) const { return multiplicity_[place]; }
  const Vector& multiplicities() const { return multiplicity_; }
  /// Of a sorted tuple.
  static Index place(const int* sorted, Index order);

 private:
  Index dimension_, order_;
  std::vector<int> tuples_;
  Vector multiplicity_;
};

/// A symmetric tensor: one value per sorted tuple.
struct SymmetricTensor {
  Index dimension = 0, order = 0;
  Vector values;

  SymmetricTensor() = default;
  SymmetricTensor(Index dimension, Index order);  // zero
  /// Indices in any order.
  double at(std::vector<int> indices) const;
  /// Of all dimension^order entries.
  double squared_norm() const;
  double dot(const SymmetricTensor& other) const;
};

/// weight * w^{⊗order} added.
void add_power(SymmetricTensor& tensor, double weight, const Vector& w);
/// Packed entries of w^{⊗order}.
Vector packed_power(const Vector& w, Index order);

/// Places of a ∪ b for all tuples a of one order (rows) and b of another (columns).
Eigen::Matrix<Index, Eigen::Dynamic, Eigen::Dynamic> joined_places(const PackedIndex& a, const PackedIndex& b);

/// The tensor as a matrix on rows^{⊗} and columns^{⊗}, both packed with weights √multiplicity, so that Σ c_i w_i^{⊗k}
/// becomes Σ c_i p(w_i) q(w_i)ᵀ with |p(w)| = |w|^row_order.
Matrix flatten(const SymmetricTensor& tensor, Index row_order);
/// √multiplicity times the packed power: the p(w) above.
Vector weighted_power(const Vector& w, Index order);
/// The direction w whose power p(w) is nearest to a weighted packed vector (leading left singular vector of the
/// dimension by dimension^{order-1} unfolding), with the sign free for even orders.
Vector nearest_power(const Vector& weighted, Index dimension, Index order);

/// Contracts the last `order` slots of a tensor with symmetric tensors, one after the other draw, by one product each.
class Contraction {
 public:
  Contraction(const SymmetricTensor& tensor, Index contracted_order);
  /// `with` has the packed values of a symmetric tensor of the contracted order.
  SymmetricTensor operator()(const Vector& with) const;

 private:
  Index dimension_, left_order_;
  Matrix unfolded_;  // left tuples by contracted tuples, times the multiplicity of the latter
};

}  // namespace relucover
