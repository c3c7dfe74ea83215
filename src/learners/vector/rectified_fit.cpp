#include "learners/vector/rectified_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/linear_algebra.hpp"
#include "core/random.hpp"

namespace relucover {

namespace {

Matrix hidden(const Matrix& drive, const Rectifier& f) {
  return drive.unaryExpr([&](double t) { return t > 0 ? f.value(t) : 0.0; });
}
Matrix slopes(const Matrix& drive, const Rectifier& f) {
  return drive.unaryExpr([&](double t) { return t > 0 ? f.slope(t) : 0.0; });
}

/// A by least squares at one W.
struct Eliminated {
  Matrix drive, values, basis, A, residual;  // residual: samples by outputs
};

Eliminated eliminate(const RowMatrix& x, const RowMatrix& y, const Matrix& W, const Rectifier& f) {
  Eliminated e;
  e.drive = x * W.transpose();
  e.values = hidden(e.drive, f);
  const Vector scale = e.values.colwise().norm().cwiseMax(1e-300).cwiseInverse();
  const PivotedQr qr(e.values * scale.asDiagonal());
  e.basis = qr.basis();
  Matrix solution = qr.solve(y);
  solution += qr.solve(y - e.values * scale.asDiagonal() * solution);
  e.A = (scale.asDiagonal() * solution).transpose();
  e.residual = y - e.values * e.A.transpose();
  return e;
}

/// Derivatives of one output by the entries of W, those that A can follow taken out (Kaufman).
Matrix jacobian_of(const RowMatrix& x, const Eliminated& e, const Matrix& slope, Index output) {
  const Index d = x.cols(), k = e.A.cols();
  Matrix jacobian(x.rows(), k * d);
  for (Index j = 0; j < k; ++j) jacobian.middleCols(j * d, d) = (e.A(output, j) * slope.col(j)).asDiagonal() * x;
  jacobian -= e.basis * (e.basis.transpose() * jacobian);
  return jacobian;
}

struct Normal {
  Matrix gram;
  Vector gradient;
};

Normal normal_equations(const RowMatrix& x, const Eliminated& e, const Matrix& W, const Rectifier& f) {
  const Index unknowns = W.size(), d = x.cols();
  Normal normal{Matrix::Zero(unknowns, unknowns), Vector::Zero(unknowns)};
  const Matrix slope = slopes(e.drive, f);
  for (Index o = 0; o < e.A.rows(); ++o) {
    const Matrix jacobian = jacobian_of(x, e, slope, o);
    normal.gram += jacobian.transpose() * jacobian;
    normal.gradient += jacobian.transpose() * e.residual.col(o);
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

RectifiedFit fit_rectified(const RowMatrix& x, const RowMatrix& y, const Matrix& start, const Rectifier& f, Index max_iterations, const Control& control) {
  Matrix W = scaled_rows(start, f);
  Eliminated e = eliminate(x, y, W, f);
  double damping = 1e-3;
  const double label_scale = rms(y);
  for (Index iteration = 0; iteration < max_iterations; ++iteration) {
    control.check();
    const Normal normal = normal_equations(x, e, W, f);
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
  RectifiedFit fit{W, e.A, 0, {}, 0, W.size() + e.A.size() - (f.homogeneous ? W.rows() : 0)};
  const Normal normal = normal_equations(x, e, W, f);
  fit.condition = scaled_condition(normal.gram);
  fit.covariance = solve_semidefinite(normal.gram, Matrix::Identity(W.size(), W.size()));
  fit.residual_rms = std::sqrt(e.residual.squaredNorm() / static_cast<double>(std::max<Index>(y.size() - fit.unknowns, 1)));
  return fit;
}

}  // namespace relucover
