#include "verify/leftover/one_more_unit.hpp"

#include <algorithm>
#include <cmath>

#include "core/linear_algebra.hpp"
#include "relucover/samples.hpp"
#include "solve/levenberg_marquardt.hpp"
#include "verify/leftover/features.hpp"
#include "verify/leftover/parts.hpp"
#include "verify/leftover/tails.hpp"

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

bool gains_more(const FoundUnit& a, const FoundUnit& b) { return a.gain > b.gain; }

/// Gauss-Newton steps on the unit alone, each taken only if it gains.
FoundUnit climbed(const Matrix& z1, FoundUnit unit, const Matrix& rest, const Matrix& basis, Index steps, const UnitKind& kind) {
  constexpr double worth_a_step = 0.01;
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
      gained = next.gain > (1 + worth_a_step) * unit.gain;
      unit = {next.gain, form, next.output};
      now = std::move(next);
      break;
    }
    if (!gained) break;
  }
  return unit;
}

/// A few steps of all units, and more of those that are good by then; by falling gain.
void climb_all(const Matrix& z1, std::vector<FoundUnit>& units, const Matrix& rest, const Matrix& basis, Index steps, double share_of_best,
               const UnitKind& kind, const Control& control) {
  constexpr Index first = 3;
  for (FoundUnit& unit : units) {
    control.check();
    unit = climbed(z1, std::move(unit), rest, basis, first, kind);
  }
  std::stable_sort(units.begin(), units.end(), gains_more);
  const double enough = units.empty() ? 0 : share_of_best * units.front().gain;
  for (FoundUnit& unit : units)
    if (unit.gain >= enough) unit = climbed(z1, std::move(unit), rest, basis, steps - first, kind);
  std::stable_sort(units.begin(), units.end(), gains_more);
}

}  // namespace

Matrix with_constant(const Matrix& z) {
  Matrix z1(z.rows(), z.cols() + 1);
  z1 << z, Vector::Ones(z.rows());
  return z1;
}

namespace {

/// Directions that a missing unit may have: random ones, those along which the residual is curved, those of rows where it is large.
Matrix likely_directions(const Matrix& z, const Matrix& residual, Index count, RandomStream& random) {
  const Index d = z.cols();
  std::vector<Vector> found;
  const Vector size = residual.rowwise().norm();
  // Principal part of the residual over outputs, so that one curvature stands for all.
  const Vector along =
      residual.cols() == 1 ? Vector(residual) : Vector(residual * symmetric_eigen(residual.transpose() * residual).vectors.rightCols(1));
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
    const Matrix along = units.transpose() * rest;
    // What is seen of a unit is asked of those that explain most, and in the first round of all that tell what is seen of any.
    std::vector<Index> looked_at = order_of(-along.rowwise().squaredNorm().cwiseQuotient(whole.cwiseAbs2().cwiseMax(1e-300)));
    looked_at.resize(directions / 5);
    for (Index j = directions / 2; j < directions && round == 0; ++j) looked_at.push_back(j);
    const Vector size =
        (whole(looked_at).cwiseAbs2() - (basis.transpose() * units(Eigen::all, looked_at)).colwise().squaredNorm().transpose())
            .cwiseMax(0)
            .cwiseSqrt();
    for (std::size_t place = 0; place < looked_at.size(); ++place) {
      const Index j = looked_at[place];
      const double seen_size = size[static_cast<Index>(place)];
      if (place >= directions / 5) {
        visible.push_back(seen_size / std::sqrt(static_cast<double>(n)));  // any direction, a quarter of the samples or more on each side
        continue;
      }
      if (!(seen_size > hidden_share * whole[j]) || !(seen_size > 0)) continue;
      Vector form(d + 1);
      form << W.col(j), -at[j];
      const double square = seen_size * seen_size;
      candidates.push_back({along.row(j).squaredNorm() / square, std::move(form), along.row(j).transpose() / square});
    }
  }
  result.visible = Eigen::Map<const Vector>(visible.data(), static_cast<Index>(visible.size()));
  std::stable_sort(candidates.begin(), candidates.end(), gains_more);
  candidates.resize(std::min(candidates.size(), static_cast<std::size_t>(starts)));
  result.best = std::move(candidates);
  constexpr double nearly_best = 0.8;
  climb_all(z1, result.best, rest, basis, steps, nearly_best, kind, control);
  return result;
}

