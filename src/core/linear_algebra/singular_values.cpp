#include <algorithm>

#include "core/blas.hpp"
#include "core/linear_algebra/lapack.hpp"

namespace relucover {

namespace {

using namespace lapack;

/// Divide and conquer; QR iteration where that fails, which is rare.
bool decompose(const Matrix& matrix, bool with_vectors, Svd& svd, Matrix& right_transposed) {
  const Index rows = matrix.rows(), columns = matrix.cols(), least = std::min(rows, columns);
  const char job = with_vectors ? 'S' : 'N';
  if (with_vectors) {
    svd.left.resize(rows, least);
    right_transposed.resize(least, columns);
  }
  Matrix work_on = matrix;
  std::vector<lapack_int> integers(static_cast<std::size_t>(8 * least));
  if (with_workspace([&](double* work, lapack_int length) {
        return LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, job, size(rows), size(columns), work_on.data(), leading(rows), svd.values.data(),
                                   svd.left.data(), leading(rows), right_transposed.data(), leading(least), work, length, integers.data());
      }))
    return true;
  work_on = matrix;
  return with_workspace([&](double* work, lapack_int length) {
    return LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, job, job, size(rows), size(columns), work_on.data(), leading(rows), svd.values.data(),
                               svd.left.data(), leading(rows), right_transposed.data(), leading(least), work, length);
  });
}

Svd svd_of(const Matrix& matrix, bool with_vectors) {
  const Index rows = matrix.rows(), columns = matrix.cols(), least = std::min(rows, columns);
  Svd svd{Matrix(with_vectors ? rows : 0, least), Matrix(with_vectors ? columns : 0, least), Vector(least)};
  if (least == 0) return svd;
  const SingleThreadedBlas single_threaded;
  Matrix right_transposed;
  if (matrix.allFinite() && decompose(matrix, with_vectors, svd, right_transposed)) {
    if (with_vectors) svd.right = right_transposed.transpose();
    return svd;
  }
  return {no_answer(svd.left.rows(), least), no_answer(svd.right.rows(), least), no_answer(least, 1)};
}

}  // namespace

Svd thin_svd(Matrix matrix, SingularVectors wanted) {
  if (wanted == SingularVectors::left) {
    Svd turned = thin_svd(matrix.transpose(), SingularVectors::right);
    return {std::move(turned.right), Matrix(), std::move(turned.values)};
  }
  // The right side of a long matrix is that of its triangle.
  if (wanted == SingularVectors::right && matrix.rows() > matrix.cols()) matrix = triangle_of(std::move(matrix));
  Svd svd = svd_of(matrix, true);
  if (wanted == SingularVectors::right) svd.left = Matrix();
  return svd;
}

Vector singular_values(const Matrix& matrix) { return svd_of(matrix, false).values; }

LeastSingular least_right_singular(const Matrix& matrix) {
  const Index k = matrix.cols();
  if (matrix.rows() < k || k == 0) return {Vector::Zero(k), 1};
  const Svd svd = thin_svd(matrix, SingularVectors::right);
  return {svd.right.col(k - 1), svd.values[k - 1] / std::max(svd.values[0], 1e-300)};
}

}  // namespace relucover
