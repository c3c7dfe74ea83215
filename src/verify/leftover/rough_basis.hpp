#pragma once
// What the answer can do, in single precision, for features that are.
#include <optional>
#include <vector>

#include "core/random.hpp"
#include "verify/leftover/features.hpp"

namespace relucover {

/// Orthonormal columns.
class RoughBasis {
 public:
  /// Spans the columns of `features`; dependent and zero columns are left out.
  static RoughBasis spanning(const Matrix& features);
  RoughBasis(const Matrix& basis) : columns_(basis.cast<float>()) {}
  explicit RoughBasis(RoughMatrix columns) : columns_(std::move(columns)) {}
  const RoughMatrix& columns() const { return columns_; }
  Index size() const { return columns_.cols(); }
  /// features - basis basisᵀ features.
  RoughMatrix without(RoughMatrix features) const;
  Matrix without(const Matrix& features) const { return without(RoughMatrix(features.cast<float>())).cast<double>(); }
  /// basisᵀ values.
  Matrix along(const Matrix& values) const { return (columns_.transpose() * values.cast<float>()).cast<double>(); }
  /// Columns of unit size, orthogonal to the basis; those that it spans are left out.
  RoughMatrix beyond(RoughMatrix features) const;
  /// Shares of the features' squares that lie beyond the basis, as some of the rows tell them. Of features that these rows do not stand
  /// for (most of it lies on few others): as all rows tell, or one.
  RoughVector share_beyond(const Eigen::Ref<const RoughMatrix>& features, bool all_rows_may_tell = true) const;
  /// featuresᵀ features, and what is left of it beyond the basis: of features that are given on the rows of `some` alone, or on all.
  RoughMatrix products_beyond(const RoughMatrix& features) const;
  /// Rows that tell how much of most features is beyond the basis; empty: all are needed.
  const std::vector<Index>& some() const { return sample().rows; }
  /// How far a least-squares fit by these functions follows each row: 1 where nothing else could contradict it.
  Vector leverage() const { return columns_.rowwise().squaredNorm().cast<double>(); }
  /// Of the same functions on these rows alone.
  RoughBasis at(const std::vector<Index>& rows) const;
  /// Of the same functions with a weight for each row.
  RoughBasis weighted(const Vector& weights) const;

 private:
  struct Sample {
    std::vector<Index> rows;
    RoughMatrix columns;  // orthonormal on these rows
    float times = 1;      // what is left there stands for so many times as much
  };
  const Sample& sample() const;
  RoughMatrix columns_;
  mutable std::optional<Sample> sample_;  // made when somebody asks
};

/// All rows in two halves at random, and bases of the same functions on each.
struct Halves {  // NOLINT(bugprone-reserved-identifier): clang's own name for copying arrays
  std::vector<Index> rows[2];
  RoughBasis basis[2];
};
Halves halves_of(const RoughBasis& basis, RandomStream& random);

}  // namespace relucover
