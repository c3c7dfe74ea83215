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

namespace {

/// Directions that a missing unit may have: random ones, those along which the residual is curved, those of rows where it is large.
Matrix likely_directions(const Matrix& z, const Matrix& residual, Index count, RandomStream& random) {
  const Index d = z.cols();
  std::vector<Vector> found;
  const Vector size = residual.rowwise().norm();
  // Principal part of the residual over outputs, so that one curvature stands for all.
  const Vector along = residual.cols() == 1 ? Vector(residual) : Vector(residual * symmetric_eigen(residual.transpose() * residual).vectors.rightCols(1));
  const SymmetricEigen curved = symmetric_eigen(z.transpose() * (along.asDiagonal() * z));
  constexpr Index most_curved = 3, most_large = 20;
  for (Index k = 0; k < std::min(most_curved, d); ++k) {
    found.push_back(curved.vectors.col(k));
    found.push_back(curved.vectors.col(d - 1 - k));
  }
  const auto order = order_of(-size);
  Vector sum = Vector::Zero(d);
  for (Index k = 0; k < std::min<Index>(most_large, z.rows()); ++k) {
    const Vector row = z.row(order[static_cast<std::size_t>(k)]).transpose();
    if (!(row.norm() > 0)) continue;
    found.push_back(row.normalized());
    sum += (along[order[static_cast<std::size_t>(k)]] > 0 ? 1.0 : -1.0) * row;
    if (sum.norm() > 0) found.push_back(sum.normalized());
  }
  Matrix directions(d, count);
  for (Index j = 0; j < count; ++j) {
    if (j < static_cast<Index>(found.size()) && 2 * j < count)
      directions.col(j) = found[static_cast<std::size_t>(j)];
    else
      directions.col(j) = random.normal_vector(d).normalized();
  }
  return directions;
}

/// For each direction a place among its sorted heights: anywhere, or close to one end.
Vector kink_places(const Matrix& sorted, Index round, RandomStream& random) {
  const auto n = static_cast<double>(sorted.rows());
  Vector at(sorted.cols());
  for (Index j = 0; j < sorted.cols(); ++j) {
    double place = (round == 0 ? 0.25 + 0.5 * random.uniform() : random.uniform()) * n;
    if (round % 3 != 0) {  // few samples beyond: 4 to a tenth
      const double beyond = 4 * std::pow(std::max(1.0, n / 40), random.uniform());
      place = round % 3 == 1 ? n - beyond : beyond;
    }
    at[j] = sorted(static_cast<Index>(std::clamp(place, 4.0, n - 4)), j);
  }
  return at;
}

/// Units of unit slope along directions (columns of W) with kinks at `at`, as functions of the samples.
Matrix units_at(const Matrix& heights, const Vector& at) { return (heights.rowwise() - at.transpose()).cwiseMax(0); }

Matrix sorted_columns(Matrix values) {
  for (auto column : values.colwise()) std::sort(column.begin(), column.end());
  return values;
}

}  // namespace

UnitSearch search_units(const Matrix& z1, const Matrix& residual, const Matrix& basis, Index starts, RandomStream& random) {
  constexpr Index directions = 100, rounds = 6, steps = 8;
  const Index n = z1.rows(), d = z1.cols() - 1;
  UnitSearch result;
  if (d == 0 || n < 10) return result;
  const Matrix rest = orthogonal_to(basis, residual);
  const Matrix W = likely_directions(z1.leftCols(d), rest, directions, random);
  const Matrix heights = z1.leftCols(d) * W, sorted = sorted_columns(heights);
  std::vector<double> visible;
  std::vector<FoundUnit> candidates;
  for (Index round = 0; round < rounds; ++round) {
    const Vector at = kink_places(sorted, round, random);
    Matrix units = units_at(heights, at);
    const Vector whole = units.colwise().norm();
    units = orthogonal_to(basis, std::move(units));
    const Vector size = units.colwise().norm();
    const Matrix along = units.transpose() * rest;
    for (Index j = 0; j < directions; ++j) {
      if (round == 0 && 2 * j >= directions) visible.push_back(size[j] / std::sqrt(static_cast<double>(n)));  // any direction, a quarter of the samples or more on each side
      if (!(size[j] > hidden_share * whole[j]) || !(size[j] > 0)) continue;
      Vector form(d + 1);
      form << W.col(j), -at[j];
      const double square = size[j] * size[j];
      candidates.push_back({along.row(j).squaredNorm() / square, std::move(form), along.row(j).transpose() / square});
    }
  }
  result.visible = Eigen::Map<const Vector>(visible.data(), static_cast<Index>(visible.size()));
  const auto larger = [](const FoundUnit& a, const FoundUnit& b) { return a.gain > b.gain; };
  std::stable_sort(candidates.begin(), candidates.end(), larger);
  candidates.resize(std::min(candidates.size(), static_cast<std::size_t>(starts)));
  for (auto& candidate : candidates) result.best.push_back(climbed(z1, std::move(candidate), rest, basis, steps));
  std::stable_sort(result.best.begin(), result.best.end(), larger);
  return result;
}

double best_of_many_units(const Matrix& z, const Matrix& studentised, const Matrix& basis, RandomStream& random) {
  constexpr Index flips = 100, rounds = 6;
  constexpr double bound = 6, work = 2.5e8;
  const Index n = z.rows();
  if (z.cols() == 0 || n < 20) return 1;
  const Matrix residual = orthogonal_to(basis, studentised.cwiseMin(bound).cwiseMax(-bound));
  const auto affordable = static_cast<Index>(work / static_cast<double>(2 * n * (flips + basis.cols()) * rounds));
  const Index directions = std::clamp<Index>(affordable, 20, 200);
  // No direction may look at signs that are flipped later: all are random, or of rows by the size of their residual.
  Matrix W = random.normal_matrix(z.cols(), directions);
  const auto order = order_of(-residual.rowwise().norm());
  for (Index k = 0; k < std::min<Index>({20, directions / 2, n}); ++k) W.col(k) = z.row(order[static_cast<std::size_t>(k)]).transpose();
  for (auto column : W.colwise())
    if (column.norm() > 0) column.normalize();
  const Matrix heights = z * W, sorted = sorted_columns(heights);
  Matrix signs = random_signs(n, flips + 1, random);
  signs.col(flips).setOnes();
  Vector best = Vector::Zero(flips + 1);
  for (Index round = 0; round < rounds; ++round) {
    const Vector at = kink_places(sorted, round, random);
    Matrix units(n, 2 * directions);  // and steps at the same places
    units << units_at(heights, at), ((heights.rowwise() - at.transpose()).array() > 0).cast<double>().matrix();
    const Vector whole = units.colwise().norm();
    units = orthogonal_to(basis, std::move(units));
    const Vector size = units.colwise().norm();
    for (Index j = 0; j < size.size(); ++j) {
      if (size[j] > hidden_share * whole[j] && size[j] > 0)
        units.col(j) /= size[j];
      else
        units.col(j).setZero();
    }
    Matrix scores = Matrix::Zero(flips + 1, units.cols());
    for (const auto& output : residual.colwise()) {
      const Matrix flipped = output.asDiagonal() * signs;
      scores += (flipped.transpose() * units).cwiseAbs2();
    }
    best = best.cwiseMax(scores.rowwise().maxCoeff());
  }
  return tail_of_maxima(best.head(flips), best[flips]);
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