double best_of_many_units(const Matrix& z, const Matrix& studentised, const Matrix& basis, RandomStream& random, const UnitKind& kind,
                          const Control& control) {
  constexpr Index flips = 60, rounds = 6;
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
  std::vector<Matrix> all_flipped;  // beyond the basis, so that only sizes of units need to know of it
  for (const auto& output : residual.colwise()) all_flipped.push_back(orthogonal_to(basis, output.asDiagonal() * signs));
  Vector best = Vector::Zero(flips + 1);
  for (Index round = 0; round < rounds; ++round) {
    control.check();
    const Vector at = kink_places(sorted, round, random);
    const Matrix kinds =
        kind.f.is_relu() ? Matrix(n, 0) : units_at(steepened(heights, kind), steepened(at.transpose(), kind).transpose(), kind.f);
    Matrix units(n, 2 * directions + kinds.cols());  // and steps at the same places
    units << units_at(heights, at), ((heights.rowwise() - at.transpose()).array() > 0).cast<double>().matrix(), kinds;
    const Vector whole = units.colwise().norm();
    const Vector size = (whole.cwiseAbs2() - (basis.transpose() * units).colwise().squaredNorm().transpose()).cwiseMax(0).cwiseSqrt();
    Vector weight(size.size());
    for (Index j = 0; j < size.size(); ++j) weight[j] = size[j] > hidden_share * whole[j] && size[j] > 0 ? 1 / size[j] : 0;
    Matrix scores = Matrix::Zero(flips + 1, units.cols());
    for (const Matrix& flipped : all_flipped) scores += (flipped.transpose() * units * weight.asDiagonal()).cwiseAbs2();
    best = best.cwiseMax(scores.rowwise().maxCoeff());
  }
  return tail_of_maxima(best.head(flips), best[flips]);
}

namespace {

/// Half of the samples, and the units that it likes best.
struct SearchedHalf {
  Matrix z1, residual, basis;
  UnitSearch found;
  /// A unit's values here, beyond what the answer can do.
  Vector beyond_basis(const Vector& form, const UnitKind& kind) const { return orthogonal_to(basis, kind.f.values(z1 * form)); }
};

/// The unit that `searched` found, as `tested` sees it: standard deviations.
double score_elsewhere(const SearchedHalf& searched, const SearchedHalf& tested, const UnitKind& kind) {
  const Vector& form = searched.found.best.front().form;
  const Vector there = searched.beyond_basis(form, kind), here = tested.beyond_basis(form, kind);
  const Vector along = (tested.residual * (searched.residual.transpose() * there)).cwiseProduct(here);
  const double spread = along.norm();
  return spread > 0 ? along.sum() / spread : 0.0;
}

/// Correlation of the units that both halves found, over all samples.
double likeness(const SearchedHalf& first, const SearchedHalf& second, const UnitKind& kind) {
  double product = 0, one = 0, other = 0;
  for (const SearchedHalf* half : {&first, &second}) {
    const Vector a = half->beyond_basis(first.found.best.front().form, kind), b = half->beyond_basis(second.found.best.front().form, kind);
    product += a.dot(b);
    one += a.squaredNorm();
    other += b.squaredNorm();
  }
  return std::abs(product) / std::max(std::sqrt(one * other), 1e-300);
}

}  // namespace

double gain_in_noise(const Matrix& z1, const Matrix& residual, const Matrix& basis, Index starts, RandomStream& random,
                     const UnitKind& kind, const Control& control) {
  constexpr Index searches = 3;
  double gain = 0;
  for (Index k = 0; k < searches; ++k) {
    const Matrix flipped = random_signs(z1.rows(), 1, random).col(0).asDiagonal() * residual;
    const UnitSearch found = search_units(z1, flipped, basis, starts, random, kind, control);
    if (!found.best.empty()) gain += found.best.front().gain / static_cast<double>(searches);
  }
  return gain;
}

CrossFit one_more_unit(const Matrix& z, const Matrix& residual, const Matrix& basis, RandomStream& random, const UnitKind& kind,
                       const Control& control) {
  constexpr Index starts = 4;
  constexpr double could_matter = 1e-2, same_place = 0.4;
  CrossFit result;
  const auto order = random_rows(z.rows(), z.rows(), random);
  const auto middle = order.begin() + z.rows() / 2;
  const auto half_of = [&](const std::vector<Index>& rows) {
    SearchedHalf half{with_constant(z(rows, Eigen::all)), residual(rows, Eigen::all), spanning_basis(basis(rows, Eigen::all)), {}};
    half.found = search_units(half.z1, half.residual, half.basis, starts, random, kind, control);
    return half;
  };
  const SearchedHalf first = half_of({order.begin(), middle}), second = half_of({middle, order.end()});
  if (first.found.best.empty() || second.found.best.empty()) return result;
  result.score = (score_elsewhere(first, second, kind) + score_elsewhere(second, first, kind)) / std::sqrt(2.0);
  result.chance = normal_tail(result.score);
  // Where both halves like the same place best, what they say of it is one thing and not two: the best of all places on all samples.
  // So many places that have nothing to do with each other would have a best one as good as searches find in noise.
  if (result.chance < could_matter && likeness(first, second, kind) > same_place) {
    const double in_noise = gain_in_noise(first.z1, first.residual, first.basis, starts, random, kind, control);
    const double places = 1 / std::max(chance_of_score(residual.cols(), in_noise), 1e-12);
    result.chance = std::min(1.0, result.chance * (1 + 2 * places));
  }
  Vector visible(first.found.visible.size() + second.found.visible.size());
  visible << first.found.visible, second.found.visible;
  result.visible = median_of(visible);
  for (const SearchedHalf* half : {&first, &second})
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
  std::stable_sort(units.begin(), units.end(), gains_more);
  units.resize(std::min(units.size(), static_cast<std::size_t>(most)));
  constexpr double good = 0.6;
  climb_all(z1, units, rest, basis, steps, good, kind, {});
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
