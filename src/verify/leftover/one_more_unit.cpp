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

RoughMatrix rough_values(const Rectifier& f, const RoughMatrix& t) {
  return f.is_relu() ? RoughMatrix(t.cwiseMax(0)) : RoughMatrix(f.values(t.cast<double>()).cast<float>());
}
RoughMatrix rough_slopes(const Rectifier& f, const RoughMatrix& t) {
  return f.is_relu() ? RoughMatrix((t.array() > 0).cast<float>()) : RoughMatrix(f.slopes(t.cast<double>()).cast<float>());
}

/// Where a unit climbs: steps need few digits, and of how much of it lies beyond the basis what some rows tell.
struct UnitField {
  UnitField(const Matrix& z1_of_rows, const RoughMatrix& rest_of_rows, const RoughBasis& beside)
      : z1(z1_of_rows.cast<float>()), rest(rest_of_rows), basis(beside), some_z1(z1(beside.some(), Eigen::all)) {}
  const RoughMatrix z1;
  const RoughMatrix& rest;  // orthogonal to the basis, so only a unit's size needs to know of that
  const RoughBasis& basis;
  const RoughMatrix some_z1;
};

/// A unit of form·z~ beside the answer's tangent functions.
struct SeenUnit {
  RoughMatrix whole;  // values
  RoughVector form;
  Vector output;
  double gain = 0;
  bool visible = false;
  bool by_some = false;  // some rows told how much of it is seen
};
SeenUnit seen(const UnitField& field, const Vector& form, const UnitKind& kind, bool all_rows = false) {
  constexpr Index enough = 30;     // of some rows, where a unit is not zero
  constexpr float little = 1e-3F;  // of a unit's square: the difference of squares does not tell what is left of it
  SeenUnit unit;
  unit.form = form.cast<float>();
  unit.whole = rough_values(kind.f, field.z1 * unit.form);
  const double whole = unit.whole.squaredNorm();
  double square = 0;
  if (const auto& some = field.basis.some(); !some.empty() && !all_rows) {
    const RoughMatrix there = unit.whole(some, Eigen::all);
    unit.by_some = (there.array() != 0).count() >= enough;
    if (unit.by_some) square = field.basis.products_beyond(there)(0, 0);
  }
  if (!unit.by_some) square = field.basis.products_beyond(unit.whole)(0, 0);
  if (square < little * whole) square = field.basis.without(unit.whole).squaredNorm();
  unit.visible = square > hidden_share * hidden_share * whole && square > 0;
  if (!unit.visible) return unit;
  unit.output = (field.rest.transpose() * unit.whole).cast<double>() / square;
  unit.gain = unit.output.squaredNorm() * square;
  return unit;
}

bool gains_more(const FoundUnit& a, const FoundUnit& b) { return a.gain > b.gain; }

