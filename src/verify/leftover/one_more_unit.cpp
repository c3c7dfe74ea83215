#include "verify/leftover/one_more_unit.hpp"

#include <algorithm>
#include <cmath>

#include "core/linear_algebra.hpp"
#include "relucover/samples.hpp"
#include "solve/levenberg_marquardt.hpp"
#include "verify/leftover/features.hpp"
#include "verify/leftover/tails.hpp"

namespace relucover {

namespace {

constexpr double hidden_share = 1e-4;  // of a unit: less beyond the tangent functions can't be told from rounding

/// A unit of form·z~ orthogonal to the answer's tangent functions.
struct SeenUnit {
  Vector values;
  Vector output;
  double gain = 0;
  bool visible = false;
};
SeenUnit seen(const Matrix& z1, const Vector& form, const Matrix& residual, const Matrix& basis) {
  SeenUnit unit;
  const Vector whole = (z1 * form).cwiseMax(0);
  unit.values = orthogonal_to(basis, whole);
  const double size = unit.values.norm();
  unit.visible = size > hidden_share * whole.norm() && size > 0;
  if (!unit.visible) return unit;
  unit.output = residual.transpose() * unit.values / (size * size);
  unit.gain = unit.output.squaredNorm() * size * size;
  return unit;
}

/// Gauss-Newton steps on the unit alone, each taken only if it gains.
FoundUnit climbed(const Matrix& z1, FoundUnit unit, const Matrix& residual, const Matrix& basis, Index steps) {
  const Index width = z1.cols();
  for (Index step = 0; step < steps; ++step) {
    const Vector argument = z1 * unit.form;
    const Vector on = (argument.array() > 0).cast<double>();
    if (on.sum() < 4) break;
    const SeenUnit now = seen(z1, unit.form, residual, basis);
    if (!now.visible) break;
    const double size = now.output.norm();
    if (!(size > 0)) break;
    const Matrix slopes = orthogonal_to(basis, on.asDiagonal() * z1);
    Matrix gram = size * size * (slopes.transpose() * slopes);
    gram.diagonal().array() += 1e-3 * gram.trace() / static_cast<double>(width) + 1e-300;
    const Vector change = solve_semidefinite(gram, size * (slopes.transpose() * (residual * (now.output / size) - size * now.values)));
    bool gained = false;
    for (const double share : {1.0, 0.3, 0.1}) {
      Vector form = unit.form + share * change;
      const double slope = form.head(width - 1).norm();
      if (!(slope > 0) || !std::isfinite(slope)) continue;
      form /= slope;
      const SeenUnit next = seen(z1, form, residual, basis);
      if (!next.visible || !(next.gain > unit.gain)) continue;
      unit = {next.gain, form, next.output};
      gained = true;
      break;
    }
    if (!gained) break;
  }
  return unit;
}

Matrix with_ones(const Matrix& z) {
  Matrix z1(z.rows(), z.cols() + 1);
  z1 << z, Vector::Ones(z.rows());
  return z1;
}

}  // namespace

UnitSearch search_units(const Matrix& z1, const Matrix& residual, const Matrix& basis, Index starts, RandomStream& random) {
  constexpr Index directions = 100, biases = 4, steps = 8;
  const Index n = z1.rows(), d = z1.cols() - 1;
  UnitSearch result;
  if (d == 0 || n < 10) return result;
  Matrix W = random.normal_matrix(d, directions);
  W.colwise().normalize();
  const Matrix heights = z1.leftCols(d) * W;
  Matrix sorted = heights;
  for (auto column : sorted.colwise()) std::sort(column.begin(), column.end());
  const Matrix rest = orthogonal_to(basis, residual);
  result.visible.resize(directions * biases);
  std::vector<FoundUnit> candidates;
  for (Index c = 0; c < biases; ++c) {
    Vector at(directions);
    for (Index j = 0; j < directions; ++j) {
      const double place = std::clamp(random.uniform() * static_cast<double>(n), 4.0, static_cast<double>(n) - 4);
      at[j] = sorted(static_cast<Index>(place), j);
    }
    Matrix units = (heights.rowwise() - at.transpose()).cwiseMax(0);
    const Vector whole = units.colwise().norm();
    units = orthogonal_to(basis, std::move(units));
    const Vector size = units.colwise().norm();
    const Matrix along = units.transpose() * rest;
    result.visible.segment(c * directions, directions) = size / std::sqrt(static_cast<double>(n));
    for (Index j = 0; j < directions; ++j) {
      if (!(size[j] > hidden_share * whole[j]) || !(size[j] > 0)) continue;
      Vector form(d + 1);
      form << W.col(j), -at[j];
      const double square = size[j] * size[j];
      candidates.push_back({along.row(j).squaredNorm() / square, std::move(form), along.row(j).transpose() / square});
    }
  }
  const auto larger = [](const FoundUnit& a, const FoundUnit& b) { return a.gain > b.gain; };
  std::stable_sort(candidates.begin(), candidates.end(), larger);
  candidates.resize(std::min(candidates.size(), static_cast<std::size_t>(starts)));
  for (auto& candidate : candidates) result.best.push_back(climbed(z1, std::move(candidate), rest, basis, steps));
  std::stable_sort(result.best.begin(), result.best.end(), larger);
  return result;
}

CrossFit one_more_unit(const Matrix& z, const Matrix& residual, const Matrix& tangent, RandomStream& random) {
  constexpr Index starts = 5;
  CrossFit result;
  const auto order = random_rows(z.rows(), z.rows(), random);
  const auto middle = order.begin() + z.rows() / 2;
  struct Half {
    Matrix z1, residual, basis;
    UnitSearch found;
  };
  const auto half_of = [&](std::vector<Index> rows) {
    Half half{with_ones(z(rows, Eigen::all)), residual(rows, Eigen::all), spanning_basis(tangent(rows, Eigen::all)), {}};
    half.found = search_units(half.z1, half.residual, half.basis, starts, random);
    return half;
  };
  const Half first = half_of({order.begin(), middle}), second = half_of({middle, order.end()});
  if (first.found.best.empty() || second.found.best.empty()) return result;
  const auto score = [](const Half& searched, const Half& tested) {
    const Vector& form = searched.found.best.front().form;
    const Vector there = seen(searched.z1, form, searched.residual, searched.basis).values;
    const Vector here = seen(tested.z1, form, tested.residual, tested.basis).values;
    const Vector along = (tested.residual * (searched.residual.transpose() * there)).cwiseProduct(here);
    const double spread = along.norm();
    return spread > 0 ? along.sum() / spread : 0.0;
  };
  result.score = (score(first, second) + score(second, first)) / std::sqrt(2.0);
  result.chance = normal_tail(result.score);
  Vector visible(first.found.visible.size() + second.found.visible.size());
  visible << first.found.visible, second.found.visible;
  result.visible = median_of(visible);
  return result;
}

double gain_of_refit(const Matrix& z, const Matrix& labels, const Matrix& forms, const Matrix& outputs, const std::vector<FoundUnit>& starts,
                     const Control& control) {
  const MemorySource<double> samples{RowMatrix(z), RowMatrix(labels)};
  const Index units = forms.rows(), l = labels.cols();
  const auto squares = [&](SignFreeModel model) {
    SolverOptions solver;
    solver.label_variance = 1;
    solver.max_iterations = 25;
    solver.relative_decrease = 1e-6;
    solver.initial_damping = 1e-4;
    return levenberg_marquardt(samples, std::move(model), solver, control).cost * static_cast<double>(samples.samples());
  };
  Network network(z.cols(), units, l);
  network.W = forms.leftCols(z.cols());
  network.b = forms.col(z.cols());
  network.A = outputs;
  // What the answer leaves for an affine function is taken by the solver's first step.
  const double before = squares(sign_free(network));
  double after = before;
  for (const FoundUnit& start : starts) {
    Network wider(z.cols(), units + 1, l);
    wider.W << network.W, start.form.head(z.cols()).transpose();
    wider.b << network.b, start.form[z.cols()];
    wider.A << network.A, start.output;
    after = std::min(after, squares(sign_free(wider)));
  }
  return before - after;
}

}  // namespace relucover
