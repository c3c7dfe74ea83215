#include "core/products.hpp"

#include <cblas.h>

#include <algorithm>

namespace relucover {

namespace {

using Eigen::Index;

void gemm(CBLAS_ORDER order, CBLAS_TRANSPOSE a, CBLAS_TRANSPOSE b, int m, int n, int k, double factor, const double* A, int lda,
          const double* B, int ldb, double keep, double* C, int ldc) {
  cblas_dgemm(order, a, b, m, n, k, factor, A, lda, B, ldb, keep, C, ldc);
}
void gemm(CBLAS_ORDER order, CBLAS_TRANSPOSE a, CBLAS_TRANSPOSE b, int m, int n, int k, float factor, const float* A, int lda,
          const float* B, int ldb, float keep, float* C, int ldc) {
  cblas_sgemm(order, a, b, m, n, k, factor, A, lda, B, ldb, keep, C, ldc);
}
void gemv(CBLAS_ORDER order, int m, int n, double factor, const double* A, int lda, const double* x, int step_x, double keep, double* y,
          int step_y) {
  cblas_dgemv(order, CblasNoTrans, m, n, factor, A, lda, x, step_x, keep, y, step_y);
}
void gemv(CBLAS_ORDER order, int m, int n, float factor, const float* A, int lda, const float* x, int step_x, float keep, float* y,
          int step_y) {
  cblas_sgemv(order, CblasNoTrans, m, n, factor, A, lda, x, step_x, keep, y, step_y);
}
void syrk(CBLAS_TRANSPOSE a, int n, int k, double factor, const double* A, int lda, double* C, int ldc) {
  cblas_dsyrk(CblasColMajor, CblasLower, a, n, k, factor, A, lda, 1, C, ldc);
}
void syrk(CBLAS_TRANSPOSE a, int n, int k, float factor, const float* A, int lda, float* C, int ldc) {
  cblas_ssyrk(CblasColMajor, CblasLower, a, n, k, factor, A, lda, 1, C, ldc);
}
int as_int(Index size) { return static_cast<int>(size); }

/// Distance of rows (by_rows) or columns, as BLAS wants it: never less than their length, even where there is only one.
template <class Scalar>
int leading_size(const Strided<Scalar>& matrix) {
  return as_int(matrix.by_rows ? std::max({matrix.row_step, matrix.columns, Index{1}})
                               : std::max({matrix.column_step, matrix.rows, Index{1}}));
}

template <class Scalar>
Strided<Scalar> transposed(const Strided<Scalar>& matrix) {
  return {matrix.data, matrix.columns, matrix.rows, matrix.column_step, matrix.row_step, !matrix.by_rows};
}

/// Not by BLAS, whose answer depends on its threads.
template <class Scalar>
Scalar dot(Index size, const Scalar* x, Index step_x, const Scalar* y, Index step_y) {
  using Plain = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
  if (step_x == 1 && step_y == 1) return Eigen::Map<const Plain>(x, size).dot(Eigen::Map<const Plain>(y, size));
  using Stepping = Eigen::Map<const Plain, 0, Eigen::InnerStride<>>;
  return Stepping(x, size, Eigen::InnerStride<>(step_x)).dot(Stepping(y, size, Eigen::InnerStride<>(step_y)));
}

/// y = keep y + factor A x
template <class Scalar>
void multiply_vector(const Strided<Scalar>& y, const Strided<const Scalar>& A, const Strided<const Scalar>& x, Scalar factor, Scalar keep) {
  gemv(A.by_rows ? CblasRowMajor : CblasColMajor, as_int(A.rows), as_int(A.columns), factor, A.data, leading_size(A), x.data,
       as_int(x.row_step), keep, y.data, as_int(y.row_step));
}

template <class Scalar, int Order>
auto mapped_view(const Strided<const Scalar>& m) {
  using Plain = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Order>;
  return Eigen::Map<const Plain, 0, Eigen::OuterStride<>>(m.data, m.rows, m.columns, Eigen::OuterStride<>(leading_size(m)));
}

/// Sizes at which a call of BLAS takes longer than the product.
template <class Scalar, class A, class B>
void multiply_small(const Strided<Scalar>& to, const A& a, const B& b, Scalar factor, bool add) {
  using Plain = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
  Eigen::Map<Plain, 0, Eigen::OuterStride<>> target(to.data, to.rows, to.columns, Eigen::OuterStride<>(leading_size(to)));
  if (add)
    target += factor * a.lazyProduct(b);
  else
    target = factor * a.lazyProduct(b);
}

template <class Scalar>
void multiply_small(const Strided<Scalar>& to, const Strided<const Scalar>& a, const Strided<const Scalar>& b, Scalar factor, bool add) {
  if (to.by_rows) return multiply_small(transposed(to), transposed(b), transposed(a), factor, add);
  if (a.by_rows && b.by_rows)
    return multiply_small(to, mapped_view<Scalar, Eigen::RowMajor>(a), mapped_view<Scalar, Eigen::RowMajor>(b), factor, add);
  if (a.by_rows) return multiply_small(to, mapped_view<Scalar, Eigen::RowMajor>(a), mapped_view<Scalar, Eigen::ColMajor>(b), factor, add);
  if (b.by_rows) return multiply_small(to, mapped_view<Scalar, Eigen::ColMajor>(a), mapped_view<Scalar, Eigen::RowMajor>(b), factor, add);
  multiply_small(to, mapped_view<Scalar, Eigen::ColMajor>(a), mapped_view<Scalar, Eigen::ColMajor>(b), factor, add);
}

template <class Scalar>
bool contiguous(const Strided<Scalar>& matrix) {
  return (matrix.by_rows ? matrix.column_step : matrix.row_step) == 1;
}

template <class Scalar>
void multiply_any(const Strided<Scalar>& to, const Strided<const Scalar>& a, const Strided<const Scalar>& b, Scalar factor, bool add) {
  constexpr Index small = 20;  // as Eigen has it
  const Index m = to.rows, n = to.columns, k = a.columns;
  const Scalar keep = add ? 1 : 0;
  if (m == 0 || n == 0) return;
  if (k == 0) {
    for (Index i = 0; i < m && !add; ++i)
      for (Index j = 0; j < n; ++j) to.data[i * to.row_step + j * to.column_step] = 0;
    return;
  }
  if (m == 1 && n == 1) {
    const Scalar value = factor * dot(k, a.data, a.column_step, b.data, b.row_step);
    *to.data = add ? *to.data + value : value;
    return;
  }
  if (m + n + k < small && contiguous(to) && contiguous(a) && contiguous(b)) return multiply_small(to, a, b, factor, add);
  if (n == 1) return multiply_vector(to, a, b, factor, keep);
  if (m == 1) return multiply_vector(transposed(to), transposed(b), transposed(a), factor, keep);
  const auto turned = [&](const Strided<const Scalar>& matrix) { return matrix.by_rows == to.by_rows ? CblasNoTrans : CblasTrans; };
  gemm(to.by_rows ? CblasRowMajor : CblasColMajor, turned(a), turned(b), as_int(m), as_int(n), as_int(k), factor, a.data, leading_size(a),
       b.data, leading_size(b), keep, to.data, leading_size(to));
}

template <class Scalar>
void add_any_square(const Strided<Scalar>& to, const Strided<const Scalar>& a, Scalar factor) {
  if (a.rows == 0 || a.columns == 0) return;
  syrk(a.by_rows ? CblasTrans : CblasNoTrans, as_int(a.rows), as_int(a.columns), factor, a.data, leading_size(a), to.data,
       leading_size(to));
}

}  // namespace

void multiply(const Strided<double>& to, const Strided<const double>& a, const Strided<const double>& b, double factor, bool add) {
  multiply_any(to, a, b, factor, add);
}
void multiply(const Strided<float>& to, const Strided<const float>& a, const Strided<const float>& b, float factor, bool add) {
  multiply_any(to, a, b, factor, add);
}

void add_square(const Strided<double>& to, const Strided<const double>& a, double factor) { add_any_square(to, a, factor); }
void add_square(const Strided<float>& to, const Strided<const float>& a, float factor) { add_any_square(to, a, factor); }

}  // namespace relucover
