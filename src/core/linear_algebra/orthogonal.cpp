#include <algorithm>
#include <cmath>

#include "core/blas.hpp"
#include "core/check.hpp"
#include "core/linear_algebra/lapack.hpp"

namespace relucover {

namespace {

using namespace lapack;

/// R in the upper triangle, reflectors below; false where the matrix is not finite.
bool reflect(Matrix& matrix, Vector& scales) {
  scales.resize(std::min(matrix.rows(), matrix.cols()));
  if (matrix.size() == 0) return true;
  return matrix.allFinite() && with_workspace([&](double* work, lapack_int length) {
           return LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, size(matrix.rows()), size(matrix.cols()), matrix.data(), leading(matrix.rows()),
                                      scales.data(), work, length);
         });
}

Matrix upper_triangle(const Matrix& packed, Index rows) { return packed.topRows(rows).triangularView<Eigen::Upper>(); }

/// The first `columns` of Q from its reflectors.
Matrix basis_of(const Matrix& packed, const Vector& scales, Index columns) {
  const Index rows = packed.rows(), reflectors = std::min(scales.size(), columns);
  Matrix basis = Matrix::Zero(rows, columns);
  if (basis.size() == 0) return basis;
  basis.leftCols(reflectors) = packed.leftCols(reflectors);
  const bool made = with_workspace([&](double* work, lapack_int length) {
    return LAPACKE_dorgqr_work(LAPACK_COL_MAJOR, size(rows), size(columns), size(reflectors), basis.data(), leading(rows), scales.data(),
                               work, length);
  });
  return made ? basis : no_answer(rows, columns);
}

}  // namespace

ThinQr thin_qr(Matrix matrix) {
  const SingleThreadedBlas single_threaded;
  const Index least = std::min(matrix.rows(), matrix.cols());
  Vector scales;
  if (!reflect(matrix, scales)) return {no_answer(matrix.rows(), least), no_answer(least, matrix.cols())};
  return {basis_of(matrix, scales, least), upper_triangle(matrix, least)};
}

Matrix triangle_of(Matrix matrix) {
  const SingleThreadedBlas single_threaded;
  const Index least = std::min(matrix.rows(), matrix.cols());
  Vector scales;
  return reflect(matrix, scales) ? upper_triangle(matrix, least) : no_answer(least, matrix.cols());
}

Matrix orthonormal_basis(Matrix matrix) {
  const Index columns = std::min(matrix.rows(), matrix.cols());
  return orthonormal_basis(std::move(matrix), columns);
}

Matrix orthonormal_basis(Matrix matrix, Index columns) {
  check_range("columns of a basis", 0, columns, matrix.rows());
  const SingleThreadedBlas single_threaded;
  Vector scales;
  return reflect(matrix, scales) ? basis_of(matrix, scales, columns) : no_answer(matrix.rows(), columns);
}

PivotedQr::PivotedQr(Matrix matrix, std::optional<double> threshold)
    : packed_(std::move(matrix)), scales_(std::min(packed_.rows(), packed_.cols())) {
  const Index rows = packed_.rows(), columns = packed_.cols(), least = scales_.size();
  order_.resize(static_cast<std::size_t>(columns));
  for (Index j = 0; j < columns; ++j) order_[static_cast<std::size_t>(j)] = j;
  if (least == 0) return;
  const SingleThreadedBlas single_threaded;
  std::vector<lapack_int> pivots(static_cast<std::size_t>(columns), 0);
  finite_ = packed_.allFinite() && with_workspace([&](double* work, lapack_int length) {
              return LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, size(rows), size(columns), packed_.data(), leading(rows), pivots.data(),
                                         scales_.data(), work, length);
            });
  if (!finite_) return;
  std::transform(pivots.begin(), pivots.end(), order_.begin(), [](lapack_int from_one) { return Index{from_one} - 1; });
  const Vector diagonal = packed_.diagonal().cwiseAbs();
  const double above = threshold.value_or(std::numeric_limits<double>::epsilon() * static_cast<double>(least)) * diagonal.maxCoeff();
  rank_ = (diagonal.array() > above).count();
}

Matrix PivotedQr::triangle() const { return finite_ ? upper_triangle(packed_, scales_.size()) : no_answer(scales_.size(), packed_.cols()); }

Matrix PivotedQr::basis() const {
  const SingleThreadedBlas single_threaded;
  return basis_of(packed_, scales_, rank_);
}

Matrix PivotedQr::rotated(Matrix right) const {
  check_equal("rows of the right side", right.rows(), packed_.rows());
  if (right.size() == 0 || scales_.size() == 0) return right;
  const SingleThreadedBlas single_threaded;
  const bool turned =
      finite_ && with_workspace([&](double* work, lapack_int length) {
        return LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', 'T', size(right.rows()), size(right.cols()), size(scales_.size()), packed_.data(),
                                   leading(packed_.rows()), scales_.data(), right.data(), leading(right.rows()), work, length);
      });
  return turned ? right : no_answer(right.rows(), right.cols());
}

Matrix PivotedQr::solve(Matrix right) const {
  if (!finite_) return no_answer(packed_.cols(), right.cols());
  const Matrix turned = rotated(std::move(right));
  const Matrix basic = solve_upper(packed_.topLeftCorner(rank_, rank_), turned.topRows(rank_));
  Matrix solution = Matrix::Zero(packed_.cols(), turned.cols());
  for (Index i = 0; i < rank_; ++i) solution.row(order_[static_cast<std::size_t>(i)]) = basic.row(i);
  return solution;
}

Matrix least_squares(Matrix matrix, Matrix right) { return PivotedQr(std::move(matrix)).solve(std::move(right)); }

Matrix minimum_norm_solution(const Matrix& matrix, Matrix right) {
  if (!matrix.allFinite()) return no_answer(matrix.cols(), right.cols());
  const PivotedQr qr(matrix);
  const Index rank = qr.rank(), columns = matrix.cols();
  if (rank == columns) return qr.solve(std::move(right));
  // A P = Q [R; 0] with a wide R = (Z T)ᵀ: the solution in the span of the rows of R is the shortest.
  const Matrix turned = qr.rotated(std::move(right));
  const ThinQr rows = thin_qr(qr.triangle().topRows(rank).transpose());
  const Matrix along = solve_lower(Matrix(rows.triangle.transpose()), turned.topRows(rank));
  const Matrix permuted = rows.basis * along;
  Matrix solution(columns, turned.cols());
  for (Index i = 0; i < columns; ++i) solution.row(qr.order()[static_cast<std::size_t>(i)]) = permuted.row(i);
  return solution;
}

Matrix pseudo_inverse(const Matrix& matrix) { return minimum_norm_solution(matrix, Matrix::Identity(matrix.rows(), matrix.rows())); }

}  // namespace relucover
