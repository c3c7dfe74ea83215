#include "verify/leftover/rectified_tests.hpp"

#include <algorithm>
#include <cmath>

#include "core/linear_algebra.hpp"
#include "solve/rectified_fit.hpp"
#include "verify/leftover/features.hpp"
#include "verify/leftover/flip_tests.hpp"
#include "verify/leftover/flipped_scores.hpp"
#include "verify/leftover/tails.hpp"

namespace relucover {

namespace {

using OfUnit = std::function<double(double)>;

Matrix positive_part(const Matrix& t, const OfUnit& g) {
  return t.unaryExpr([&](double v) { return v > 0 ? g(v) : 0.0; });
}

/// Functions of rows and outputs, one below the other: derivatives of A f(W x) by all its parameters.
Matrix model_tangent(const Matrix& x, const Matrix& t, const Matrix& A, const Rectifier& f) {
  const Index n = x.rows(), d = x.cols(), k = t.cols(), l = A.rows();
  const Matrix slopes = f.slopes(t), values = f.values(t);
  Matrix tangent = Matrix::Zero(n * l, k * (d + l));
  for (Index o = 0; o < l; ++o) {
    for (Index i = 0; i < k; ++i) tangent.block(o * n, i * d, n, d) = (A(o, i) * slopes.col(i)).asDiagonal() * x;
    tangent.block(o * n, k * d + o * k, n, k) = values;
  }
  return tangent;
}

/// Score test: s = Σ over rows of s_row, each s_row being g_row · r_row beyond the model's tangent; sᵀ (Σ s_row s_rowᵀ)⁻¹ s is χ² whatever
/// the size of the noise of each row. `shapes`: rows by units, what the parameter of each unit adds along its outputs.
OwnParameter own_parameter(const RectifiedAnswer& answer, const std::function<Matrix(const Matrix& t)>& shapes_of, RandomStream& random) {
  constexpr double most_values = 1e7;
  const Index k = answer.W.rows(), l = answer.A.rows(), d = answer.x.cols();
  const auto affordable = static_cast<Index>(most_values / static_cast<double>(l * k * (d + l)));
  const auto rows = random_rows(answer.x.rows(), std::max<Index>(affordable, 1000), random);
  const Matrix x = answer.x(rows, Eigen::all), t = x * answer.W.transpose(), shapes = shapes_of(t);
  const Index n = x.rows();
  OwnParameter own;
  own.error = Vector::Constant(k, std::numeric_limits<double>::infinity());
  Matrix features(n * l, k);
  for (Index o = 0; o < l; ++o) features.middleRows(o * n, n) = shapes * answer.A.row(o).asDiagonal();
  const Vector before = features.colwise().norm();
  features = orthogonal_to(spanning_basis(model_tangent(x, t, answer.A, answer.f)), std::move(features));
  constexpr double nothing = 1e-6;
  if (!features.allFinite() || !(features.colwise().norm().transpose().array() > nothing * before.array()).all()) return own;
  Matrix scores = Matrix::Zero(n, k);
  for (Index o = 0; o < l; ++o) scores += answer.residual(rows, o).asDiagonal() * features.middleRows(o * n, n);
  const Vector sum = scores.colwise().sum().transpose();
  const double statistic = sum.dot(Vector(solve_semidefinite(scores.transpose() * scores, sum)));
  own.chance = gamma_tail(static_cast<double>(k), 2.0 * static_cast<double>(k), statistic);
  const Matrix information = features.transpose() * features * (static_cast<double>(answer.x.rows()) / static_cast<double>(n));
  own.error = Matrix(solve_semidefinite(information, Matrix::Identity(k, k))).diagonal().cwiseMax(0).cwiseSqrt();
  return own;
}

}  // namespace

OwnParameter biases_left(const RectifiedAnswer& answer, RandomStream& random) {
  return own_parameter(
      answer,
      [&](const Matrix& t) {
        const Vector spread = (t.colwise().squaredNorm() / static_cast<double>(t.rows())).cwiseSqrt();
        return Matrix(answer.f.slopes(t) * spread.asDiagonal());
      },
      random);
}

OwnParameter growth_left(const RectifiedAnswer& answer, RandomStream& random) {
  return own_parameter(
      answer,
      [&](const Matrix& t) {
        return positive_part(t, [&](double v) {
          const double value = answer.f.value(v);
          return value > 0 ? value * std::log(value) : 0.0;
        });
      },
      random);
}

double shapes_of_units_left(const RectifiedAnswer& answer, const Matrix& basis, RandomStream& random) {
  constexpr Index flips = 200, most_pairs = 40;
  const Matrix t = answer.x * answer.W.transpose(), columns = standardised(answer.x);
  const Index n = t.rows(), k = t.cols(), d = columns.cols();
  std::vector<std::pair<Index, Index>> pairs;
  for (Index i = 0; i < d; ++i)
    for (Index j = i; j < d; ++j) pairs.emplace_back(i, j);
  const auto kept_pairs = random_rows(static_cast<Index>(pairs.size()), most_pairs, random);
  const auto product = [&](Index place) {
    const auto [i, j] = pairs[static_cast<std::size_t>(kept_pairs[static_cast<std::size_t>(place)])];
    return Vector(columns.col(i).cwiseProduct(columns.col(j)));
  };
  const auto count = static_cast<Index>(kept_pairs.size());
  const auto shapes = [&](Index unit) {
    if (unit == k) {
      Matrix features(n, count);
      for (Index p = 0; p < count; ++p) features.col(p) = product(p);
      return features;
    }
    const Vector drive = t.col(unit);
    const double spread = std::sqrt(drive.squaredNorm() / static_cast<double>(n));
    const Vector scaled = drive / std::max(spread, 1e-300);
    const OfUnit powers[] = {[](double) { return 1.0; },
                             [](double v) { return v; },
                             [](double v) { return v * std::sqrt(v); },
                             [](double v) { return v * v; },
                             [](double v) { return v * v * v; },
                             [](double v) { return v * v * v * v; },
                             [](double v) { return std::tanh(v); },
                             [](double v) { return std::max(0.0, v - 1); },
                             [](double v) { return std::pow(std::max(0.0, v - 1), 2); }};
    std::vector<Vector> found;
    for (const OfUnit& g : powers) {
      found.push_back(positive_part(scaled, g));
      found.push_back(positive_part(-scaled, g));
    }
    found.push_back(answer.f.values(-drive));
    found.push_back(answer.f.slopes(drive));
    // Two units close together in place of one: f''(w·x) (u·x)².
    const double step = 1e-4 * spread;
    const Vector curvature = positive_part(
        drive, [&](double v) { return (answer.f.slope(v + step) - answer.f.slope(std::max(v - step, step * 1e-3))) / (2 * step); });
    const bool curved = curvature.allFinite();
    Matrix features(n, static_cast<Index>(found.size()) + (curved ? count : 0));
    for (std::size_t j = 0; j < found.size(); ++j) features.col(static_cast<Index>(j)) = found[j];
    for (Index p = 0; p < count && curved; ++p) features.col(static_cast<Index>(found.size()) + p) = curvature.cwiseProduct(product(p));
    return features;
  };
  return chance_of_best(answer.residual, basis, k + 1, shapes, flips, random);
}

double affine_left(const RectifiedAnswer& answer, const Matrix& basis, RandomStream& random) {
  Matrix affine(answer.x.rows(), answer.x.cols() + 1);
  affine << answer.x, Vector::Ones(answer.x.rows());
  return not_an_optimum(answer.residual, spanning_basis(beyond(basis, std::move(affine))), random);
}

Vector visible_beside(const RectifiedAnswer& answer, const Matrix& z, const Vector& slopes, const Matrix& basis, RandomStream& random) {
  constexpr Index directions = 40;
  Vector visible(slopes.size());
  Matrix W = random.normal_matrix(z.cols(), directions);
  W.colwise().normalize();
  const Matrix heights = z * W;
  for (Index i = 0; i < slopes.size(); ++i) {
    const Matrix units = answer.f.values(slopes[i] * heights);
    const Vector left = (units.colwise().squaredNorm() - (basis.transpose() * units).colwise().squaredNorm()).cwiseMax(0).cwiseSqrt();
    visible[i] = median_of(left) / std::sqrt(static_cast<double>(std::max<Index>(1, z.rows())));
  }
  return visible;
}

double gain_of_rectified_refit(const RectifiedAnswer& answer, const Matrix& labels, const Matrix& z, const std::vector<FoundUnit>& starts,
                               const Control& control) {
  constexpr Index iterations = 25;
  constexpr double nearly_best = 0.5;
  const RowMatrix x = answer.x, y = labels;
  const auto squares = [&](const Matrix& W) {
    const RectifiedFit fit = fit_rectified(x, y, W, answer.f, iterations, control);
    return fit.residual_rms * fit.residual_rms * static_cast<double>(std::max<Index>(y.size() - fit.unknowns, 1));
  };
  const double before = squares(answer.W);
  double after = before;
  const Matrix centred = answer.x.rowwise() - answer.x.colwise().mean();
  for (const FoundUnit& start : starts) {
    if (start.gain < nearly_best * starts.front().gain) break;
    Matrix wider(answer.W.rows() + 1, answer.W.cols());
    wider << answer.W, minimum_norm_solution(centred, z * start.form.head(z.cols())).transpose();
    after = std::min(after, squares(wider));
  }
  return before - after;
}

}  // namespace relucover