/// Gauss-Newton steps on the unit alone, each taken only if it gains.
FoundUnit climbed(const UnitField& field, FoundUnit unit, Index steps, const UnitKind& kind) {
  constexpr double worth_a_step = 0.01;
  const Index width = field.z1.cols();
  SeenUnit now = seen(field, unit.form, kind);
  unit.gain = now.gain;
  for (Index step = 0; step < steps && now.visible; ++step) {
    const double size = now.output.norm();
    if ((now.whole.array() > 0).count() < 4 || !(size > 0)) break;
    const RoughVector slopes = rough_slopes(kind.f, field.z1 * now.form);
    // The unit's slopes by its form, and the unit itself, beyond the basis.
    const auto& some = field.basis.some();
    RoughMatrix moves(now.by_some ? field.some_z1.rows() : field.z1.rows(), width + 1);
    if (now.by_some)
      moves << RoughVector(slopes(some)).asDiagonal() * field.some_z1, now.whole(some, Eigen::all);
    else
      moves << slopes.asDiagonal() * field.z1, now.whole;
    const Matrix products = field.basis.products_beyond(moves).cast<double>();
    Matrix gram = size * size * products.topLeftCorner(width, width);
    gram.diagonal().array() += 1e-3 * gram.trace() / static_cast<double>(width) + 1e-300;
    const RoughVector wanted = slopes.cwiseProduct(field.rest * (now.output / size).cast<float>());
    const Vector target = (field.z1.transpose() * wanted).cast<double>() - size * products.col(width).head(width);
    const Vector change = solve_semidefinite(gram, size * target);
    bool gained = false;
    for (const double share : {1.0, 0.3, 0.1}) {
      Vector form = unit.form + share * change;
      const double slope = form.head(width - 1).norm();
      if (!(slope > 0) || !std::isfinite(slope)) continue;
      if (kind.f.homogeneous) form /= slope;
      SeenUnit next = seen(field, form, kind);
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

/// A few steps of all units, and more of those that are good by then; by falling gain where all rows tell it.
void climb_all(const UnitField& field, std::vector<FoundUnit>& units, Index steps, double share_of_best, const UnitKind& kind,
               const Control& control) {
  constexpr Index first = 3;
  for (FoundUnit& unit : units) {
    control.check();
    unit = climbed(field, std::move(unit), first, kind);
  }
  std::stable_sort(units.begin(), units.end(), gains_more);
  const double enough = units.empty() ? 0 : share_of_best * units.front().gain;
  for (FoundUnit& unit : units) {
    if (unit.gain >= enough) unit = climbed(field, std::move(unit), steps - first, kind);
    const SeenUnit by_all = seen(field, unit.form, kind, true);
    unit.gain = by_all.gain;
    if (by_all.visible) unit.output = by_all.output;
  }
  std::stable_sort(units.begin(), units.end(), gains_more);
}

/// Units along directions with kinks at `at`, as functions of the samples.
RoughMatrix units_at(const RoughMatrix& heights, const Vector& at, const Rectifier& f = {}) {
  return rough_values(f, heights.rowwise() - at.transpose().cast<float>());
}

/// Unit directions as steep as units of this kind are.
Matrix steepened(Matrix directions, const UnitKind& kind) {
  if (kind.f.homogeneous || kind.slopes.size() == 0) return directions;
  for (Index j = 0; j < directions.cols(); ++j) directions.col(j) *= kind.slopes[j % kind.slopes.size()];
  return directions;
}

}  // namespace

UnitSearch search_units(const Matrix& z1, const Matrix& residual, const RoughBasis& basis, Index starts, RandomStream& random,
                        const UnitKind& kind, const Control& control) {
  constexpr Index directions = 100, rounds = 6, steps = 8;
  const Index n = z1.rows(), d = z1.cols() - 1;
  UnitSearch result;
  if (d == 0 || n < 10) return result;
  const RoughMatrix rest = basis.without(RoughMatrix(residual.cast<float>()));
  const Matrix W = steepened(likely_directions(z1.leftCols(d), rest.cast<double>(), directions, random), kind);
  const UnitField field(z1, rest, basis);
  const RoughMatrix heights = field.z1.leftCols(d) * W.cast<float>();
  const CountedHeights counted(heights);
  std::vector<double> visible;
  std::vector<FoundUnit> candidates;
  for (Index round = 0; round < rounds; ++round) {
    control.check();
    const Vector at = counted.kink_places(round, random);
    const RoughMatrix units = units_at(heights, at, kind.f);
    const Vector whole = units.colwise().squaredNorm().transpose().cast<double>();
    const Matrix along = (units.transpose() * rest).cast<double>();
    if (round == 0) {  // any direction, a quarter of the samples or more on each side
      const RoughMatrix half = units.rightCols(directions / 2);
      const RoughVector left = half.colwise().squaredNorm() - (basis.columns().transpose() * half).colwise().squaredNorm();
      for (const float square : left) visible.push_back(std::sqrt(std::max(0.0F, square) / static_cast<float>(n)));
    }
    // What is seen of a unit is asked of those that explain most.
    std::vector<Index> looked_at = order_of(-along.rowwise().squaredNorm().cwiseQuotient(whole.cwiseMax(1e-300)));
    looked_at.resize(directions / 5);
    const RoughVector share = basis.share_beyond(units(Eigen::all, looked_at));
    for (std::size_t place = 0; place < looked_at.size(); ++place) {
      const Index j = looked_at[place];
      const double square = share[static_cast<Index>(place)] * whole[j];
      if (!(square > hidden_share * hidden_share * whole[j]) || !(square > 0)) continue;
      Vector form(d + 1);
      form << W.col(j), -at[j];
      candidates.push_back({along.row(j).squaredNorm() / square, std::move(form), along.row(j).transpose() / square});
    }
  }
  result.visible = Eigen::Map<const Vector>(visible.data(), static_cast<Index>(visible.size()));
  std::stable_sort(candidates.begin(), candidates.end(), gains_more);
  candidates.resize(std::min(candidates.size(), static_cast<std::size_t>(starts)));
  result.best = std::move(candidates);
  constexpr double nearly_best = 0.8;
  climb_all(field, result.best, steps, nearly_best, kind, control);
  return result;
}

double best_of_many_units(const Matrix& z, const Matrix& studentised, const RoughBasis& basis, RandomStream& random, const UnitKind& kind,
                          const Control& control) {
  constexpr Index flips = 60, first_flips = 20, rounds = 6;
  constexpr double bound = 6, work = 2.5e8, ordinary = 0.2;
  constexpr float hidden_to_single = 1e-4F;  // of a unit's square: less beyond the basis can't be told from rounding
  const Index n = z.rows();
  if (z.cols() == 0 || n < 20) return 1;
  const Matrix residual = basis.without(Matrix(studentised.cwiseMin(bound).cwiseMax(-bound)));
  const auto affordable = static_cast<Index>(work / static_cast<double>(2 * n * (flips + basis.size()) * rounds));
  const Index directions = std::clamp<Index>(affordable, 20, 200);
  // No direction may look at signs that are flipped later: all are random, or of rows by the size of their residual.
  Matrix W = random.normal_matrix(z.cols(), directions);
  const auto order = order_of(-residual.rowwise().norm());
  for (Index k = 0; k < std::min<Index>({20, directions / 2, n}); ++k) W.col(k) = z.row(order[static_cast<std::size_t>(k)]).transpose();
  for (auto column : W.colwise())
    if (column.norm() > 0) column.normalize();
  const RoughMatrix heights = (z * W).cast<float>();
  const CountedHeights counted(heights);
  std::vector<Vector> places;
  for (Index round = 0; round < rounds; ++round) places.push_back(counted.kink_places(round, random));
  // The largest score of each of these residuals; they are beyond the basis, so that only sizes of units need to know of it: roughly, for
  // they are the same for all of them.
  const auto best_scores = [&](const Matrix& signs) {
    std::vector<RoughMatrix> flipped;
    for (const auto& output : residual.colwise())
      flipped.push_back(basis.without(RoughMatrix((output.asDiagonal() * signs).cast<float>())));
    Vector best = Vector::Zero(signs.cols());
    for (const Vector& at : places) {
      control.check();
      const RoughMatrix kinds = kind.f.is_relu() ? RoughMatrix(n, 0)
                                                 : units_at(steepened(heights.cast<double>(), kind).cast<float>(),
                                                            steepened(at.transpose(), kind).transpose(), kind.f);
      RoughMatrix units(n, 2 * directions + kinds.cols());  // and steps at the same places
      units << units_at(heights, at), ((heights.rowwise() - at.transpose().cast<float>()).array() > 0).cast<float>().matrix(), kinds;
      const RoughVector share = basis.share_beyond(units, false), whole = units.colwise().squaredNorm();
      RoughVector weight(whole.size());
      for (Index j = 0; j < weight.size(); ++j) {
        const float square = share[j] * whole[j];
        weight[j] = share[j] > hidden_to_single && square > 0 ? 1 / square : 0;
      }
      RoughMatrix scores = RoughMatrix::Zero(signs.cols(), units.cols());
      for (const RoughMatrix& of_output : flipped) scores += (of_output.transpose() * units).cwiseAbs2();
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
  const RoughBasis& basis;
  UnitSearch found;
  /// A unit's values here, beyond what the answer can do.
  Vector beyond_basis(const Vector& form, const UnitKind& kind) const { return basis.without(Matrix(kind.f.values(z1 * form))); }
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

double gain_in_noise(const Matrix& z1, const Matrix& residual, const RoughBasis& basis, Index starts, RandomStream& random,
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

std::vector<FoundUnit> found_on_all(const Matrix& z, const Matrix& residual, const RoughBasis& basis, const std::vector<Vector>& forms,
                                    Index most, const UnitKind& kind) {
  constexpr Index steps = 6;
  const RoughMatrix rest = basis.without(RoughMatrix(residual.cast<float>()));
  const UnitField field(with_ones(z), rest, basis);
  std::vector<FoundUnit> units;
  for (const Vector& form : forms)
    if (const SeenUnit unit = seen(field, form, kind); unit.visible) units.push_back({unit.gain, form, unit.output});
  std::stable_sort(units.begin(), units.end(), gains_more);
  units.resize(std::min(units.size(), static_cast<std::size_t>(most)));
  constexpr double good = 0.6;
  climb_all(field, units, steps, good, kind, {});
  return units;
}

double gain_of_refit(const Matrix& z, const Matrix& labels, const Matrix& forms, const Matrix& outputs,
                     const std::vector<FoundUnit>& starts, const Control& control, std::optional<double> left,
                     const std::function<bool(double)>& worth_it) {
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
  const double before = left ? *left : solved(sign_free(network), most_steps).cost * n;
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
