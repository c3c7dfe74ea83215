#include "learners/threshold/cell_regression.hpp"

#include <algorithm>
#include <limits>

#include "core/linear_algebra.hpp"
#include "core/median.hpp"
#include "learners/threshold/pick.hpp"

namespace relucover {

namespace {

/// Weights of the next round: |r| first, then only what fits.
Vector next_weights(const Vector& residual, bool trimming, double floor) {
  const Vector size = residual.cwiseAbs();
  const double scale = median_of(size) + floor;
  if (trimming) return (size.array() <= 6 * scale).cast<double>();
  return (1 / size.array().max(1e-3 * scale).sqrt()).min(1e12);
}

/// Least squares by normal equations with one step of refinement: the design of a cell is well conditioned.
Vector weighted_least_squares(const Matrix& design, const Vector& target, const Vector& weight) {
  const Matrix weighted = weight.asDiagonal() * design;
  const Matrix gram = weighted.transpose() * weighted;
  const SemidefiniteFactor factor(gram);
  Vector solution = factor.solve(weighted.transpose() * weight.cwiseProduct(target));
  solution += factor.solve(weighted.transpose() * weight.cwiseProduct(target - design * solution));
  return solution;
}

struct UnitFit {
  Vector w;
  double t = 0;
  Vector curve = {};
  double residual = 0, residual_median = 0, residual_rms = 0, direction_error = 0;
};

UnitFit fit_linear(const PickedSamples& cell, int rounds) {
  Matrix design(cell.rows(), cell.x.cols() + 1);
  design << cell.x, Vector::Ones(cell.rows());
  const double floor = 1e-15 * cell.y.cwiseAbs().maxCoeff();
  Vector weight = Vector::Ones(cell.rows()), solution, residual;
  for (int round = 0; round < rounds; ++round) {
    solution = weighted_least_squares(design, cell.y, weight);
    residual = design * solution - cell.y;
    weight = next_weights(residual, 2 * round >= rounds, floor);
  }
  const Index n = cell.x.cols();
  const double norm = solution.head(n).norm();
  UnitFit unit{solution.head(n) / norm, -solution[n] / norm, (Vector(2) << 0, norm).finished()};
  unit.residual_median = median_of(residual.cwiseAbs());
  unit.residual = unit.residual_median / median_of(cell.y.cwiseAbs());
  unit.residual_rms = std::sqrt(weight.cwiseProduct(residual.cwiseAbs2()).sum() / std::max(1.0, weight.sum()));
  const Matrix weighted = weight.asDiagonal() * design;
  const Matrix inverse = solve_semidefinite(weighted.transpose() * weighted, Matrix::Identity(n + 1, n + 1));
  unit.direction_error = unit.residual_rms * std::sqrt(inverse.topLeftCorner(n, n).trace()) / norm;
  return unit;
}

Matrix powers_of(const Vector& s, int degree) {
  Matrix powers(s.size(), degree + 1);
  powers.col(0).setOnes();
  for (int k = 1; k <= degree; ++k) powers.col(k) = powers.col(k - 1).cwiseProduct(s);
  return powers;
}

Vector derivative_at(const Matrix& powers, const Vector& coefficients) {
  Vector slope = Vector::Zero(powers.rows());
  for (Index k = 1; k < coefficients.size(); ++k) slope += static_cast<double>(k) * coefficients[k] * powers.col(k - 1);
  return slope;
}

/// Smallest real root in size of the fitted polynomial, where there is one close to zero.
double root_near_zero(const Vector& coefficients) {
  Index degree = coefficients.size() - 1;
  while (degree > 0 && coefficients[degree] == 0) --degree;
  if (degree == 0) return 0;
  Matrix companion = Matrix::Zero(degree, degree);
  if (degree > 1) companion.diagonal(-1).setOnes();
  companion.col(degree - 1) = -coefficients.head(degree) / coefficients[degree];
  double best = std::numeric_limits<double>::infinity();
  for (const auto& root : general_eigenvalues(std::move(companion)))
    if (std::abs(root.imag()) < 1e-3 && std::abs(root.real()) < std::abs(best)) best = root.real();
  return std::abs(best) < 0.5 ? best : 0;
}

/// Coefficients of p(s + by).
Vector shifted(Vector coefficients, double by) {
  for (Index k = 0; k < coefficients.size(); ++k)  // repeated synthetic division
    for (Index j = coefficients.size() - 2; j >= k; --j) coefficients[j] += by * coefficients[j + 1];
  return coefficients;
}

/// Gauss-Newton on the direction, the polynomial's coefficients eliminated (variable projection).
UnitFit fit_single_index(const PickedSamples& cell, UnitFit unit, int degree, int rounds) {
  const double floor = 1e-15 * cell.y.cwiseAbs().maxCoeff();
  Vector weight = Vector::Ones(cell.rows()), coefficients, residual;
  const auto fit_polynomial = [&] {
    Matrix powers = powers_of(cell.x * unit.w - Vector::Constant(cell.rows(), unit.t), degree);
    coefficients = weighted_least_squares(powers, cell.y, weight);
    residual = cell.y - powers * coefficients;
    return powers;
  };
  for (int round = 0; round < rounds; ++round) {
    const Matrix powers = fit_polynomial();
    Matrix jacobian = derivative_at(powers, coefficients).asDiagonal() * cell.x;
    jacobian -= (jacobian * unit.w) * unit.w.transpose();
    const Matrix basis = orthonormal_basis(weight.asDiagonal() * powers);
    Matrix weighted = weight.asDiagonal() * jacobian;
    weighted -= basis * (basis.transpose() * weighted);
    Matrix gram = weighted.transpose() * weighted;
    gram += gram.trace() * unit.w * unit.w.transpose();  // no step along w
    Vector step = solve_semidefinite(std::move(gram), weighted.transpose() * weight.cwiseProduct(residual));
    if (step.norm() > 0.2) step *= 0.2 / step.norm();
    unit.w = (unit.w + step).normalized();
    fit_polynomial();
    const double scale = 3 * median_of(residual.cwiseAbs()) + floor;
    weight = (residual.array().abs() / scale).max(1).inverse();
  }
  const double root = root_near_zero(coefficients);
  unit.t += root;
  unit.curve = shifted(coefficients, root);
  unit.curve[0] = 0;
  unit.residual_median = median_of(residual.cwiseAbs());
  unit.residual = unit.residual_median / median_of(cell.y.cwiseAbs());
  unit.residual_rms = std::sqrt(residual.squaredNorm() / static_cast<double>(cell.rows()));
  return unit;
}

/// Samples whose label is not at rest and where all units but one are below -margin: the cell of that one.
PickRule cell_rule(double margin, bool noisy) {
  return [=](const RowMatrix& arguments, const Vector& labels, std::vector<std::pair<Index, Index>>& picked) {
    for (Index i = 0; i < arguments.rows(); ++i) {
      if (!noisy && labels[i] == 0) continue;
      Index first = 0;
      double highest = arguments(i, 0), second = -std::numeric_limits<double>::infinity();
      for (Index j = 1; j < arguments.cols(); ++j) {
        if (arguments(i, j) > highest) {
          second = highest;
          highest = arguments(i, j);
          first = j;
        } else {
          second = std::max(second, arguments(i, j));
        }
      }
      if (second < -margin && (noisy ? highest > margin : true)) picked.emplace_back(i, first);
    }
  };
}

}  // namespace

CellFit cell_regression(const SampleSource& source, const LabelView& view, const Matrix& W, const Vector& t,
                        const CellRegressionOptions& options, const Control& control) {
  const Index units = W.rows();
  CellFit fit{W,
              t,
              Vector::Zero(units),
              Matrix::Zero(units, options.degree + 1),
              Vector::Zero(units),
              Vector::Zero(units),
              std::vector<Index>(static_cast<std::size_t>(units), 0),
              Vector::Constant(units, std::numeric_limits<double>::infinity()),
              Vector::Constant(units, std::numeric_limits<double>::infinity()),
              {}};
  for (const double margin : options.margins) {
    const auto cells = pick_samples(source, fit.W, fit.t, view, cell_rule(margin, options.noisy),
                                    {W.rows(), options.most_per_unit, options.begin, options.end}, control);
    fit.skipped.clear();
    for (Index i = 0; i < W.rows(); ++i) {
      control.check();
      const PickedSamples& cell = cells[static_cast<std::size_t>(i)];
      fit.cell_samples[static_cast<std::size_t>(i)] = cell.rows();
      if (cell.rows() < 2 * (W.cols() + options.degree + 1)) {
        fit.skipped.push_back(i);
        continue;
      }
      const UnitFit unit = options.degree == 1
                               ? fit_linear(cell, options.rounds)
                               : fit_single_index(cell, {fit.W.row(i).transpose(), fit.t[i]}, options.degree, options.rounds / 2);
      if (!unit.w.allFinite() || !std::isfinite(unit.t)) {
        fit.skipped.push_back(i);
        continue;
      }
      // A negative upper weight turns the regression around, not the unit.
      const double side = unit.w.dot(fit.W.row(i)) < 0 ? -1 : 1;
      fit.W.row(i) = side * unit.w.transpose();
      fit.t[i] = side * unit.t;
      fit.curve.row(i) = unit.curve.transpose();
      if (side < 0)
        for (int k = 1; k <= options.degree; k += 2) fit.curve(i, k) *= -1;
      fit.slope[i] = fit.curve(i, 1);
      fit.direction_error[i] = unit.direction_error;
      fit.residual_rms[i] = unit.residual_rms;
      fit.residual[i] = unit.residual;
      fit.residual_median[i] = unit.residual_median;
    }
  }
  return fit;
}

}  // namespace relucover
