#pragma once
// The one room that knows decompositions of matrices: over LAPACK, each compiled once.
// All of it is deterministic (OpenBLAS on one thread, whatever the caller does), and answers every matrix:
// - an empty one with empty values (nothing is handed to BLAS, which would print),
// - one that is not finite with NaN of the right shape, `definite` false, rank 0 or no answer: never an exception, never a hang,
// - one of deficient rank as each function says.
// Of symmetric matrices only the lower triangle is read.
#include <complex>
#include <memory>
#include <optional>
#include <vector>

#include "relucover/types.hpp"

namespace relucover {

// ---- eigenvalues

struct SymmetricEigen {
  Vector values;   // rising
  Matrix vectors;  // orthonormal columns
};
SymmetricEigen symmetric_eigen(Matrix symmetric);
Vector symmetric_eigenvalues(Matrix symmetric);
/// Of the symmetric matrix with this diagonal and these entries beside it.
SymmetricEigen tridiagonal_eigen(Vector diagonal, Vector beside);
/// Largest |eigenvalue|; 0 for an empty matrix.
double spectral_radius(Matrix symmetric);
/// Of a Gram matrix whose columns are brought to unit size.
double scaled_condition(const Matrix& gram);

struct GeneralEigen {
  bool converged = false;
  std::vector<std::complex<double>> values;
  Matrix real_parts;  // of the eigenvectors, columns; both of a complex pair have the same
};
GeneralEigen general_eigen(Matrix square);
/// NaN where the iteration does not converge.
std::vector<std::complex<double>> general_eigenvalues(Matrix square);

struct PencilEigenvectors {
  Matrix vectors;    // columns of unit size; of a complex pair the real and the imaginary part. Empty if there is no answer
  bool real = true;  // no complex pair among them
};
/// Eigenvectors x of the pencil (C, B): C x = λ B x. Neither matrix needs to be definite or even invertible.
PencilEigenvectors solve_pencil(const Matrix& c, const Matrix& b);

// ---- singular values

struct Svd {
  Matrix left, right;  // thin: matrix = left diag(values) rightᵀ
  Vector values;       // falling
};
enum class SingularVectors { left, right, both };
/// Sides that are not asked for stay empty.
Svd thin_svd(Matrix matrix, SingularVectors wanted = SingularVectors::both);
Vector singular_values(const Matrix& matrix);
/// The right singular vector of the least singular value of a matrix with at least as many rows as columns, and that value
/// as a share of the largest.
struct LeastSingular {
  Vector vector;
  double ratio = 1;
};
LeastSingular least_right_singular(const Matrix& matrix);

// ---- triangles and symmetric equations

/// L⁻¹ right and L⁻ᵀ right; above the diagonal of L nothing is read.
Matrix solve_lower(const Eigen::Ref<const Matrix>& lower, Matrix right);
Matrix solve_lower_transposed(const Eigen::Ref<const Matrix>& lower, Matrix right);
/// R⁻¹ right; below the diagonal of R nothing is read.
Matrix solve_upper(const Eigen::Ref<const Matrix>& upper, Matrix right);

/// A = L Lᵀ, if A is positive definite.
class Cholesky {
 public:
  Cholesky() = default;
  explicit Cholesky(Matrix symmetric);
  /// True for an empty matrix.
  bool definite() const { return definite_; }
  /// Least squared entry on the diagonal of L: how far A is from singular. 0 if A is not definite, infinite if it is empty.
  double least_pivot() const;
  /// L, with zeros above the diagonal.
  const Matrix& lower() const { return lower_; }
  /// A⁻¹ right; NaN if A is not definite.
  Matrix solve(Matrix right) const;
  Matrix inverse() const;

 private:
  Matrix lower_;
  bool definite_ = true;
};

/// Equations with a symmetric A that is positive semidefinite up to rounding: by Cholesky where A is clearly definite,
/// with pivots (A = P L D Lᵀ Pᵀ) elsewhere; there exact zeros of D are left out.
class SemidefiniteFactor {
 public:
  explicit SemidefiniteFactor(Matrix symmetric);
  SemidefiniteFactor(const SemidefiniteFactor&) = delete;
  SemidefiniteFactor& operator=(const SemidefiniteFactor&) = delete;
  ~SemidefiniteFactor();
  Matrix solve(Matrix right) const;

 private:
  struct Pivoted;
  Cholesky plain_;
  std::unique_ptr<Pivoted> pivoted_;
};
Matrix solve_semidefinite(Matrix symmetric, Matrix right);
/// F with F Fᵀ = A, the negative part of A left out.
Matrix semidefinite_root(const Matrix& symmetric);

// ---- square equations

/// A⁻¹ right by LU with partial pivots; NaN where A is singular.
Matrix solve_square(Matrix square, Matrix right);
/// Empty where A is singular to rounding (by QR with pivots).
std::optional<Matrix> inverse_if_regular(const Matrix& square);

// ---- orthogonal factors and least squares

struct ThinQr {
  Matrix basis;     // orthonormal columns, as many as the shorter side
  Matrix triangle;  // upper; basis * triangle = matrix
};
ThinQr thin_qr(Matrix matrix);
/// Only the triangle: cheap where the matrix is long.
Matrix triangle_of(Matrix matrix);
/// The columns of Q; more of them than the matrix has complete the basis.
Matrix orthonormal_basis(Matrix matrix);
Matrix orthonormal_basis(Matrix matrix, Index columns);

/// A P = Q R with falling |R_ii|. Its rank is the number of |R_ii| above `threshold` times the first
/// (unless given: rounding, epsilon times the shorter side).
class PivotedQr {
 public:
  explicit PivotedQr(Matrix matrix, std::optional<double> threshold = std::nullopt);
  Index rank() const { return rank_; }
  /// Columns of A in the order of their pivots: the first `rank()` span the others.
  const std::vector<Index>& order() const { return order_; }
  /// The first rows of R.
  Matrix triangle() const;
  /// Orthonormal columns that span the columns of A.
  Matrix basis() const;
  /// Qᵀ right, all rows.
  Matrix rotated(Matrix right) const;
  /// Least squares with zeros outside of the first `rank()` pivots.
  Matrix solve(Matrix right) const;

 private:
  bool finite_ = true;
  Matrix packed_;  // R and the reflectors
  Vector scales_;  // of the reflectors
  std::vector<Index> order_;
  Index rank_ = 0;
};

/// Least squares by QR with pivots: basic solution where the rank is deficient.
Matrix least_squares(Matrix matrix, Matrix right);
/// Least squares of minimum norm (complete orthogonal decomposition).
Matrix minimum_norm_solution(const Matrix& matrix, Matrix right);
Matrix pseudo_inverse(const Matrix& matrix);

}  // namespace relucover
