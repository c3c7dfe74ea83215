#include "verify/leftover/one_more_unit.hpp"

#include <algorithm>
#include <cmath>

#include "core/linear_algebra.hpp"
#include "relucover/samples.hpp"
#include "solve/levenberg_marquardt.hpp"
#include "verify/leftover/features.hpp"
#include "verify/leftover/parts.hpp"
#include "verify/leftover/tails.hpp"
#include "verify/leftover/unit_directions.hpp"

namespace relucover {

namespace {

constexpr double hidden_share = 1e-4;  // of a unit: less beyond the tangent functions can't be told from rounding

/// A basis, and the same in single precision: what a unit is along it is asked many times, and hardly ever more finely than that.
struct RoughBasis {
  explicit RoughBasis(const Matrix& of) : fine(of), rough(of.cast<float>()) {}
  const Matrix& fine;
  const Eigen::MatrixXf rough;
  Matrix along(const Matrix& values) const { return (rough.transpose() * values.cast<float>()).cast<double>(); }
};

/// A unit of form·z~ beside the answer's tangent functions: what it is along these, and what is left of it.
struct SeenUnit {
  Vector whole, along;  // values, and basisᵀ values
  Vector output;
  double gain = 0;
  bool visible = false;
};
/// `rest` is orthogonal to the basis, so only the unit's size needs to know of it.
SeenUnit seen(const Matrix& z1, const Vector& form, const Matrix& rest, const RoughBasis& basis, const UnitKind& kind) {
  constexpr double little = 1e-3;  // of a unit's square: single precision does not tell what is left of it
  SeenUnit unit;
  unit.whole = kind.f.values(z1 * form);
  unit.along = basis.along(unit.whole);
  const double whole = unit.whole.squaredNorm();
  double square = whole - unit.along.squaredNorm();
  if (square < little * whole) {
    unit.along = basis.fine.transpose() * unit.whole;
    square = whole - unit.along.squaredNorm();
  }
  unit.visible = square > hidden_share * hidden_share * whole && square > 0;
  if (!unit.visible) return unit;
  unit.output = rest.transpose() * unit.whole / square;
  unit.gain = unit.output.squaredNorm() * square;
  return unit;
}

bool gains_more(const FoundUnit& a, const FoundUnit& b) { return a.gain > b.gain; }

/// Gauss-Newton steps on the unit alone, each taken only if it gains.
FoundUnit climbed(const Matrix& z1, FoundUnit unit, const Matrix& rest, const RoughBasis& basis, Index steps, const UnitKind& kind) {
  constexpr double worth_a_step = 0.01;
  const Index width = z1.cols();
  SeenUnit now = seen(z1, unit.form, rest, basis, kind);
  for (Index step = 0; step < steps && now.visible; ++step) {
    const double size = now.output.norm();
    if ((now.whole.array() > 0).count() < 4 || !(size > 0)) break;
    const Vector slope_of_rows = kind.f.slopes(z1 * unit.form);
    const Matrix slopes = slope_of_rows.asDiagonal() * z1, along = basis.along(slopes);
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
void climb_all(const Matrix& z1, std::vector<FoundUnit>& units, const Matrix& rest, const RoughBasis& basis, Index steps,
               double share_of_best, const UnitKind& kind, const Control& control) {
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
  climb_all(z1, result.best, rest, RoughBasis(basis), steps, nearly_best, kind, control);
  return result;
}

double best_of_many_units(const Matrix& z, const Matrix& studentised, const Matrix& basis, RandomStream& random, const UnitKind& kind,
                          const Control& control) {
  constexpr Index flips = 60, first_flips = 20, rounds = 6;
  constexpr double bound = 6, work = 2.5e8, ordinary = 0.2;
  constexpr float hidden_to_single = 1e-4F;  // of a unit's square: less beyond the basis can't be told from rounding
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
  std::vector<Vector> places;
  for (Index round = 0; round < rounds; ++round) places.push_back(kink_places(sorted, round, random));
  const Eigen::MatrixXf rough = basis.cast<float>();
  // The largest score of each of these residuals; they are beyond the basis, so that only sizes of units need to know of it.
  const auto best_scores = [&](const Matrix& signs) {
    std::vector<Eigen::MatrixXf> flipped;
    for (const auto& output : residual.colwise()) flipped.push_back(orthogonal_to(basis, output.asDiagonal() * signs).cast<float>());
    Vector best = Vector::Zero(signs.cols());
    for (const Vector& at : places) {
      control.check();
      const Matrix kinds =
          kind.f.is_relu() ? Matrix(n, 0) : units_at(steepened(heights, kind), steepened(at.transpose(), kind).transpose(), kind.f);
      Eigen::MatrixXf units(n, 2 * directions + kinds.cols());  // and steps at the same places
      units << units_at(heights, at).cast<float>(), ((heights.rowwise() - at.transpose()).array() > 0).cast<float>().matrix(),
          kinds.cast<float>();
      const Eigen::VectorXf whole = units.colwise().squaredNorm(), along = (rough.transpose() * units).colwise().squaredNorm();
      Eigen::VectorXf weight(whole.size());
      for (Index j = 0; j < weight.size(); ++j) {
        const float square = whole[j] - along[j];
        weight[j] = square > hidden_to_single * whole[j] && square > 0 ? 1 / square : 0;
      }
      Eigen::MatrixXf scores = Eigen::MatrixXf::Zero(signs.cols(), units.cols());
      for (const Eigen::MatrixXf& of_output : flipped) scores += (of_output.transpose() * units).cwiseAbs2();
      best = best.cwiseMax((scores * weight.asDiagonal()).rowwise().maxCoeff().cast<double>());
    }
    return best;
  };
  Matrix signs = random_signs(n, first_flips + 1, random);
  signs.col(first_flips).setOnes();
  const Vector first = best_scores(signs);
  const double seen = first[first_flips], chance = tail_of_maxima(first.head(first_flips), seen);
  if (chance > ordinary) return chance;
  Vector all(flips);
  all << first.head(first_flips), best_scores(random_signs(n, flips - first_flips, random));
  return tail_of_maxima(all, seen);
}

namespace {

/// Half of the samples, and the units that it likes best.
struct SearchedHalf {
  Matrix z1, residual;
  const Matrix& basis;
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

CrossFit one_more_unit(const Matrix& z, const Matrix& residual, const Halves& halves, RandomStream& random, const UnitKind& kind,
                       const Control& control) {
  constexpr Index starts = 4;
  constexpr double could_matter = 1e-2, same_place = 0.4;
  CrossFit result;
  const auto half_of = [&](int which) {
    const std::vector<Index>& rows = halves.rows[which];
    SearchedHalf half{with_ones(z(rows, Eigen::all)), residual(rows, Eigen::all), halves.basis[which], {}};
    half.found = search_units(half.z1, half.residual, half.basis, starts, random, kind, control);
    return half;
  };
  const SearchedHalf first = half_of(0), second = half_of(1);
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
  const Matrix z1 = with_ones(z), rest = orthogonal_to(basis, residual);
  const RoughBasis beside(basis);
  std::vector<FoundUnit> units;
  for (const Vector& form : forms)
    if (const SeenUnit unit = seen(z1, form, rest, beside, kind); unit.visible) units.push_back({unit.gain, form, unit.output});
  std::stable_sort(units.begin(), units.end(), gains_more);
  units.resize(std::min(units.size(), static_cast<std::size_t>(most)));
  constexpr double good = 0.6;
  climb_all(z1, units, rest, beside, steps, good, kind, {});
  return units;
}

double gain_of_refit(const Matrix& z, const Matrix& labels, const Matrix& forms, const Matrix& outputs,
                     const std::vector<FoundUnit>& starts, const Control& control, const std::function<bool(double)>& worth_it) {
  constexpr Index most_steps = 25, at_once = 3;
  const MemorySource<double> samples{RowMatrix(z), RowMatrix(labels)};
  const Index units = forms.rows(), l = labels.cols();
  const double n = static_cast<double>(samples.samples());
  const auto solved = [&](SignFreeModel model, Index steps) {
    SolverOptions solver;
    solver.label_variance = 1;
    solver.max_iterations = steps;
    solver.relative_decrease = 0.2 / n;  // of a gain that counts from 20 on
    solver.initial_damping = 1e-4;
    return levenberg_marquardt(samples, std::move(model), solver, control);
  };
  Network network(z.cols(), units, l);
  network.W = forms.leftCols(z.cols());
  network.b = forms.col(z.cols());
  network.A = outputs;
  // What the answer leaves for an affine function is taken by the solver's first step.
  const double before = solved(sign_free(network), most_steps).cost * n;
  const auto gain_from = [&](SignFreeModel model, double gain) {
    constexpr double further = 4;  // times what the last steps gained: where each few gain four fifths of those before
    for (Index steps = 0; steps < most_steps; steps += at_once) {
      auto outcome = solved(std::move(model), at_once);
      const double gained = before - outcome.cost * n, rise = gained - gain;
      gain = gained;
      if (outcome.iterations < at_once || !worth_it(gain + further * std::max(0.0, rise))) break;
      model = std::move(outcome.model);
    }
    return gain;
  };
  double most = 0;
  constexpr double nearly_best = 0.8;
  for (const FoundUnit& start : starts) {
    if (start.gain < nearly_best * starts.front().gain) break;
    Network wider(z.cols(), units + 1, l);
    wider.W << network.W, start.form.head(z.cols()).transpose();
    wider.b << network.b, start.form[z.cols()];
    wider.A << network.A, start.output;
    most = std::max(most, worth_it ? gain_from(sign_free(wider), start.gain) : before - solved(sign_free(wider), most_steps).cost * n);
  }
  return most;
}

}  // namespace relucover
