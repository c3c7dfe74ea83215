#include "decompose/alternating.hpp"

#include <algorithm>
#include <cmath>

#include "core/linear_algebra.hpp"

namespace relucover {

namespace {

/// The slices' k-th block of columns.
auto slice(const Matrix& core, Index k) { return core.middleCols(k * core.rows(), core.rows()); }

/// Slices as columns of one matrix, and back.
Matrix columns_of(const Matrix& core) {
  const Index r = core.rows(), n = core.cols() / r;
  return Eigen::Map<const Matrix>(core.data(), r * r, n);
}
Matrix side_by_side(const Matrix& columns, Index rows) { return Eigen::Map<const Matrix>(columns.data(), rows, rows * columns.cols()); }

struct Root {
  Matrix inverse, root;  // symmetric; directions below the cut are left alone
};
Root root_of(const Matrix& gram, double negligible) {
  const SymmetricEigen eigen = symmetric_eigen(gram);
  const double largest = std::max(eigen.values.maxCoeff(), 1e-300);
  const Vector values = eigen.values.cwiseMax(negligible * negligible * largest).cwiseSqrt();
  const Matrix& v = eigen.vectors;
  return {v * values.cwiseInverse().asDiagonal() * v.transpose(), v * values.asDiagonal() * v.transpose()};
}

/// min over the factor of |unfolding - factor (products)ᵀ|², products' Gram matrix given.
Matrix solve_factor(const Matrix& unfolding_times_products, Matrix gram) {
  gram.diagonal().array() += 1e-15 * gram.diagonal().maxCoeff() + 1e-300;
  return solve_semidefinite(std::move(gram), unfolding_times_products.transpose()).transpose();
}

Matrix gram_of(const Matrix& a) { return a.transpose() * a; }

void normalise(Matrix& factor) {
  for (Index i = 0; i < factor.cols(); ++i) {
    const double length = factor.col(i).norm();
    if (length > 0) factor.col(i) /= length;
  }
}

}  // namespace

BalancedSlices::BalancedSlices(const std::vector<Matrix>& slices, double negligible) {
  const Index r = slices.front().rows();
  Matrix columns(r * r, static_cast<Index>(slices.size()));
  for (std::size_t k = 0; k < slices.size(); ++k) columns.col(static_cast<Index>(k)) = Eigen::Map<const Vector>(slices[k].data(), r * r);
  // An orthonormal basis of the span of the slices.
  const SymmetricEigen eigen = symmetric_eigen(columns.transpose() * columns);
  const double largest = std::max(eigen.values.maxCoeff(), 1e-300);
  count_ = std::max<Index>(1, (eigen.values.array() > negligible * negligible * largest).count());
  const Matrix basis = eigen.vectors.rightCols(count_) * eigen.values.tail(count_).cwiseMax(1e-300).cwiseSqrt().cwiseInverse().asDiagonal();
  core_ = side_by_side(columns * basis, r);
  back_ = Matrix::Identity(r, r);
  // Operator scaling: rows and slices orthonormal in turns.
  constexpr int rounds = 20;
  for (int round = 0; round < rounds; ++round) {
    const Root rows = root_of(core_ * core_.transpose(), negligible);
    for (Index k = 0; k < count_; ++k) core_.middleCols(k * r, r) = rows.inverse * slice(core_, k) * rows.inverse;
    back_ = back_ * rows.root;
    const Matrix stacked = columns_of(core_);
    core_ = side_by_side(stacked * root_of(stacked.transpose() * stacked, negligible).inverse, r);
  }
}

AlternatingFit BalancedSlices::alternate(RandomStream& random, const AlternatingOptions& options, const Control& control) const {
  const Index r = core_.rows(), rank = r;
  Matrix a = random.normal_matrix(r, rank), b = a, c = random.normal_matrix(count_, rank);
  normalise(a);
  normalise(b);
  const double total = core_.squaredNorm();
  AlternatingFit fit;
  double earlier = 1;
  for (Index i = 0; i < options.max_iterations; ++i) {
    if (i % 64 == 0) control.check();
    fit.iterations = i + 1;
    // (slices times one factor), weighted by the slice's row of C and summed
    const auto solve_side = [&](const Matrix& other) {
      Matrix sum = Matrix::Zero(r, rank);
      for (Index k = 0; k < count_; ++k) sum.noalias() += slice(core_, k) * (other * c.row(k).asDiagonal());
      Matrix factor = solve_factor(sum, gram_of(other).cwiseProduct(gram_of(c)));
      normalise(factor);
      return factor;
    };
    a = solve_side(b);
    b = solve_side(a);
    Matrix inner(count_, rank);
    for (Index k = 0; k < count_; ++k) inner.row(k) = (slice(core_, k) * b).cwiseProduct(a).colwise().sum();
    c = solve_factor(inner, gram_of(a).cwiseProduct(gram_of(b)));
    fit.residual = 0;
    for (Index k = 0; k < count_; ++k) fit.residual += (slice(core_, k) - a * c.row(k).asDiagonal() * b.transpose()).squaredNorm() / total;
    if (!(fit.residual > options.fits)) break;
    if (i % options.patience == options.patience - 1) {
      if (!(fit.residual < earlier * (1 - options.relative_decrease))) break;
      earlier = fit.residual;
    }
  }
  // Both sides are the same vectors up to sign where the fit is good; elsewhere their mean is the symmetric choice.
  for (Index i = 0; i < rank; ++i)
    if (a.col(i).dot(b.col(i)) < 0) b.col(i) *= -1;
  fit.vectors = back_ * (a + b);
  normalise(fit.vectors);
  return fit;
}

}  // namespace relucover
