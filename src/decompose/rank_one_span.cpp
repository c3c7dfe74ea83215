#include "decompose/rank_one_span.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/linear_algebra.hpp"
#include "moments/symmetric_packing.hpp"

namespace relucover {

namespace {

/// One step of z <- normalise(mat(project(z zᵀ)) z) on every row; returns 1 - min |z·z_new|.
double rank_one_step(const Matrix& basis, RowMatrix& rows) {
  const RowMatrix projected = (packed_squares(rows) * basis) * basis.transpose();
  double change = 0;
  for (Index i = 0; i < rows.rows(); ++i) {
    Vector next = unpack_symmetric(projected.row(i).transpose(), rows.cols()) * rows.row(i).transpose();
    const double norm = next.norm();
    if (!(norm > 0)) continue;
    next /= norm;
    change = std::max(change, 1 - std::abs(next.dot(rows.row(i).transpose())));
    rows.row(i) = next.transpose();
  }
  return change;
}

Vector rank_one_residuals(const Matrix& basis, const RowMatrix& rows) {
  return Vector::Ones(rows.rows()) - (packed_squares(rows) * basis).rowwise().squaredNorm();
}

/// Rows in the order of their residuals, each kept if it differs from all kept before; at most `wanted`.
std::vector<Index> distinct_rows(const RowMatrix& rows, const Vector& residuals, double distinct_below, Index wanted) {
  std::vector<Index> order(static_cast<std::size_t>(rows.rows()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](Index i, Index j) { return residuals[i] < residuals[j]; });
  std::vector<Index> kept;
  for (const Index i : order) {
    if (static_cast<Index>(kept.size()) == wanted) break;
    const bool is_new =
        std::all_of(kept.begin(), kept.end(), [&](Index j) { return std::abs(rows.row(i).dot(rows.row(j))) < distinct_below; });
    if (is_new) kept.push_back(i);
  }
  return kept;
}

}  // namespace

Matrix eigenvectors_of_random_pair(const Matrix& elements, Index size, RandomStream& random) {
  const Matrix x = unpack_symmetric((elements * random.normal_vector(elements.cols())).eval(), size);
  const Matrix y = unpack_symmetric((elements * random.normal_vector(elements.cols())).eval(), size);
  // X Y⁻¹ = (Y⁻¹ X)ᵀ for symmetric X, Y
  const GeneralEigen eigen = general_eigen(solve_square(y, x).transpose());
  if (!eigen.converged) return Matrix(0, size);
  Matrix rows = eigen.real_parts.transpose();
  for (Index i = 0; i < rows.rows(); ++i) {
    const double norm = rows.row(i).norm();
    if (norm > 0 && std::isfinite(norm))
      rows.row(i) /= norm;
    else
      rows.row(i) = Vector::Unit(size, i % size).transpose();
  }
  return rows;
}

RankOneVectors rank_one_vectors(const Matrix& basis, Index size, RandomStream& random, const Control& control,
                                const RankOneOptions& options) {
  const Index wanted = basis.cols();
  RowMatrix pool(0, size);
  for (Index pair = 0; pair < options.pairs; ++pair) {
    control.check();
    const Matrix found = eigenvectors_of_random_pair(basis, size, random);
    pool.conservativeResize(pool.rows() + found.rows(), size);
    pool.bottomRows(found.rows()) = found;
  }
  constexpr Index before_merging = 8;
  constexpr double same_above = 0.9999;
  for (Index step = 0; step < options.iterations; ++step) {
    control.check();
    if (step == before_merging) {  // most of the pool has met by now: go on with one of each
      const auto kept = distinct_rows(pool, rank_one_residuals(basis, pool), same_above, pool.rows());
      pool = RowMatrix(pool(kept, Eigen::all));
    }
    if (rank_one_step(basis, pool) < 1e-15) break;
  }
  const Vector residuals = rank_one_residuals(basis, pool);
  const auto kept = distinct_rows(pool, residuals, options.distinct_below, wanted);
  return {pool(kept, Eigen::all), residuals(kept)};
}

namespace {

/// Columns i of the Khatri-Rao product: b_i ⊗ c_i with c running fastest.
Matrix khatri_rao(const Matrix& b, const Matrix& c) {
  Matrix product(b.rows() * c.rows(), b.cols());
  for (Index r = 0; r < b.cols(); ++r)
    for (Index i = 0; i < b.rows(); ++i) product.col(r).segment(i * c.rows(), c.rows()) = b(i, r) * c.col(r);
  return product;
}

Matrix least_squares_factor(const Matrix& unfolding, const Matrix& b, const Matrix& c) {
  const Matrix gram = (b.transpose() * b).cwiseProduct(c.transpose() * c);
  const Matrix right = unfolding * khatri_rao(b, c);
  return minimum_norm_solution(gram, right.transpose()).transpose();
}

void normalise_columns(Matrix& factor) {
  for (Index r = 0; r < factor.cols(); ++r) {
    const double norm = factor.col(r).norm();
    if (norm > 0) factor.col(r) /= norm;
  }
}

}  // namespace

Matrix alternating_least_squares(const Matrix& elements, Index size, RandomStream& random, const Control& control,
                                 const AlternatingLeastSquaresOptions& options) {
  const Index rank = elements.cols();
  // The stack of draws is G times the basis; ALS is unchanged by an orthogonal map of the first mode, so G = Q R leaves R.
  const Matrix core = triangle_of(random.normal_matrix(options.draws_per_vector * rank, rank)) * elements.transpose();
  Matrix first(rank, size * size), second(size, rank * size), third(size, rank * size);
  for (Index s = 0; s < rank; ++s) {
    const Matrix slice = unpack_symmetric(core.row(s).transpose(), size);
    for (Index i = 0; i < size; ++i) {
      first.row(s).segment(i * size, size) = slice.row(i);
      second.row(i).segment(s * size, size) = slice.row(i);
      third.row(i).segment(s * size, size) = slice.row(i);  // slices are symmetric
    }
  }
  const double norm = std::max(first.norm(), 1e-300);
  double best_error = std::numeric_limits<double>::infinity();
  Matrix best = Matrix::Identity(size, rank);
  for (Index restart = 0; restart < options.restarts; ++restart) {
    Matrix b = random.normal_matrix(size, rank), c = random.normal_matrix(size, rank);
    double before = std::numeric_limits<double>::infinity(), error = before;
    for (Index iteration = 0; iteration < options.iterations; ++iteration) {
      control.check();
      const Matrix f = least_squares_factor(first, b, c);
      b = least_squares_factor(second, f, c);
      normalise_columns(b);
      c = least_squares_factor(third, f, b);
      error = (third - c * khatri_rao(f, b).transpose()).norm() / norm;
      normalise_columns(c);
      if (std::abs(before - error) < options.tolerance) break;
      before = error;
    }
    if (error < best_error) {
      best_error = error;
      best = b;
    }
  }
  return best.transpose();
}

}  // namespace relucover
