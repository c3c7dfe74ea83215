#pragma once
// Symmetric matrices as vectors of their upper triangles, off-diagonal entries times √2, so that inner products agree:
// <pack(A), pack(B)> = trace(A B).
#include <numbers>

#include "relucover/types.hpp"

namespace relucover {

inline Index packed_size(Index size) { return size * (size + 1) / 2; }

inline Vector pack_symmetric(const Matrix& symmetric) {
  Vector packed(packed_size(symmetric.rows()));
  Index at = 0;
  for (Index i = 0; i < symmetric.rows(); ++i)
    for (Index j = i; j < symmetric.rows(); ++j) packed[at++] = i == j ? symmetric(i, j) : std::numbers::sqrt2 * symmetric(i, j);
  return packed;
}

template <class Derived>
Matrix unpack_symmetric(const Eigen::MatrixBase<Derived>& packed, Index size) {
  Matrix symmetric(size, size);
  Index at = 0;
  for (Index i = 0; i < size; ++i)
    for (Index j = i; j < size; ++j) {
      symmetric(i, j) = symmetric(j, i) = i == j ? packed[at] : packed[at] / std::numbers::sqrt2;
      ++at;
    }
  return symmetric;
}

/// pack(z zᵀ) of every row z, one row each.
template <class Derived>
RowMatrix packed_squares(const Eigen::MatrixBase<Derived>& rows) {
  const Index size = rows.cols();
  RowMatrix packed(rows.rows(), packed_size(size));
  Index at = 0;
  for (Index i = 0; i < size; ++i)
    for (Index j = i; j < size; ++j) packed.col(at++) = rows.col(i).cwiseProduct(rows.col(j)) * (i == j ? 1.0 : std::numbers::sqrt2);
  return packed;
}

}  // namespace relucover
