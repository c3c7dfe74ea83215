#include "solve/rectified_fit.hpp"

#include <algorithm>
#include <cmath>

#include "core/linear_algebra.hpp"

namespace relucover {

namespace {

/// A by least squares at one W.
struct Eliminated {
  Matrix drive, values, basis, A, residual;  // residual: samples by outputs
};

Eliminated eliminate(const RowMatrix& x, const RowMatrix& y, const Matrix& W, const Rectifier& f) {
  Eliminated e;
  e.drive = x * W.transpose();
  e.values = f.values(e.drive);
  const Vector scale = e.values.colwise().norm().cwiseMax(1e-300).cwiseInverse();
  const PivotedQr qr(e.values * scale.asDiagonal());
  e.basis = qr.basis();
  Matrix solution = qr.solve(y);
  solution += qr.solve(y - e.values * scale.asDiagonal() * solution);
  e.A = (scale.asDiagonal() * solution).transpose();
  e.residual = y - e.values * e.A.transpose();
  return e;
}

struct RectifiedNormal {
  Matrix gram;
  Vector gradient;
};

/// Derivatives by the entries of W, those that A can follow taken out (Kaufman): of output o they are A(o, j) times the block of unit j.
RectifiedNormal rectified_normal(const RowMatrix& x, const Eliminated& e, const Matrix& W, const Rectifier& f) {
  const Index k = W.rows(), d = x.cols();
  const Matrix slope = f.slopes(e.drive);
  Matrix blocks(x.rows(), k * d);
  for (Index j = 0; j < k; ++j) blocks.middleCols(j * d, d) = slope.col(j).asDiagonal() * x;
  blocks -= e.basis * (e.basis.transpose() * blocks);
  const Matrix outputs = e.A.transpose() * e.A, seen = e.residual * e.A;
  RectifiedNormal normal{blocks.transpose() * blocks, Vector(k * d)};
  for (Index j = 0; j < k; ++j) {
    normal.gradient.segment(j * d, d) = blocks.middleCols(j * d, d).transpose() * seen.col(j);
    for (Index i = 0; i < k; ++i) normal.gram.block(j * d, i * d, d, d) *= outputs(j, i);
  }
  if (f.homogeneous)  // no step along w: A follows the length
    for (Index j = 0; j < W.rows(); ++j) {
      const Vector w = W.row(j).normalized().transpose();
      normal.gram.block(j * d, j * d, d, d) += normal.gram.block(j * d, j * d, d, d).trace() * w * w.transpose();
    }
  return normal;
}

Matrix scaled_rows(Matrix W, const Rectifier& f) {
  if (f.homogeneous) W.rowwise().normalize();
  return W;
}

double rms(const Matrix& values) { return std::sqrt(values.squaredNorm() / static_cast<double>(std::max<Index>(values.size(), 1))); }

}  // namespace

Matrix with_signs(const RowMatrix& x, const RowMatrix& y, const Matrix& directions, const Rectifier& f) {
  const Index k = directions.rows();
  Matrix both(2 * k, directions.cols());
  both << directions, -directions;
  const Matrix A = eliminate(x, y, both, f).A;
  Matrix W = directions;
  for (Index j = 0; j < k; ++j)
    if (A.col(k + j).norm() > A.col(j).norm()) W.row(j) *= -1;
  return W;
}

RectifiedFit fit_rectified(const RowMatrix& x, const RowMatrix& y, const Matrix& start, const Rectifier& f, Index max_iterations,
                           const Control& control) {
  Matrix W = scaled_rows(start, f);
  Eliminated e = eliminate(x, y, W, f);
  double damping = 1e-3;
  const double label_scale = rms(y);
  for (Index iteration = 0; iteration < max_iterations; ++iteration) {
    control.check();
    const RectifiedNormal normal = rectified_normal(x, e, W, f);
    const double before = e.residual.squaredNorm();
    bool accepted = false;
    for (int attempt = 0; attempt < 12 && !accepted; ++attempt) {
      Matrix damped = normal.gram;
      damped.diagonal() += damping * normal.gram.diagonal() + Vector::Constant(damped.rows(), 1e-15 * normal.gram.diagonal().maxCoeff());
      const Vector step = solve_semidefinite(std::move(damped), normal.gradient);
      const Matrix moved = scaled_rows(W + Matrix(step.reshaped(W.cols(), W.rows()).transpose()), f);
      if (!moved.allFinite()) {
        damping *= 10;
        continue;
      }
      Eliminated next = eliminate(x, y, moved, f);
      accepted = next.residual.squaredNorm() < before;
      damping = accepted ? std::max(damping / 5, 1e-14) : damping * 5;
      if (!accepted) continue;
      W = moved;
      e = std::move(next);
    }
    if (!accepted || e.residual.squaredNorm() > (1 - 1e-10) * before || rms(e.residual) < 1e-15 * label_scale) break;
  }
  RectifiedFit fit{W, e.A, 0, 0, W.size() + e.A.size() - (f.homogeneous ? W.rows() : 0)};
  const RectifiedNormal normal = rectified_normal(x, e, W, f);
  fit.condition = scaled_condition(normal.gram);
  fit.residual_rms = std::sqrt(e.residual.squaredNorm() / static_cast<double>(std::max<Index>(y.size() - fit.unknowns, 1)));
  return fit;
}

}  // namespace relucover
