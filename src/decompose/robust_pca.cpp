#include "decompose/robust_pca.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/linear_algebra.hpp"
#include "core/median.hpp"

namespace relucover {

namespace {

/// Singular values shrunk by `by`, through the Gram matrix of the shorter side (full accuracy comes later, from the entries).
Matrix shrink_singular_values(const Matrix& given, double by, Index& rank) {
  if (given.rows() > given.cols()) return shrink_singular_values(given.transpose(), by, rank).transpose();
  const SymmetricEigen eigen = symmetric_eigen(given * given.transpose());
  const Vector singular = eigen.values.cwiseMax(0).cwiseSqrt();
  rank = (singular.array() > by).count();
  const Vector factor = singular.unaryExpr([&](double s) { return s > by ? (s - by) / s : 0.0; });
  return eigen.vectors * (factor.asDiagonal() * (eigen.vectors.transpose() * given));
}

double spectral_norm(const Matrix& given) {
  Matrix gram = given.rows() <= given.cols() ? Matrix(given * given.transpose()) : Matrix(given.transpose() * given);
  return std::sqrt(spectral_radius(std::move(gram)));
}

Vector row_medians(const Matrix& values) {
  Vector medians(values.rows());
  std::vector<double> row(static_cast<std::size_t>(values.cols()));
  for (Index i = 0; i < values.rows(); ++i) {
    for (Index j = 0; j < values.cols(); ++j) row[static_cast<std::size_t>(j)] = values(i, j);
    medians[i] = median_of(row);
  }
  return medians;
}

/// 1 where the residual is small against the medians of its row and column.
Matrix trusted_entries(const Matrix& residual, double floor) {
  constexpr double times_median = 6;
  const Vector rows = row_medians(residual), columns = row_medians(residual.transpose());
  Matrix trusted(residual.rows(), residual.cols());
  for (Index j = 0; j < residual.cols(); ++j)
    for (Index i = 0; i < residual.rows(); ++i)
      trusted(i, j) = residual(i, j) <= std::max(times_median * std::max(rows[i], columns[j]), floor) ? 1 : 0;
  return trusted;
}

/// For every column j of `given`: least squares for left·v = given over the entries with weight 1.
Matrix weighted_solve(const Matrix& left, const Matrix& given, const Matrix& weight) {
  const Index rank = left.cols();
  Matrix right(rank, given.cols());
  for (Index j = 0; j < given.cols(); ++j) {
    const Matrix scaled = weight.col(j).asDiagonal() * left;
    Matrix gram = left.transpose() * scaled;
    gram.diagonal().array() += 1e-14 * (1 + gram.trace());
    right.col(j) = solve_semidefinite(std::move(gram), scaled.transpose() * given.col(j));
  }
  return right;
}

}  // namespace

RobustPca robust_pca(const Matrix& given, const Control& control, const RobustPcaOptions& options) {
  RobustPca result;
  const double lambda = options.sparsity_weight / std::sqrt(static_cast<double>(std::max(given.rows(), given.cols())));
  const double norm = given.norm(), two_norm = spectral_norm(given);
  result.low_rank = Matrix::Zero(given.rows(), given.cols());
  if (!(two_norm > 0)) return result;
  Matrix dual = given / std::max(two_norm, given.cwiseAbs().maxCoeff() / lambda);
  Matrix sparse = Matrix::Zero(given.rows(), given.cols());
  double penalty = 1.25 / two_norm;
  for (; result.iterations < options.max_iterations && !result.converged; ++result.iterations) {
    control.check();
    result.low_rank = shrink_singular_values(given - sparse + dual / penalty, 1 / penalty, result.rank);
    const Matrix target = given - result.low_rank + dual / penalty;
    sparse = target.array().sign() * (target.array().abs() - lambda / penalty).max(0);
    const Matrix residual = given - result.low_rank - sparse;
    dual += penalty * residual;
    penalty *= options.growth;
    result.converged = residual.norm() <= options.tolerance * norm;
  }
  return result;
}

MaskedFactors masked_factors(const Matrix& given, const Matrix& start, Index rank, const Control& control) {
  constexpr Index max_rounds = 40;
  const Svd svd = thin_svd(start);
  Matrix left = svd.left.leftCols(rank);
  Matrix right = svd.values.head(rank).asDiagonal() * svd.right.leftCols(rank).transpose();
  const double scale = std::sqrt(start.squaredNorm() / static_cast<double>(start.size()));
  for (Index round = 0; round < max_rounds; ++round) {
    control.check();
    for (int inner = 0; inner < 2; ++inner)
      right = weighted_solve(left, given, trusted_entries((given - left * right).cwiseAbs(), 1e-12 * scale));
    const Matrix residual = (given - left * right).cwiseAbs();
    left = weighted_solve(right.transpose(), given.transpose(), trusted_entries(residual, 1e-12 * scale).transpose()).transpose();
    ThinQr qr = thin_qr(std::move(left));
    left = std::move(qr.basis);
    right = qr.triangle * right;
    Matrix flat = residual;
    std::vector<double> all(flat.data(), flat.data() + flat.size());
    if (median_of(all) < 1e-14 * scale) break;
  }
  constexpr double rounding = 1e-9;  // of the labels' scale: far above rounding, far below any corruption worth the name
  Matrix trusted = ((given - left * right).cwiseAbs().array() < rounding * scale).cast<double>();
  for (Index j = 0; j < trusted.cols(); ++j)
    if (trusted.col(j).sum() < static_cast<double>(rank) + 2) trusted.col(j).setOnes();
  right = weighted_solve(left, given, trusted);
  return {left, right, (given - left * right).cwiseAbs().array() < rounding * scale};
}

}  // namespace relucover
