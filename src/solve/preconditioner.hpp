#pragma once
// What makes conjugate gradients on J^T J short. The Gram blocks of units i and j are E[sigma_i sigma_j x~ x~^T]. Were signs and
// inputs independent, they would be E[sigma_i sigma_j] E[x~ x~^T]: a Kronecker product, inverted at the cost of its factors.
// Signs do depend on inputs, along the units' own forms: on the span of those few directions (each unit's form and bias,
// and the same in the affine part) the Kronecker product is replaced by the Gram matrix itself.
#include <optional>
#include <vector>

#include "core/linear_algebra.hpp"
#include "solve/sums.hpp"

namespace relucover {

/// Steps are seen as rows: one form for each unit, then one for each affine part.
Matrix stacked_rows(const SignFreeModel& step);

/// a_i·a_j E[sigma_i sigma_j] for these rows: a_i are output weights; an affine part has sign 1 and weight 1 in its output.
/// `signs` is the mean of (sigma, 1) (sigma, 1)^T.
Matrix coupling_of_rows(const SignFreeModel& model, const Matrix& signs);

/// Directions that change one row by one form each.
struct RowDirections {
  std::vector<Index> rows;
  Matrix forms;
  /// Those of a model with one output, in the order of `OwnDirectionSum`.
  explicit RowDirections(const SignFreeModel& model);
  Vector along(const Matrix& step) const;
  void add(const Vector& lengths, Matrix& step) const;
};

class Preconditioner {
 public:
  /// Mean of x~ x~^T and its inverse, which must outlive this.
  Preconditioner(Matrix coupling, const Matrix& second_moment, const Matrix& moment_inverse);

  /// From here on exact along these directions: `gram` is the mean of their products.
  void correct_along(RowDirections directions, Matrix gram);
  bool corrected() const { return gram_.size() > 0; }

  /// For H + lambda D, with D the block diagonal of H.
  void damp(double lambda);
  Matrix inverse_times(const Matrix& step) const;

 private:
  Matrix coupling_;
  const Matrix &second_moment_, &moment_inverse_;
  Cholesky coupling_factor_;
  std::optional<RowDirections> directions_;
  Matrix gram_, form_products_;
  Cholesky gram_factor_, kronecker_factor_;  // along the directions: as it is, as the Kronecker product has it
};

}  // namespace relucover
