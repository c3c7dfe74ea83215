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

double condition_of(const Matrix& gram) {
  const Vector scale = gram.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
  const Vector values = symmetric_eigenvalues(scale.asDiagonal() * gram * scale.asDiagonal());
  return values.maxCoeff() / std::max(values.minCoeff(), 1e-300);
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
  fit.condition = condition_of(normal.gram);
  fit.covariance = solve_semidefinite(normal.gram, Matrix::Identity(W.size(), W.size()));
  fit.residual_rms = std::sqrt(e.residual.squaredNorm() / static_cast<double>(std::max<Index>(y.size() - fit.unknowns, 1)));
  return fit;
}

namespace {

/// Largest difference of rows of the same index over its predicted deviation.
double halves_ratio(const RectifiedFit& one, const RectifiedFit& other, double sigma) {
  const Index d = one.W.cols();
  double worst = 0;
  for (Index j = 0; j < one.W.rows(); ++j) {
    const double variance = one.covariance.block(j * d, j * d, d, d).trace() + other.covariance.block(j * d, j * d, d, d).trace();
    worst = std::max(worst, (one.W.row(j) - other.W.row(j)).norm() / (sigma * std::sqrt(variance) + 1e-300));
  }
  return worst;
}

/// Scores of further units along random directions in the held-out residual: about N(0, 1) where there is none.
double leftover_score(const RowMatrix& x, const RowMatrix& y, const RectifiedFit& fit, const Rectifier& f, double sigma, std::uint64_t seed) {
  constexpr Index directions = 100;
  RandomStream random(seed, purpose::split, 77);
  const Matrix drive = x * fit.W.transpose(), values = hidden(drive, f), slope = slopes(drive, f);
  const Index n = x.rows(), d = x.cols(), k = fit.W.rows();
  Matrix tangent(n, k + k * d + d + 1);  // what the answer itself could follow, and any affine part
  tangent << values, Matrix::Zero(n, k * d), x, Vector::Ones(n);
  for (Index j = 0; j < k; ++j) tangent.middleCols(k + j * d, d) = slope.col(j).asDiagonal() * x;
  const Matrix basis = PivotedQr(tangent).basis();
  Matrix features = hidden(x * random.normal_matrix(directions, d).rowwise().normalized().transpose(), f);
  features -= basis * (basis.transpose() * features);
  features.colwise().normalize();
  const Matrix residual = y - values * fit.A.transpose();
  return (features.transpose() * residual).cwiseAbs().maxCoeff() / std::max(sigma, 1e-300);
}

}  // namespace

RectifiedClaim judge_rectified(const RowMatrix& x, const RowMatrix& y, const RowMatrix& held_x, const RowMatrix& held_y, const RectifiedFit& fit,
                               const Rectifier& f, std::uint64_t seed, const Control& control) {
  constexpr double rounding = 1e-12, most_condition = 1e12, most_halves = 2.5, most_score = 5, most_error = 0.15;
  const Matrix held = held_y - hidden(held_x * fit.W.transpose(), f) * fit.A.transpose();
  const double held_rms = rms(held), scale = rms(held_y);
  RectifiedClaim claim;
  if (y.size() < 2 * fit.unknowns || held_y.rows() < 50) claim.against.push_back("too few samples to certify");
  if (!(fit.condition < most_condition)) claim.against.push_back(fmt::format("the weights are not determined: condition {:.1e}", fit.condition));
  if (held_rms < rounding * scale) {
    claim.claim = Status::exact;
    claim.seen = fmt::format("labels of samples kept apart are reproduced to {:.1e}", held_rms / scale);
    return claim;
  }
  if (!claim.against.empty()) return claim;
  const Index half = x.rows() / 2;
  const RectifiedFit one = fit_rectified(x.topRows(half), y.topRows(half), fit.W, f, 20, control);
  const RectifiedFit other = fit_rectified(x.bottomRows(x.rows() - half), y.bottomRows(x.rows() - half), fit.W, f, 20, control);
  const double halves = halves_ratio(one, other, fit.residual_rms);
  const double errors = fit.residual_rms * std::sqrt(fit.covariance.trace() / static_cast<double>(fit.W.rows()));
  const double excess = (held_rms / fit.residual_rms - 1) * std::sqrt(2.0 * static_cast<double>(held.size()));
  const double score = leftover_score(held_x, held_y, fit, f, fit.residual_rms, seed);
  if (!(halves <= most_halves)) claim.against.push_back(fmt::format("halves of the data differ by {:.1f} predicted deviations", halves));
  if (!(std::abs(excess) <= 4)) claim.against.push_back(fmt::format("the held-out residual is {:.1f} deviations from what the noise predicts", excess));
  if (!(score <= most_score)) claim.against.push_back(fmt::format("a further unit scores {:.1f} in the held-out residual", score));
  if (!(errors <= most_error)) claim.against.push_back(fmt::format("weights are known to {:.2f} only", errors));
  claim.seen = fmt::format("halves agree within {:.1f} predicted deviations, weights to {:.1e}, noise {:.2e}", halves, errors, fit.residual_rms);
  return claim;
}

}  // namespace relucover
