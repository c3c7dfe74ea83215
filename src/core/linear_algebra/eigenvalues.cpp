#include <algorithm>

#include "core/blas.hpp"
#include "core/check.hpp"
#include "core/linear_algebra/lapack.hpp"

namespace relucover {

namespace {

using namespace lapack;

/// Eigenvalues of a matrix that becomes its eigenvectors where these are wanted.
Vector eigenvalues_in_place(Matrix& symmetric, char job) {
  check_equal("columns of a symmetric matrix", symmetric.cols(), symmetric.rows());
  const Index n = symmetric.rows();
  Vector values(n);
  if (n == 0) return values;
  const SingleThreadedBlas single_threaded;
  const bool solved =
      symmetric.allFinite() && with_workspaces([&](double* work, lapack_int length, lapack_int* integers, lapack_int integer_length) {
        return LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, job, 'L', size(n), symmetric.data(), leading(n), values.data(), work, length, integers,
                                   integer_length);
      });
  if (solved) return values;
  symmetric = no_answer(n, n);
  return no_answer(n, 1);
}

struct SquareEigen {
  bool converged = false;
  Vector real, imaginary;
  Matrix vectors;
};

SquareEigen square_eigen(Matrix& square, bool with_vectors) {
  check_equal("columns of a square matrix", square.cols(), square.rows());
  const Index n = square.rows();
  SquareEigen answer{true, Vector(n), Vector(n), Matrix(n, with_vectors ? n : 0)};
  if (n == 0) return answer;
  const SingleThreadedBlas single_threaded;
  answer.converged =
      square.allFinite() && with_workspace([&](double* work, lapack_int length) {
        return LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', with_vectors ? 'V' : 'N', size(n), square.data(), leading(n), answer.real.data(),
                                  answer.imaginary.data(), nullptr, 1, answer.vectors.data(), leading(n), work, length);
      });
  if (!answer.converged) answer = {false, no_answer(n, 1), no_answer(n, 1), no_answer(n, answer.vectors.cols())};
  return answer;
}

std::vector<std::complex<double>> complex_values(const SquareEigen& eigen) {
  std::vector<std::complex<double>> values;
  for (Index i = 0; i < eigen.real.size(); ++i) values.emplace_back(eigen.real[i], eigen.imaginary[i]);
  return values;
}

}  // namespace

SymmetricEigen symmetric_eigen(Matrix symmetric) {
  SymmetricEigen answer;
  answer.values = eigenvalues_in_place(symmetric, 'V');
  answer.vectors = std::move(symmetric);
  return answer;
}

Vector symmetric_eigenvalues(Matrix symmetric) { return eigenvalues_in_place(symmetric, 'N'); }

SymmetricEigen tridiagonal_eigen(Vector diagonal, Vector beside) {
  const Index n = diagonal.size();
  check_equal("entries beside the diagonal", beside.size(), std::max<Index>(n - 1, 0));
  SymmetricEigen answer{std::move(diagonal), Matrix(n, n)};
  if (n == 0) return answer;
  const SingleThreadedBlas single_threaded;
  const bool solved = answer.values.allFinite() && beside.allFinite() &&
                      with_workspaces([&](double* work, lapack_int length, lapack_int* integers, lapack_int integer_length) {
                        return LAPACKE_dstedc_work(LAPACK_COL_MAJOR, 'I', size(n), answer.values.data(), beside.data(),
                                                   answer.vectors.data(), leading(n), work, length, integers, integer_length);
                      });
  if (!solved) answer = {no_answer(n, 1), no_answer(n, n)};
  return answer;
}

double scaled_condition(const Matrix& gram) {
  const Vector scale = gram.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
  const Vector values = symmetric_eigenvalues(scale.asDiagonal() * gram * scale.asDiagonal());
  return values.maxCoeff() / std::max(values.minCoeff(), 1e-300);
}

double spectral_radius(Matrix symmetric) {
  const Vector values = symmetric_eigenvalues(std::move(symmetric));
  return values.size() > 0 ? std::max(std::abs(values[0]), std::abs(values[values.size() - 1])) : 0;
}

GeneralEigen general_eigen(Matrix square) {
  SquareEigen eigen = square_eigen(square, true);
  GeneralEigen answer{eigen.converged, complex_values(eigen), std::move(eigen.vectors)};
  for (Index i = 0; i + 1 < eigen.real.size(); ++i)
    if (eigen.imaginary[i] > 0) answer.real_parts.col(i + 1) = answer.real_parts.col(i);
  return answer;
}

std::vector<std::complex<double>> general_eigenvalues(Matrix square) { return complex_values(square_eigen(square, false)); }

PencilEigenvectors solve_pencil(const Matrix& c, const Matrix& b) {
  const Index n = c.rows();
  check_equal("columns of C", c.cols(), n);
  check_equal("rows of B", b.rows(), n);
  check_equal("columns of B", b.cols(), n);
  PencilEigenvectors answer;
  if (n == 0 || !c.allFinite() || !b.allFinite()) return answer;
  const SingleThreadedBlas single_threaded;
  Matrix left = c, right = b, vectors(n, n);
  Vector real(n), imaginary(n), beta(n);
  const bool solved = with_workspace([&](double* work, lapack_int length) {
    return LAPACKE_dggev_work(LAPACK_COL_MAJOR, 'N', 'V', size(n), left.data(), leading(n), right.data(), leading(n), real.data(),
                              imaginary.data(), beta.data(), nullptr, 1, vectors.data(), leading(n), work, length);
  });
  if (!solved) return answer;
  answer.vectors = std::move(vectors);
  answer.real = (imaginary.array() == 0).all();
  return answer;
}

}  // namespace relucover
