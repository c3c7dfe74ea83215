#include "decompose/relu_units.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/check.hpp"
#include "core/linear_algebra.hpp"
#include "moments/hermite.hpp"

namespace relucover {

namespace {

/// d/db of the coefficient (-1)^k φ(b) He_{k-2}(b), which is (-1)^{k-1} φ(b) He_{k-1}(b) = that of order k + 1.
double coefficient_slope(Index order, double bias) { return relu_hermite_coefficient(order + 1, bias); }

}  // namespace

Vector weights_of_powers(const SymmetricTensor& tensor, const Matrix& directions) {
  if (directions.rows() == 0) return Vector(0);
  const Vector root = PackedIndex(tensor.dimension, tensor.order).multiplicities().cwiseSqrt();
  Matrix powers(root.size(), directions.rows());
  for (Index i = 0; i < directions.rows(); ++i)
    powers.col(i) = packed_power(directions.row(i).transpose(), tensor.order).cwiseProduct(root);
  return minimum_norm_solution(powers, tensor.values.cwiseProduct(root));
}

ReluUnits recover_scalars(const HermiteMoments& moments, const Matrix& directions, Index tuple_order) {
  ReluUnits units{directions, Vector::Zero(directions.rows()), Vector::Zero(directions.rows())};
  const double root = std::sqrt(2 * std::numbers::pi);
  if (tuple_order <= 2) {
    const Vector second = weights_of_powers(moments.of_order(2), directions);
    const Vector third = weights_of_powers(moments.of_order(3), directions);
    for (Index i = 0; i < units.count(); ++i) {
      units.b[i] = -third[i] / second[i];
      units.a[i] = second[i] * root * std::exp(units.b[i] * units.b[i] / 2);
    }
    return units;
  }
  std::vector<Vector> zeta;
  for (Index j = tuple_order; j <= tuple_order + 3; ++j) zeta.push_back(weights_of_powers(moments.of_order(j), directions));
  for (Index i = 0; i < units.count(); ++i) {
    const Index q = std::abs(zeta[1][i]) > std::abs(zeta[2][i]) ? tuple_order + 1 : tuple_order + 2;
    const auto at = [&](Index j) { return zeta[static_cast<std::size_t>(j - tuple_order)][i]; };
    units.b[i] = -(at(q + 1) + static_cast<double>(q - 2) * at(q - 1)) / at(q);  // ATV (5) with r = q - 2
    units.a[i] = root * (q % 2 ? -1 : 1) * at(q) * std::exp(units.b[i] * units.b[i] / 2) / hermite(q - 2, units.b[i]);
  }
  return units;
}

ReluUnits fix_signs(ReluUnits units, const Vector& first_moment, SignRule rule) {
  if (units.count() == 0) return units;
  const Matrix weighted = units.w.transpose() * units.a.asDiagonal();
  const Vector z = minimum_norm_solution(weighted, first_moment);  // ATV Algorithm 3, step 1
  for (Index i = 0; i < units.count(); ++i) {
    const double threshold = rule == SignRule::printed ? 0 : normal_distribution(units.b[i]) - 0.5;
    if (z[i] > threshold) continue;
    units.w.row(i) *= -1;
    units.b[i] *= -1;
  }
  return units;
}

double moment_risk(const HermiteMoments& moments, const ReluUnits& units, Index first_order, Index last_order) {
  double risk = 0;
  for (Index k = first_order; k <= last_order; ++k) {
    SymmetricTensor left = moments.of_order(k);
    for (Index i = 0; i < units.count(); ++i)
      add_power(left, -units.a[i] * relu_hermite_coefficient(k, units.b[i]), units.w.row(i).transpose());
    risk += left.squared_norm() / factorial(k);
  }
  return risk;
}

ReluUnits refine_on_moments(const HermiteMoments& moments, ReluUnits units, Index first_order, Index last_order, Index max_steps,
                            const Control& control) {
  const Index d = units.w.cols(), m = units.count(), per_unit = d + 2;
  double risk = moment_risk(moments, units, first_order, last_order);
  double damping = 1e-8;
  for (Index step = 0; step < max_steps && risk > 0; ++step) {
    control.check();
    // Gram matrix of the Jacobian of all orders: d/dw of c w^{⊗k} is c k sym(w^{⊗k-1} ⊗ ·).
    Matrix gram = Matrix::Zero(m * per_unit, m * per_unit);
    Vector gradient = Vector::Zero(m * per_unit);
    for (Index k = first_order; k <= last_order; ++k) {
      const PackedIndex index(d, k);
      const Vector root = (index.multiplicities() / factorial(k)).cwiseSqrt();
      Vector left = moments.of_order(k).values;
      Matrix jacobian(index.size(), m * per_unit);
      const PackedIndex shorter(d, k - 1), one(d, 1);
      const auto places = joined_places(shorter, one);
      for (Index i = 0; i < m; ++i) {
        const Vector w = units.w.row(i).transpose();
        const double coefficient = relu_hermite_coefficient(k, units.b[i]);
        const Vector power = packed_power(w, k), lower = packed_power(w, k - 1);
        left -= units.a[i] * coefficient * power;
        auto columns = jacobian.middleCols(i * per_unit, per_unit);
        columns.setZero();
        // ∂(w^β)/∂w_j = β_j w^{β - e_j}: every (shorter tuple, j) gives the tuple with β_j >= 1 once.
        for (Index j = 0; j < d; ++j)
          for (Index s = 0; s < shorter.size(); ++s) {
            const auto times = 1 + std::count(shorter.tuple(s), shorter.tuple(s) + k - 1, static_cast<int>(j));
            columns(places(s, j), j) += units.a[i] * coefficient * static_cast<double>(times) * lower[s];
          }
        columns.col(d) = units.a[i] * coefficient_slope(k, units.b[i]) * power;
        columns.col(d + 1) = coefficient * power;
      }
      jacobian.array().colwise() *= root.array();
      gram += jacobian.transpose() * jacobian;
      gradient += jacobian.transpose() * left.cwiseProduct(root);
    }
    bool better = false;
    for (int attempt = 0; attempt < 8 && !better; ++attempt) {
      Matrix damped = gram;
      damped.diagonal() += damping * gram.diagonal() + Vector::Constant(gram.rows(), 1e-300);
      // The length of w is free together with a and b; |w| = 1 after the step, and damping takes the null direction.
      const Vector move = solve_semidefinite(std::move(damped), gradient);
      ReluUnits next = units;
      for (Index i = 0; i < m; ++i) {
        next.w.row(i) += move.segment(i * per_unit, d).transpose();
        next.w.row(i).normalize();
        next.b[i] += move[i * per_unit + d];
        next.a[i] += move[i * per_unit + d + 1];
      }
      const double next_risk = move.allFinite() ? moment_risk(moments, next, first_order, last_order) : risk;
      better = next_risk < risk;
      if (better) {
        units = std::move(next);
        risk = next_risk;
        damping = std::max(damping * 0.1, 1e-12);
      } else {
        damping *= 10;
      }
    }
    if (!better) break;
  }
  return units;
}

}  // namespace relucover
