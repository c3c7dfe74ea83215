#include "verify/leftover/further_unit.hpp"

#include <algorithm>
#include <cmath>

#include "core/linear_algebra.hpp"
#include "verify/leftover/features.hpp"
#include "verify/leftover/flip_tests.hpp"
#include "verify/leftover/flipped_scores.hpp"
#include "verify/leftover/unit_directions.hpp"

namespace relucover {

namespace {

std::vector<Index> rows_of_outputs(const std::vector<Index>& some, Index rows, Index outputs) {
  std::vector<Index> all;
  all.reserve(some.size() * static_cast<std::size_t>(outputs));
  for (Index o = 0; o < outputs; ++o)
    for (const Index row : some) all.push_back(o * rows + row);
  return all;
}

/// Weights that gain most, and what they gain; `gram` of effects beyond the basis, `whole` of all.
FurtherUnit best_weights(const Matrix& gram, const Vector& whole, const Vector& along, const Vector& form) {
  constexpr double hidden = 1e-8;  // squared share of an effect beyond what the answer can do that can't be told from rounding
  const Vector scale = whole.cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
  const SymmetricEigen eigen = symmetric_eigen(scale.asDiagonal() * gram * scale.asDiagonal());
  const Vector turned = eigen.vectors.transpose() * along.cwiseProduct(scale);
  Vector weights = Vector::Zero(along.size());
  FurtherUnit unit{0, form, {}};
  for (Index k = 0; k < eigen.values.size(); ++k) {
    if (!(eigen.values[k] > hidden)) continue;
    weights += turned[k] / eigen.values[k] * eigen.vectors.col(k);
    unit.gain += turned[k] * turned[k] / eigen.values[k];
  }
  unit.weights = weights.cwiseProduct(scale);
  return unit;
}

Vector values_at(const UnitPlace& place, const Vector& form) { return (place.z1 * form).cwiseMax(0); }

struct SeenEffects {
  Matrix whole, along;  // effects, and basisᵀ effects
  FurtherUnit unit;
};
SeenEffects seen_effects(const UnitPlace& place, const StackedAnswer& answer, const Vector& form) {
  SeenEffects seen;
  seen.whole = place.effects_of(values_at(place, form));
  seen.along = answer.basis.transpose() * seen.whole;
  const Matrix all = seen.whole.transpose() * seen.whole;
  seen.unit = best_weights(all - seen.along.transpose() * seen.along, all.diagonal(), seen.whole.transpose() * answer.residual, form);
  return seen;
}

/// Heights of some of the rows, sorted: places of kinks need no more.
Matrix sorted_heights(const Matrix& heights) {
  constexpr Index enough = 16384;
  if (heights.rows() <= enough) return sorted_columns(heights);
  const Index step = heights.rows() / enough;
  return sorted_columns(Matrix(heights(Eigen::seq(0, Eigen::last, step), Eigen::all)));
}

/// With unit slope.
Vector normalised_form(Vector form) {
  const double slope = form.head(form.size() - 1).norm();
  return slope > 0 && std::isfinite(slope) ? Vector(form / slope) : Vector();
}

}  // namespace

StackedAnswer StackedAnswer::of(const std::vector<Index>& some) const {
  const auto all = rows_of_outputs(some, rows, outputs);
  StackedAnswer part{static_cast<Index>(some.size()), outputs, {}, spanning_basis(basis(all, Eigen::all))};
  part.residual = orthogonal_to(part.basis, residual(all));
  return part;
}

Vector StackedAnswer::by_sample(const Vector& stacked) const {
  return Eigen::Map<const Matrix>(stacked.data(), rows, outputs).rowwise().sum();
}

StackedAnswer stacked_answer(const JudgedLayers& judged, const Matrix& residual, const Matrix& decorrelation) {
  StackedAnswer answer{judged.answer.rows(), judged.outputs(), {}, spanning_basis(stacked_jacobian(judged, decorrelation))};
  answer.residual = orthogonal_to(answer.basis, residual.reshaped());  // outputs below each other
  return answer;
}

UnitPlace UnitPlace::of(const std::vector<Index>& some) const {
  return {from, to, z1(some, Eigen::all), effect(rows_of_outputs(some, z1.rows(), effect.rows() / z1.rows()), Eigen::all)};
}

Matrix UnitPlace::effects_of(const Vector& values) const {
  return values.replicate(effect.rows() / values.size(), 1).asDiagonal() * effect;
}

std::vector<UnitPlace> unit_places(const JudgedLayers& judged, const Matrix& decorrelation) {
  const Index n = judged.answer.rows(), outputs = judged.outputs(), last = judged.depth() + 1;
  std::vector<UnitPlace> places;
  for (Index to = 1; to <= last; ++to) {
    const Index fed = to == last ? outputs : judged.model.width(to - 1);
    Matrix effect = Matrix::Zero(n * outputs, fed);
    for (Index o = 0; o < outputs; ++o) {
      const Matrix derivative = judged.derivative_by_arguments(to, o);
      for (Index c = 0; c < outputs; ++c) effect.middleRows(c * n, n) += decorrelation(o, c) * derivative;
    }
    for (Index from = 0; from < to; ++from) {
      const Matrix z = whitened(judged.values[static_cast<std::size_t>(from)]);
      if (z.cols() > 0) places.push_back({from, to, with_ones(z), effect});
    }
  }
  return places;
}

FurtherUnit climbed_unit(const UnitPlace& place, const StackedAnswer& answer, FurtherUnit unit, Index steps) {
  const Index width = place.z1.cols(), fed = place.effect.cols();
  SeenEffects now = seen_effects(place, answer, unit.form);
  unit = now.unit;
  for (Index step = 0; step < steps && unit.gain > 0; ++step) {
    // All weights and the form together, by least squares.
    const Vector on = ((place.z1 * unit.form).array() > 0).cast<double>();
    const Vector slope = place.effects_of(on) * unit.weights;
    Matrix moves(place.effect.rows(), fed + width);
    moves.leftCols(fed) = now.whole;
    moves.rightCols(width) = slope.asDiagonal() * place.z1.replicate(answer.outputs, 1);
    const Matrix along = answer.basis.transpose() * moves;
    Matrix gram = moves.transpose() * moves - along.transpose() * along;
    const Vector size = (moves.colwise().squaredNorm().transpose()).cwiseMax(1e-300);
    gram.diagonal() += 1e-3 * size;
    const Vector rest = answer.residual - now.whole * unit.weights;
    const Vector target = moves.transpose() * rest + along.transpose() * (now.along * unit.weights);
    const Vector change = solve_semidefinite(gram, target);
    if (!change.allFinite()) break;
    bool gained = false;
    for (const double share : {1.0, 0.3, 0.1}) {
      const Vector form = normalised_form(unit.form + share * change.tail(width));
      if (form.size() == 0) continue;
      SeenEffects next = seen_effects(place, answer, form);
      if (!(next.unit.gain > unit.gain)) continue;
      unit = next.unit;
      now = std::move(next);
      gained = true;
      break;
    }
    if (!gained) break;
  }
  return unit;
}

std::vector<FurtherUnit> search_place(const UnitPlace& place, const StackedAnswer& answer, Index starts, RandomStream& random,
                                      const Control& control) {
  constexpr Index directions = 100, rounds = 6, steps = 8, some_rows = 2500;
  const Index n = place.z1.rows(), d = place.inputs(), fed = place.effect.cols();
  const Matrix z = place.z1.leftCols(d);
  Matrix pulled(n, fed);  // what the residual says along each of what is fed
  for (Index j = 0; j < fed; ++j) pulled.col(j) = answer.by_sample(place.effect.col(j).cwiseProduct(answer.residual));
  const Matrix W = likely_directions(z, pulled, directions, random);
  const Matrix heights = z * W, sorted = sorted_heights(heights);
  // How much of an effect is beyond the answer, some rows tell.
  const Index functions = answer.basis.cols();
  const auto some = random_rows(n, std::max(some_rows, 4 * functions / answer.outputs), random);
  const StackedAnswer part = answer.of(some);
  const UnitPlace part_of_place = place.of(some);
  const double share = static_cast<double>(n) / static_cast<double>(some.size());
  std::vector<FurtherUnit> candidates;
  for (Index round = 0; round < rounds; ++round) {
    control.check();
    const Vector at = kink_places(sorted, round, random);
    const Matrix units = (heights.rowwise() - at.transpose()).cwiseMax(0);
    const Matrix along = pulled.transpose() * units;
    for (Index j = 0; j < directions; ++j) {
      Vector form(d + 1);
      form << W.col(j), -at[j];
      const Matrix effects = part_of_place.effects_of(units.col(j)(some)), taken = part.basis.transpose() * effects;
      const Matrix all = effects.transpose() * effects;
      candidates.push_back(
          best_weights(share * (all - taken.transpose() * taken), share * all.diagonal().cwiseMax(1e-300), along.col(j), form));
    }
  }
  const auto larger = [](const FurtherUnit& a, const FurtherUnit& b) { return a.gain > b.gain; };
  std::stable_sort(candidates.begin(), candidates.end(), larger);
  candidates.resize(std::min(candidates.size(), static_cast<std::size_t>(starts)));
  for (auto& candidate : candidates) {
    control.check();
    candidate = climbed_unit(place, answer, std::move(candidate), steps);
  }
  std::stable_sort(candidates.begin(), candidates.end(), larger);
  return candidates;
}

std::vector<FurtherCrossFit> one_further_unit(const std::vector<UnitPlace>& places, const StackedAnswer& answer, RandomStream& random,
                                              const Control& control) {
  constexpr Index starts = 4;
  const auto order = random_rows(answer.rows, answer.rows, random);
  const auto middle = order.begin() + answer.rows / 2;
  const std::vector<Index> rows[] = {{order.begin(), middle}, {middle, order.end()}};
  const StackedAnswer half[] = {answer.of(rows[0]), answer.of(rows[1])};
  std::vector<FurtherCrossFit> results;
  for (const UnitPlace& place : places) {
    const UnitPlace part[] = {place.of(rows[0]), place.of(rows[1])};
    FurtherCrossFit result;
    for (const int searched : {0, 1}) {
      const int tested = 1 - searched;
      const auto found = search_place(part[searched], half[searched], starts, random, control);
      if (found.empty()) continue;
      const FurtherUnit& best = found.front();
      const Vector here = orthogonal_to(half[tested].basis, part[tested].effects_of(values_at(part[tested], best.form)) * best.weights);
      const Vector along = half[tested].by_sample(half[tested].residual.cwiseProduct(here));
      if (along.norm() > 0) result.score += along.sum() / along.norm() / std::sqrt(2.0);
      result.found.insert(result.found.end(), found.begin(), found.end());
    }
    results.push_back(std::move(result));
  }
  return results;
}

double many_further_units(const std::vector<UnitPlace>& places, const StackedAnswer& answer, RandomStream& random, const Control& control) {
  constexpr Index flips = 60, each = 120;
  constexpr double work = 4e9;
  const double cost = static_cast<double>(answer.residual.size()) * static_cast<double>(answer.basis.cols() + 20) * each / 8;
  const Index rounds = std::clamp<Index>(static_cast<Index>(work / cost / static_cast<double>(places.size())), 1, 6);
  struct Kinks {
    Matrix directions;
    Vector at;
  };
  std::vector<Kinks> kinks;
  for (const UnitPlace& place : places)
    for (Index round = 0; round < rounds; ++round) {
      const Index units = std::max<Index>(1, each / place.effect.cols());
      Matrix W = random.normal_matrix(place.inputs(), units);
      W.colwise().normalize();
      kinks.push_back({W, kink_places(sorted_heights(place.z1.leftCols(place.inputs()) * W), round, random)});
    }
  const auto features = [&](Index block) {
    const UnitPlace& place = places[static_cast<std::size_t>(block / rounds)];
    const Kinks& of = kinks[static_cast<std::size_t>(block)];
    const Index units = of.at.size(), fed = place.effect.cols();
    const Matrix values = ((place.z1.leftCols(place.inputs()) * of.directions).rowwise() - of.at.transpose()).cwiseMax(0);
    Matrix all(answer.residual.size(), units * fed);
    for (Index j = 0; j < units; ++j) all.middleCols(j * fed, fed) = place.effects_of(values.col(j));
    return all;
  };
  return chance_of_best(answer.residual, answer.basis, static_cast<Index>(kinks.size()), features, flips, random, control);
}

double linear_paths(const std::vector<UnitPlace>& places, const StackedAnswer& answer, RandomStream& random) {
  double least = 1;
  Index count = 0;
  for (const UnitPlace& place : places) {
    if (place.to < place.from + 2) continue;
    const Index fed = place.effect.cols();
    Matrix features(answer.residual.size(), place.inputs() * fed);
    for (Index k = 0; k < place.inputs(); ++k) features.middleCols(k * fed, fed) = place.effects_of(place.z1.col(k));
    const Matrix paths = spanning_basis(beyond(answer.basis, std::move(features)));
    ++count;
    if (paths.cols() > 0) least = std::min(least, not_an_optimum(answer.residual, paths, random));
  }
  return std::min(1.0, least * static_cast<double>(std::max<Index>(1, count)));
}

}  // namespace relucover
