#include "verify/leftover/one_more_unit.hpp"

#include <algorithm>
#include <cmath>

#include "core/linear_algebra.hpp"
#include "relucover/samples.hpp"
#include "solve/levenberg_marquardt.hpp"
#include "verify/leftover/features.hpp"
#include "verify/leftover/tails.hpp"
#include "verify/leftover/unit_directions.hpp"

namespace relucover {

namespace {

constexpr double hidden_share = 1e-4;  // of a unit: less beyond the tangent functions can't be told from rounding

/// A unit of form·z~ beside the answer's tangent functions: what it is along these, and what is left of it.
struct SeenUnit {
  Vector whole, along;  // values, and basisᵀ values
  Vector output;
  double gain = 0;
  bool visible = false;
};
/// `rest` is orthogonal to the basis, so only the unit's size needs to know of it.
SeenUnit seen(const Matrix& z1, const Vector& form, const Matrix& rest, const Matrix& basis, const UnitKind& kind) {
  SeenUnit unit;
  unit.whole = kind.f.values(z1 * form);
  unit.along = basis.transpose() * unit.whole;
  const double whole = unit.whole.squaredNorm(), square = whole - unit.along.squaredNorm();
  unit.visible = square > hidden_share * hidden_share * whole && square > 0;
  if (!unit.visible) return unit;
  unit.output = rest.transpose() * unit.whole / square;
  unit.gain = unit.output.squaredNorm() * square;
  return unit;
}

/// Gauss-Newton steps on the unit alone, each taken only if it gains.
FoundUnit climbed(const Matrix& z1, FoundUnit unit, const Matrix& rest, const Matrix& basis, Index steps, const UnitKind& kind) {
  const Index width = z1.cols();
  SeenUnit now = seen(z1, unit.form, rest, basis, kind);
  for (Index step = 0; step < steps && now.visible; ++step) {
    const double size = now.output.norm();
    if ((now.whole.array() > 0).count() < 4 || !(size > 0)) break;
    const Vector slope_of_rows = kind.f.slopes(z1 * unit.form);
    const Matrix slopes = slope_of_rows.asDiagonal() * z1, along = basis.transpose() * slopes;
    Matrix gram = size * size * (slopes.transpose() * slopes - along.transpose() * along);
    gram.diagonal().array() += 1e-3 * gram.trace() / static_cast<double>(width) + 1e-300;
    const Vector target =
        slopes.transpose() * (rest * (now.output / size)) - size * (slopes.transpose() * now.whole - along.transpose() * now.along);
    const Vector change = solve_semidefinite(gram, size * target);
    bool gained = false;
    for (const double share : {1.0, 0.3, 0.1}) {
      Vector form = unit.form + share * change;
      const double slope = form.head(width - 1).norm();
      if (!(slope > 0) || !std::isfinite(slope)) continue;
      if (kind.f.homogeneous) form /= slope;
      SeenUnit next = seen(z1, form, rest, basis, kind);
      if (!next.visible || !(next.gain > unit.gain)) continue;
      unit = {next.gain, form, next.output};
      now = std::move(next);
      gained = true;
      break;
    }
    if (!gained) break;
  }
  return unit;
}

/// Units along directions (columns of W) with kinks at `at`, as functions of the samples.
Matrix units_at(const Matrix& heights, const Vector& at, const Rectifier& f = {}) { return f.values(heights.rowwise() - at.transpose()); }

/// Unit directions as steep as units of this kind are.
Matrix steepened(Matrix directions, const UnitKind& kind) {
  if (kind.f.homogeneous || kind.slopes.size() == 0) return directions;
  for (Index j = 0; j < directions.cols(); ++j) directions.col(j) *= kind.slopes[j % kind.slopes.size()];
  return directions;
}

}  // namespace

UnitSearch search_units(const Matrix& z1, const Matrix& residual, const Matrix& basis, Index starts, RandomStream& random,
                        const UnitKind& kind, const Control& control) {
  constexpr Index directions = 100, rounds = 6, steps = 8;
  const Index n = z1.rows(), d = z1.cols() - 1;
  UnitSearch result;
  if (d == 0 || n < 10) return result;
  const Matrix rest = orthogonal_to(basis, residual);
  const Matrix W = steepened(likely_directions(z1.leftCols(d), rest, directions, random), kind);
  const Matrix heights = z1.leftCols(d) * W, sorted = sorted_columns(heights);
  std::vector<double> visible;
  std::vector<FoundUnit> candidates;
  for (Index round = 0; round < rounds; ++round) {
    control.check();
    const Vector at = kink_places(sorted, round, random);
    const Matrix units = units_at(heights, at, kind.f);
    const Vector whole = units.colwise().norm();
    const Vector size = (whole.cwiseAbs2() - (basis.transpose() * units).colwise().squaredNorm().transpose()).cwiseMax(0).cwiseSqrt();
    const Matrix along = units.transpose() * rest;
    for (Index j = 0; j < directions; ++j) {
      if (round == 0 && 2 * j >= directions)
        visible.push_back(size[j] / std::sqrt(static_cast<double>(n)));  // any direction, a quarter of the samples or more on each side
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
  for (auto& candidate : candidates) {
    control.check();
    result.best.push_back(climbed(z1, std::move(candidate), rest, basis, steps, kind));
  }
  std::stable_sort(result.best.begin(), result.best.end(), larger);
  return result;
}

double best_of_many_units(const Matrix& z, const Matrix& studentised, const Matrix& basis, RandomStream& random, const UnitKind& kind,
                          const Control& control) {
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
    control.check();
    const Vector at = kink_places(sorted, round, random);
    const Matrix kinds =
        kind.f.is_relu() ? Matrix(n, 0) : units_at(steepened(heights, kind), steepened(at.transpose(), kind).transpose(), kind.f);
    Matrix units(n, 2 * directions + kinds.cols());  // and steps at the same places
    units << units_at(heights, at), ((heights.rowwise() - at.transpose()).array() > 0).cast<double>().matrix(), kinds;
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

CrossFit one_more_unit(const Matrix& z, const Matrix& residual, const Matrix& basis, RandomStream& random, const UnitKind& kind,
                       const Control& control) {
  constexpr Index starts = 4;
  CrossFit result;
  const auto order = random_rows(z.rows(), z.rows(), random);
  const auto middle = order.begin() + z.rows() / 2;
  struct Half {
    Matrix z1, residual, basis;
    UnitSearch found;
  };
  const auto half_of = [&](const std::vector<Index>& rows) {
    Half half{with_constant(z(rows, Eigen::all)), residual(rows, Eigen::all), spanning_basis(basis(rows, Eigen::all)), {}};
    half.found = search_units(half.z1, half.residual, half.basis, starts, random, kind, control);
    return half;
  };
  const Half first = half_of({order.begin(), middle}), second = half_of({middle, order.end()});
  if (first.found.best.empty() || second.found.best.empty()) return result;
  const auto score = [&](const Half& searched, const Half& tested) {
    const Vector& form = searched.found.best.front().form;
    const auto beyond = [&](const Half& half) { return orthogonal_to(half.basis, kind.f.values(half.z1 * form)); };
    const Vector there = beyond(searched), here = beyond(tested);
    const Vector along = (tested.residual * (searched.residual.transpose() * there)).cwiseProduct(here);
    const double spread = along.norm();
    return spread > 0 ? along.sum() / spread : 0.0;
  };
  result.score = (score(first, second) + score(second, first)) / std::sqrt(2.0);
  result.chance = normal_tail(result.score);
  Vector visible(first.found.visible.size() + second.found.visible.size());
  visible << first.found.visible, second.found.visible;
  result.visible = median_of(visible);
  for (const Half* half : {&first, &second})
    for (const FoundUnit& unit : half->found.best) result.found.push_back(unit.form);
  return result;
}

std::vector<FoundUnit> found_on_all(const Matrix& z, const Matrix& residual, const Matrix& basis, const std::vector<Vector>& forms,
                                    Index most, const UnitKind& kind) {
  constexpr Index steps = 6;
  const Matrix z1 = with_constant(z), rest = orthogonal_to(basis, residual);
  std::vector<FoundUnit> units;
  for (const Vector& form : forms)
    if (const SeenUnit unit = seen(z1, form, rest, basis, kind); unit.visible) units.push_back({unit.gain, form, unit.output});
  const auto larger = [](const FoundUnit& a, const FoundUnit& b) { return a.gain > b.gain; };
  std::stable_sort(units.begin(), units.end(), larger);
  units.resize(std::min(units.size(), static_cast<std::size_t>(most)));
  for (auto& unit : units) unit = climbed(z1, std::move(unit), rest, basis, steps, kind);
  std::stable_sort(units.begin(), units.end(), larger);
  return units;
}

double gain_of_refit(const Matrix& z, const Matrix& labels, const Matrix& forms, const Matrix& outputs,
                     const std::vector<FoundUnit>& starts, const Control& control) {
  const MemorySource<double> samples{RowMatrix(z), RowMatrix(labels)};
  const Index units = forms.rows(), l = labels.cols();
  const auto squares = [&](SignFreeModel model) {
    SolverOptions solver;
    solver.label_variance = 1;
    solver.max_iterations = 25;
    solver.relative_decrease = 0.2 / static_cast<double>(samples.samples());  // of a gain that counts from 20 on
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
  constexpr double nearly_best = 0.8;
  for (const FoundUnit& start : starts) {
    if (start.gain < nearly_best * starts.front().gain) break;
    Network wider(z.cols(), units + 1, l);
    wider.W << network.W, start.form.head(z.cols()).transpose();
    wider.b << network.b, start.form[z.cols()];
    wider.A << network.A, start.output;
    after = std::min(after, squares(sign_free(wider)));
  }
  return before - after;
}

}  // namespace relucover
