#include "core/least_eigen.hpp"

#include "core/random.hpp"

namespace relucover {

namespace {

SymmetricEigen first_of(SymmetricEigen eigen, double below) {
  const Index count = (eigen.values.array() < below).count();
  return {eigen.values.head(count), eigen.vectors.leftCols(count)};
}

/// Ritz pairs of a block that (A + shift)⁻¹ was applied to until those below `below` stand still. Fewer than all columns below
/// it: there are no others.
SymmetricEigen inverse_iteration(const Matrix& matrix, const Cholesky& shifted, Index columns, double below, const Control& control) {
  constexpr int most_rounds = 30;
  RandomStream random(0, purpose::sketch, 3);
  Matrix block = orthonormal_basis(random.normal_matrix(matrix.rows(), columns));
  SymmetricEigen ritz;
  for (int round = 0; round < most_rounds; ++round) {
    control.check();
    block = orthonormal_basis(shifted.solve(std::move(block)));
    const Matrix image = matrix.selfadjointView<Eigen::Lower>() * block;
    ritz = symmetric_eigen(block.transpose() * image);
    const Index count = (ritz.values.array() < below).count();
    const Matrix vectors = ritz.vectors.leftCols(count);
    const Matrix residual = image * vectors - block * (vectors * ritz.values.head(count).asDiagonal());
    constexpr double settled = 1e-2;
    if (!(residual.norm() > settled * below)) break;
  }
  ritz.vectors = block * ritz.vectors;
  return ritz;
}

}  // namespace

SymmetricEigen least_eigen(const Matrix& semidefinite, double below, const Control& control) {
  const Index n = semidefinite.rows();
  constexpr Index small = 1000, first_columns = 16;
  if (n <= small || !semidefinite.allFinite()) return first_of(symmetric_eigen(semidefinite), below);
  control.check();
  Matrix regular = semidefinite;
  regular.diagonal().array() += below;
  const Cholesky shifted(std::move(regular));
  for (Index columns = first_columns; shifted.definite() && columns < n / 4; columns *= 2) {
    SymmetricEigen found = inverse_iteration(semidefinite, shifted, columns, below, control);
    if (!found.values.allFinite()) break;
    if (!(found.values[columns - 1] < below)) return first_of(std::move(found), below);
  }
  control.check();
  return first_of(symmetric_eigen(semidefinite), below);
}

}  // namespace relucover
