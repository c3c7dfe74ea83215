#include <cblas.h>

#include <Eigen/Cholesky>
#include <memory>

#include "core/blas.hpp"
#include "core/check.hpp"
#include "core/linear_algebra/lapack.hpp"

namespace relucover {

namespace {

using namespace lapack;

Matrix solve_triangle(const Eigen::Ref<const Matrix>& triangle, Matrix right, CBLAS_UPLO half, CBLAS_TRANSPOSE transpose) {
  const Index n = triangle.rows();
  check_equal("columns of a triangle", triangle.cols(), n);
  check_equal("rows of the right side", right.rows(), n);
  if (right.size() == 0) return right;
  const SingleThreadedBlas single_threaded;
  cblas_dtrsm(CblasColMajor, CblasLeft, half, transpose, CblasNonUnit, size(n), size(right.cols()), 1.0, triangle.data(),
              leading(triangle.outerStride()), right.data(), leading(n));
  return right;
}

}  // namespace

Matrix solve_lower(const Eigen::Ref<const Matrix>& lower, Matrix right) {
  return solve_triangle(lower, std::move(right), CblasLower, CblasNoTrans);
}

Matrix solve_lower_transposed(const Eigen::Ref<const Matrix>& lower, Matrix right) {
  return solve_triangle(lower, std::move(right), CblasLower, CblasTrans);
}

Matrix solve_upper(const Eigen::Ref<const Matrix>& upper, Matrix right) {
  return solve_triangle(upper, std::move(right), CblasUpper, CblasNoTrans);
}

Cholesky::Cholesky(Matrix symmetric) : lower_(std::move(symmetric)) {
  const Index n = lower_.rows();
  check_equal("columns of a symmetric matrix", lower_.cols(), n);
  if (n == 0) return;
  const SingleThreadedBlas single_threaded;
  // A NaN below the diagonal reaches a pivot, and a pivot that is NaN is not an answer.
  definite_ = LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', size(n), lower_.data(), leading(n)) == 0 && lower_.diagonal().allFinite();
  lower_.triangularView<Eigen::StrictlyUpper>().setZero();
}

double Cholesky::least_pivot() const {
  if (!definite_) return 0;
  return lower_.rows() > 0 ? lower_.diagonal().cwiseAbs2().minCoeff() : std::numeric_limits<double>::infinity();
}

Matrix Cholesky::solve(Matrix right) const {
  check_equal("rows of the right side", right.rows(), lower_.rows());
  if (!definite_) return no_answer(right.rows(), right.cols());
  return solve_lower_transposed(lower_, solve_lower(lower_, std::move(right)));
}

Matrix Cholesky::inverse() const {
  const Index n = lower_.rows();
  if (!definite_) return no_answer(n, n);
  Matrix inverse = lower_;
  if (n == 0) return inverse;
  const SingleThreadedBlas single_threaded;
  LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'L', size(n), inverse.data(), leading(n));
  inverse.triangularView<Eigen::StrictlyUpper>() = inverse.transpose();
  return inverse;
}

struct SemidefiniteFactor::Pivoted {
  Eigen::LDLT<Matrix> factor;
};

SemidefiniteFactor::SemidefiniteFactor(Matrix symmetric) : plain_(symmetric) {
  constexpr double clearly = 1e-9;  // a pivot against the entry it was made from
  const Index n = symmetric.rows();
  bool clear = plain_.definite();
  for (Index i = 0; i < n && clear; ++i) clear = plain_.lower()(i, i) * plain_.lower()(i, i) > clearly * symmetric(i, i);
  if (clear) return;
  pivoted_ = std::make_unique<Pivoted>();
  if (symmetric.allFinite()) pivoted_->factor.compute(symmetric);
}

SemidefiniteFactor::~SemidefiniteFactor() = default;

Matrix SemidefiniteFactor::solve(Matrix right) const {
  if (!pivoted_) return plain_.solve(std::move(right));
  check_equal("rows of the right side", right.rows(), plain_.lower().rows());
  if (pivoted_->factor.rows() == 0) return no_answer(right.rows(), right.cols());
  const SingleThreadedBlas single_threaded;
  return pivoted_->factor.solve(right);
}

Matrix solve_semidefinite(Matrix symmetric, Matrix right) { return SemidefiniteFactor(std::move(symmetric)).solve(std::move(right)); }

Matrix semidefinite_root(const Matrix& symmetric) {
  const Index n = symmetric.rows();
  check_equal("columns of a symmetric matrix", symmetric.cols(), n);
  if (n == 0) return symmetric;
  if (!symmetric.allFinite()) return no_answer(n, n);
  const SingleThreadedBlas single_threaded;
  const Eigen::LDLT<Matrix> factor(symmetric);
  const Matrix lower = factor.matrixL();
  return factor.transpositionsP().transpose() * (lower * factor.vectorD().cwiseMax(0).cwiseSqrt().asDiagonal());
}

Matrix solve_square(Matrix square, Matrix right) {
  const Index n = square.rows();
  check_equal("columns of a square matrix", square.cols(), n);
  check_equal("rows of the right side", right.rows(), n);
  if (right.size() == 0) return right;
  const SingleThreadedBlas single_threaded;
  std::vector<lapack_int> pivots(static_cast<std::size_t>(n));
  if (!square.allFinite() || LAPACKE_dgesv_work(LAPACK_COL_MAJOR, size(n), size(right.cols()), square.data(), leading(n), pivots.data(),
                                                right.data(), leading(n)) != 0)
    return no_answer(n, right.cols());
  return right;
}

std::optional<Matrix> inverse_if_regular(const Matrix& square) {
  const Index n = square.rows();
  check_equal("columns of a square matrix", square.cols(), n);
  const PivotedQr qr(square);
  if (qr.rank() < n) return std::nullopt;
  return qr.solve(Matrix::Identity(n, n));
}

}  // namespace relucover
