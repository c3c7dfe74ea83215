#include "core/linear_algebra.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "core/random.hpp"

namespace relucover {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();

Matrix normal(Index rows, Index columns, std::uint64_t seed = 1) {
  RandomStream random(seed, purpose::study);
  return random.normal_matrix(rows, columns);
}
Matrix symmetric(Index n, std::uint64_t seed = 1) {
  const Matrix a = normal(n, n, seed);
  return a + a.transpose();
}
Matrix positive(Index n, std::uint64_t seed = 1) {
  const Matrix a = normal(2 * n, n, seed);
  return a.transpose() * a;
}
Matrix of_rank(Index rows, Index columns, Index rank) { return normal(rows, rank, 2) * normal(rank, columns, 3); }
double size_of(const Matrix& matrix) { return matrix.size() > 0 ? matrix.cwiseAbs().maxCoeff() : 0; }
double distance(const Matrix& a, const Matrix& b) { return size_of(a - b); }
double from_orthonormal(const Matrix& basis) { return distance(basis.transpose() * basis, Matrix::Identity(basis.cols(), basis.cols())); }
Matrix with(Matrix matrix, double value) {
  matrix(matrix.rows() - 1, 0) = value;
  return matrix;
}
bool all_nan(const Matrix& matrix) { return matrix.array().isNaN().all(); }
/// Only the lower triangle may be read.
Matrix lower_only(Matrix matrix) {
  matrix.triangularView<Eigen::StrictlyUpper>().setConstant(1e10);
  return matrix;
}

TEST(SymmetricEigen, PutsTheMatrixTogetherAgain) {
  for (const Index n : {1, 2, 7, 40, 150}) {
    const Matrix a = symmetric(n);
    const auto eigen = symmetric_eigen(lower_only(a));
    EXPECT_LT(from_orthonormal(eigen.vectors), 1e-12);
    EXPECT_LT(distance(eigen.vectors * eigen.values.asDiagonal() * eigen.vectors.transpose(), a), 1e-12 * static_cast<double>(n));
    EXPECT_TRUE(std::is_sorted(eigen.values.begin(), eigen.values.end()));
    EXPECT_LT(distance(symmetric_eigenvalues(a), eigen.values), 1e-12 * static_cast<double>(n));
    EXPECT_NEAR(spectral_radius(a), eigen.values.cwiseAbs().maxCoeff(), 1e-11);
  }
}

TEST(SymmetricEigen, OfATridiagonalMatrix) {
  const Vector diagonal = normal(9, 1), beside = normal(8, 1, 5);
  Matrix whole = diagonal.asDiagonal();
  whole.diagonal(-1) = beside;
  whole.diagonal(1) = beside;
  const auto eigen = tridiagonal_eigen(diagonal, beside);
  EXPECT_LT(distance(eigen.vectors * eigen.values.asDiagonal() * eigen.vectors.transpose(), whole), 1e-13);
}

TEST(GeneralEigen, RealAndComplexPairs) {
  Matrix rotation(2, 2);
  rotation << 0, -2, 2, 0;
  const auto turning = general_eigen(rotation);
  ASSERT_TRUE(turning.converged);
  EXPECT_NEAR(turning.values[0].imag(), 2, 1e-14);
  EXPECT_NEAR(turning.values[1].imag(), -2, 1e-14);
  EXPECT_LT(distance(turning.real_parts.col(0), turning.real_parts.col(1)), 1e-15);

  const Matrix basis = normal(5, 5);
  const Vector values{{-2, -1, 0.5, 1, 3}};
  const Matrix a = basis * values.asDiagonal() * solve_square(basis, Matrix::Identity(5, 5));
  const auto eigen = general_eigen(a);
  for (std::size_t i = 0; i < 5; ++i) {
    const auto at = static_cast<Index>(i);
    EXPECT_EQ(eigen.values[i].imag(), 0);
    EXPECT_LT(distance(a * eigen.real_parts.col(at), eigen.values[i].real() * eigen.real_parts.col(at)), 1e-12);
  }
  std::vector<double> alone;
  for (const auto& value : general_eigenvalues(a)) alone.push_back(value.real());
  std::sort(alone.begin(), alone.end());
  for (Index i = 0; i < 5; ++i) EXPECT_NEAR(alone[static_cast<std::size_t>(i)], values[i], 1e-11);
}

TEST(ThinSvd, PutsTheMatrixTogetherAgain) {
  for (const auto& [rows, columns] : {std::pair<Index, Index>{1, 1}, {6, 6}, {30, 4}, {4, 30}, {120, 90}}) {
    const Matrix a = normal(rows, columns);
    const Svd both = thin_svd(a), left = thin_svd(a, SingularVectors::left), right = thin_svd(a, SingularVectors::right);
    EXPECT_LT(distance(both.left * both.values.asDiagonal() * both.right.transpose(), a), 1e-12);
    EXPECT_LT(from_orthonormal(left.left), 1e-12);
    EXPECT_LT(from_orthonormal(right.right), 1e-12);
    EXPECT_EQ(left.right.size(), 0);
    EXPECT_EQ(right.left.size(), 0);
    EXPECT_LT(distance(left.values, both.values), 1e-12);
    EXPECT_LT(distance(singular_values(a), right.values), 1e-12);
    // A V = U Σ, whatever the signs of single columns
    EXPECT_LT(distance((a * right.right).cwiseAbs(), (both.left * both.values.asDiagonal()).cwiseAbs()), 1e-11);
    EXPECT_LT(distance((a.transpose() * left.left).cwiseAbs(), (both.right * both.values.asDiagonal()).cwiseAbs()), 1e-11);
    EXPECT_TRUE(std::is_sorted(both.values.begin(), both.values.end(), std::greater<>()));
  }
}

TEST(ThinSvd, ShowsTheRankAndTheNullVector) {
  EXPECT_LT(singular_values(of_rank(20, 8, 5))[5], 1e-13 * singular_values(of_rank(20, 8, 5))[0]);
  const Matrix a = of_rank(50, 6, 5);
  const LeastSingular least = least_right_singular(a);
  EXPECT_LT(least.ratio, 1e-14);
  EXPECT_LT((a * least.vector).norm(), 1e-13);
  EXPECT_EQ(least_right_singular(normal(3, 4)).ratio, 1);
}

TEST(Triangles, AreSolved) {
  const Cholesky factor(positive(12));
  const Matrix right = normal(12, 3);
  EXPECT_LT(distance(factor.lower() * solve_lower(lower_only(factor.lower()), right), right), 1e-12);
  EXPECT_LT(distance(factor.lower().transpose() * solve_lower_transposed(lower_only(factor.lower()), right), right), 1e-12);
  EXPECT_LT(distance(factor.lower().transpose() * solve_upper(factor.lower().transpose(), right), right), 1e-12);
}

TEST(Cholesky, SaysWhetherAMatrixIsDefinite) {
  for (const Index n : {1, 5, 70, 300}) {
    const Matrix a = positive(n);
    const Cholesky factor(lower_only(a));
    ASSERT_TRUE(factor.definite());
    EXPECT_LT(distance(factor.lower() * factor.lower().transpose(), a), 1e-11 * static_cast<double>(n));
    const Matrix right = normal(n, 2);
    EXPECT_LT(distance(a * factor.solve(right), right), 1e-11);
    EXPECT_LT(distance(a * factor.inverse(), Matrix::Identity(n, n)), 1e-11);
    EXPECT_GT(factor.least_pivot(), 0);
  }
  const Cholesky indefinite(Matrix(-Matrix::Identity(3, 3)));
  EXPECT_FALSE(indefinite.definite());
  EXPECT_EQ(indefinite.least_pivot(), 0);
  EXPECT_TRUE(all_nan(indefinite.solve(normal(3, 2))));
  EXPECT_TRUE(all_nan(indefinite.inverse()));
  EXPECT_FALSE(Cholesky(Matrix::Zero(2, 2)).definite());
}

TEST(Semidefinite, IsSolvedWhateverItsRank) {
  const Matrix definite = positive(9), right = normal(9, 2);
  EXPECT_LT(distance(definite * solve_semidefinite(lower_only(definite), right), right), 1e-12);
  const Matrix half = of_rank(9, 9, 4), singular = half * half.transpose(), within = singular * right;
  EXPECT_LT(distance(singular * solve_semidefinite(singular, within), within), 1e-9 * size_of(within));
  EXPECT_EQ(size_of(solve_semidefinite(Matrix::Zero(3, 3), normal(3, 1))), 0);
  for (const Matrix& a : {definite, singular}) {
    const Matrix root = semidefinite_root(a);
    EXPECT_LT(distance(root * root.transpose(), a), 1e-12 * size_of(a));
  }
}

TEST(Square, EquationsAndInverse) {
  const Matrix a = normal(8, 8), right = normal(8, 3, 4);
  EXPECT_LT(distance(a * solve_square(a, right), right), 1e-12);
  const auto inverse = inverse_if_regular(a);
  ASSERT_TRUE(inverse);
  EXPECT_LT(distance(*inverse * a, Matrix::Identity(8, 8)), 1e-12);
  EXPECT_FALSE(inverse_if_regular(of_rank(8, 8, 7)));
  EXPECT_FALSE(inverse_if_regular(Matrix::Zero(2, 2)));
  EXPECT_TRUE(all_nan(solve_square(Matrix::Zero(2, 2), normal(2, 1))));
}

TEST(Qr, GivesABasisAndATriangle) {
  for (const auto& [rows, columns] : {std::pair<Index, Index>{5, 5}, {40, 7}, {3, 9}}) {
    const Matrix a = normal(rows, columns);
    const ThinQr qr = thin_qr(a);
    EXPECT_LT(distance(qr.basis * qr.triangle, a), 1e-13);
    EXPECT_LT(from_orthonormal(qr.basis), 1e-13);
    EXPECT_EQ(distance(qr.triangle, triangle_of(a)), 0);
    EXPECT_EQ(distance(qr.basis, orthonormal_basis(a)), 0);
  }
  const Matrix a = normal(6, 5), whole = orthonormal_basis(a, 6);
  EXPECT_LT(from_orthonormal(whole), 1e-13);
  EXPECT_LT((a.transpose() * whole.col(5)).norm(), 1e-13);
}

TEST(PivotedQr, FindsRankOrderAndBasis) {
  const Matrix a = of_rank(20, 9, 6);
  const PivotedQr qr(a);
  ASSERT_EQ(qr.rank(), 6);
  EXPECT_LT(distance(qr.basis() * (qr.basis().transpose() * a), a), 1e-12);
  Matrix ordered(20, 9);
  for (Index j = 0; j < 9; ++j) ordered.col(j) = a.col(qr.order()[static_cast<std::size_t>(j)]);
  EXPECT_LT(distance(qr.rotated(ordered).topRows(9), qr.triangle()), 1e-12);
  const Matrix right = a * normal(9, 2, 7);
  EXPECT_LT(distance(a * qr.solve(right), right), 1e-11);
  EXPECT_EQ((qr.solve(right).col(0).array() != 0).count(), 6);
  EXPECT_EQ(PivotedQr(a + 1e-10 * normal(20, 9, 8)).rank(), 9);
  EXPECT_EQ(PivotedQr(a + 1e-10 * normal(20, 9, 8), 1e-7).rank(), 6);
}

TEST(LeastSquares, LeavesWhatIsOrthogonal) {
  const Matrix a = normal(30, 6), right = normal(30, 2, 9);
  for (const Matrix& x : {least_squares(a, right), minimum_norm_solution(a, right)})
    EXPECT_LT(size_of(a.transpose() * (a * x - right)), 1e-12);
}

TEST(LeastSquares, OfMinimumNormIsThePseudoInverse) {
  for (const auto& a : {of_rank(12, 8, 5), of_rank(8, 12, 5), Matrix(normal(4, 9)), Matrix(normal(9, 4)), Matrix(Matrix::Zero(3, 2))}) {
    const Matrix inverse = pseudo_inverse(a), right = normal(a.rows(), 2, 11);
    EXPECT_LT(distance(a * inverse * a, a), 1e-12);  // the four conditions of Penrose
    EXPECT_LT(distance(inverse * a * inverse, inverse), 1e-12);
    EXPECT_LT(distance(a * inverse, (a * inverse).transpose()), 1e-12);
    EXPECT_LT(distance(inverse * a, (inverse * a).transpose()), 1e-12);
    EXPECT_LT(distance(minimum_norm_solution(a, right), inverse * right), 1e-12);
  }
}

TEST(LinearAlgebra, AnswersEmptyMatricesInSilence) {
  testing::internal::CaptureStdout();
  const Matrix none(0, 0), no_rows(0, 3), no_columns(3, 0);
  EXPECT_EQ(symmetric_eigen(none).values.size(), 0);
  EXPECT_EQ(spectral_radius(none), 0);
  EXPECT_EQ(tridiagonal_eigen(Vector(0), Vector(0)).values.size(), 0);
  EXPECT_TRUE(general_eigen(none).converged);
  EXPECT_EQ(solve_pencil(none, none).vectors.size(), 0);
  EXPECT_EQ(thin_svd(no_columns).left.rows(), 3);
  EXPECT_EQ(thin_svd(no_rows, SingularVectors::right).right.rows(), 3);
  EXPECT_EQ(singular_values(no_rows).size(), 0);
  EXPECT_EQ(least_right_singular(no_columns).ratio, 1);
  EXPECT_EQ(solve_lower(none, no_rows).cols(), 3);
  EXPECT_EQ(solve_lower_transposed(normal(3, 3), no_columns).rows(), 3);
  const Cholesky factor(none);
  EXPECT_TRUE(factor.definite());
  EXPECT_TRUE(std::isinf(factor.least_pivot()));
  EXPECT_EQ(factor.solve(no_rows).cols(), 3);
  EXPECT_EQ(factor.inverse().size(), 0);
  EXPECT_EQ(solve_semidefinite(none, no_rows).cols(), 3);
  EXPECT_EQ(semidefinite_root(none).size(), 0);
  EXPECT_EQ(solve_square(none, no_rows).cols(), 3);
  EXPECT_TRUE(inverse_if_regular(none));
  EXPECT_EQ(thin_qr(no_columns).triangle.size(), 0);
  EXPECT_EQ(orthonormal_basis(no_columns).rows(), 3);
  EXPECT_LT(from_orthonormal(orthonormal_basis(no_columns, 2)), 1e-15);
  EXPECT_EQ(PivotedQr(no_columns).rank(), 0);
  EXPECT_EQ(PivotedQr(no_columns).basis().rows(), 3);
  EXPECT_EQ(size_of(least_squares(no_rows, Matrix(0, 2))), 0);
  EXPECT_EQ(least_squares(no_rows, Matrix(0, 2)).rows(), 3);
  EXPECT_EQ(minimum_norm_solution(no_columns, normal(3, 2)).cols(), 2);
  EXPECT_EQ(pseudo_inverse(no_rows).rows(), 3);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

TEST(LinearAlgebra, AnswersWhatIsNotFiniteWithNan) {
  for (const double value : {nan, infinity, -infinity})
    for (const Index n : {2, 6, 130}) {
      const Matrix square = with(symmetric(n), value), definite = with(positive(n), value), tall = with(normal(n + 2, n), value);
      EXPECT_TRUE(all_nan(symmetric_eigen(square).values));
      EXPECT_TRUE(all_nan(symmetric_eigen(square).vectors));
      EXPECT_TRUE(all_nan(symmetric_eigenvalues(square)));
      EXPECT_TRUE(std::isnan(spectral_radius(square)));
      EXPECT_FALSE(general_eigen(square).converged);
      EXPECT_TRUE(std::isnan(general_eigenvalues(square)[0].real()));
      EXPECT_EQ(solve_pencil(square, symmetric(n)).vectors.size(), 0);
      EXPECT_TRUE(all_nan(thin_svd(tall).values));
      EXPECT_TRUE(all_nan(thin_svd(tall, SingularVectors::left).left));
      EXPECT_TRUE(all_nan(thin_svd(tall, SingularVectors::right).right));
      EXPECT_TRUE(all_nan(singular_values(tall)));
      EXPECT_FALSE(Cholesky(definite).definite());
      EXPECT_TRUE(all_nan(solve_semidefinite(definite, normal(n, 1))));
      EXPECT_TRUE(all_nan(semidefinite_root(definite)));
      EXPECT_TRUE(all_nan(solve_square(square, normal(n, 1))));
      EXPECT_FALSE(inverse_if_regular(square));
      EXPECT_TRUE(all_nan(thin_qr(tall).basis));
      EXPECT_TRUE(all_nan(triangle_of(tall)));
      EXPECT_EQ(PivotedQr(tall).rank(), 0);
      EXPECT_TRUE(all_nan(least_squares(tall, normal(n + 2, 1))));
      EXPECT_TRUE(all_nan(minimum_norm_solution(tall, normal(n + 2, 1))));
    }
}

TEST(LinearAlgebra, RefusesShapesThatDoNotFit) {
  EXPECT_THROW(symmetric_eigen(normal(2, 3)), std::invalid_argument);
  EXPECT_THROW(Cholesky(normal(2, 3)), std::invalid_argument);
  EXPECT_THROW(Cholesky(positive(3)).solve(normal(2, 1)), std::invalid_argument);
  EXPECT_THROW(solve_lower(normal(3, 3), normal(2, 1)), std::invalid_argument);
  EXPECT_THROW(least_squares(normal(4, 3), normal(3, 1)), std::invalid_argument);
  EXPECT_THROW(solve_pencil(normal(3, 3), normal(2, 2)), std::invalid_argument);
}

}  // namespace
}  // namespace relucover
