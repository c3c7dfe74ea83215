#include "verify/leftover/rectified_tests.hpp"

#include <algorithm>
#include <cmath>

#include "core/linear_algebra.hpp"
#include "solve/rectified_fit.hpp"
#include "verify/leftover/features.hpp"
#include "verify/leftover/flip_tests.hpp"
#include "verify/leftover/flipped_scores.hpp"
#include "verify/leftover/noise_shape.hpp"
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

/// Functions of rows and outputs beyond all that the model itself can do.
class BeyondModel {
 public:
  BeyondModel(const RectifiedAnswer& answer, RandomStream& random) : answer_(answer) {
    constexpr double most_values = 1e7;
    const Index k = answer.W.rows(), l = answer.A.rows(), d = answer.x.cols();
    const auto affordable = static_cast<Index>(most_values / static_cast<double>(l * k * (d + l)));
    const auto rows = random_rows(answer.x.rows(), std::max<Index>(affordable, 1000), random);
    x = answer.x(rows, Eigen::all);
    t = x * answer.W.transpose();
    residual_ = answer.residual(rows, Eigen::all);
    constexpr double normal_tails = 1.1;
    nearly_normal_ = tail_weight(residual_) < normal_tails;
    basis_ = spanning_basis(model_tangent(x, t, answer.A, answer.f));
  }
  Matrix x, t;  // the rows that are looked at

  /// Column j of `shapes` along column j of `outputs`; empty where the model can do it.
  Matrix features(const Matrix& shapes, const Matrix& outputs) const {
    constexpr double nothing = 1e-6;
    const Index n = x.rows(), l = residual_.cols();
    Matrix all(n * l, shapes.cols());
    for (Index o = 0; o < l; ++o) all.middleRows(o * n, n) = shapes * outputs.row(o).asDiagonal();
    const Vector before = all.colwise().norm();
    all = orthogonal_to(basis_, std::move(all));
    const Vector after = all.colwise().norm();
    return all.allFinite() && (after.array() > nothing * before.array()).all() ? all : Matrix();
  }
  /// Score test: s = Σ over rows of s_row, each s_row being g_row · r_row; sᵀ (Σ s_row s_rowᵀ)⁻¹ s is χ² whatever the size of the noise
  /// of each row.
  double chance(const Matrix& features) const {
    const Index n = x.rows();
    Matrix scores = Matrix::Zero(n, features.cols());
    for (Index o = 0; o < residual_.cols(); ++o) scores += residual_.col(o).asDiagonal() * features.middleRows(o * n, n);
    const Vector sum = scores.colwise().sum().transpose();
    const double statistic = sum.dot(Vector(solve_semidefinite(scores.transpose() * scores, sum)));
    const double freedom = static_cast<double>(features.cols());
    const double chance = gamma_tail(freedom, 2 * freedom, statistic);
    if (!nearly_normal_) return chance;
    // Where noise is of one size, a few rows that say much are believed: above, each of them counts as its own noise.
    const double plain = sum.dot(Vector(solve_semidefinite(features.transpose() * features, sum)));
    return std::min(1.0, 2 * std::min(chance, gamma_tail(freedom, 2 * freedom, plain)));
  }
  /// Rows there are for each that is looked at.
  double share() const { return static_cast<double>(answer_.x.rows()) / static_cast<double>(x.rows()); }

 private:
  const RectifiedAnswer& answer_;
  Matrix residual_, basis_;
  bool nearly_normal_ = false;
};

/// `shapes_of`: rows by units, what the parameter of each unit adds along its outputs.
OwnParameter own_parameter(const RectifiedAnswer& answer, const std::function<Matrix(const Matrix& t)>& shapes_of, RandomStream& random) {
  const Index k = answer.W.rows();
  OwnParameter own;
  own.error = Vector::Constant(k, std::numeric_limits<double>::infinity());
  const BeyondModel beyond_model(answer, random);
  const Matrix features = beyond_model.features(shapes_of(beyond_model.t), answer.A);
  if (features.size() == 0) return own;
  own.chance = beyond_model.chance(features);
  const Matrix information = features.transpose() * features * beyond_model.share();
  own.error = Matrix(solve_semidefinite(information, Matrix::Identity(k, k))).diagonal().cwiseMax(0).cwiseSqrt();
  return own;
}

}  // namespace

double weights_of_outputs_left(const RectifiedAnswer& answer, const Matrix& decorrelation, RandomStream& random) {
  const Index k = answer.W.rows(), l = answer.A.rows(), d = answer.x.cols();
  if (l < 2) return 1;
  const BeyondModel beyond_model(answer, random);
  const Matrix slopes = answer.f.slopes(beyond_model.t);
  double least = 1;
  for (Index i = 0; i < k; ++i) {
    // Without what turns the unit as a whole, or its length would stand twice.
    const Matrix shapes = slopes.col(i).asDiagonal() * beyond_model.x;
    for (Index o = 0; o < l; ++o) {
      const Matrix features = spanning_basis(beyond_model.features(shapes, decorrelation.row(o).transpose().replicate(1, d)));
      if (features.size() > 0) least = std::min(least, beyond_model.chance(features));
    }
  }
  return std::min(1.0, least * static_cast<double>(k * l));
}

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

double second_layer_left(const RectifiedAnswer& answer, const Matrix& basis, RandomStream& random) {
  constexpr Index flips = 100, sums = 24;
  constexpr double places[] = {0.3, 0.5, 0.7, 0.85, 0.95};
  const Matrix hidden = standardised(answer.f.values(answer.x * answer.W.transpose()));
  const Matrix outputs = standardised(answer.f.values(answer.x * answer.W.transpose()) * answer.A.transpose());
  const auto heights_of = [&](Index block) {
    const Matrix& values = block % 2 == 0 ? outputs : hidden;
    Matrix directions = random.normal_matrix(values.cols(), sums);
    const Index alone = std::min(values.cols(), sums / 2);
    if (block < 2) directions.leftCols(alone) = Matrix::Identity(values.cols(), alone);
    return Matrix(values * directions);
  };
  constexpr Index blocks = 8;
  std::vector<Matrix> heights;
  for (Index block = 0; block < blocks; ++block) heights.push_back(heights_of(block));
  const auto kinks = [&](Index block) {
    const Matrix& all = heights[static_cast<std::size_t>(block)];
    Matrix features(all.rows(), all.cols() * static_cast<Index>(std::size(places)));
    Index column = 0;
    for (const auto& height : all.colwise()) {
      const std::vector<Index> order = order_of(height);
      for (const double place : places) {
        const double at = height[order[static_cast<std::size_t>(place * static_cast<double>(order.size() - 1))]];
        features.col(column++) = (height.array() - at).cwiseMax(0);
      }
    }
    return features;
  };
  return chance_of_best(answer.residual, basis, blocks, kinks, flips, random);
}

double affine_left(const RectifiedAnswer& answer, const Matrix& basis, RandomStream& random) {
  Matrix affine(answer.x.rows(), answer.x.cols() + 1);
  affine << answer.x, Vector::Ones(answer.x.rows());
  return not_an_optimum(answer.residual, spanning_basis(beyond(basis, std::move(affine))), random);
}

Vector visible_beside(const RectifiedAnswer& answer, const Matrix& z, const Vector& slopes, const RoughBasis& basis, RandomStream& random) {
  constexpr Index directions = 40;
  Vector visible(slopes.size());
  Matrix W = random.normal_matrix(z.cols(), directions);
  W.colwise().normalize();
  const Matrix heights = z * W;
  for (Index i = 0; i < slopes.size(); ++i) {
    const Matrix units = answer.f.values(slopes[i] * heights);
    const Vector left = (units.colwise().squaredNorm() - basis.along(units).colwise().squaredNorm()).cwiseMax(0).cwiseSqrt();
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
