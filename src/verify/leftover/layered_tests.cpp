#include "verify/leftover/layered_tests.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/linear_algebra.hpp"
#include "samples/subsample.hpp"
#include "solve/layered_descent.hpp"
#include "verify/leftover/features.hpp"
#include "verify/leftover/flipped_scores.hpp"
#include "verify/leftover/further_unit.hpp"
#include "verify/leftover/layered_refit.hpp"
#include "verify/leftover/leftover_look.hpp"
#include "verify/leftover/noise_shape.hpp"
#include "verify/leftover/unit_directions.hpp"

namespace relucover {

namespace {

using Shape = std::function<double(double)>;

/// What a unit may compute beside or instead of max(t, 0), t over its spread: leaks, steps, smooth bends of all widths, powers, waves.
std::vector<Shape> other_shapes() {
  std::vector<Shape> shapes = {[](double t) { return std::min(t, 0.0); },
                               [](double t) { return t > 0 ? 1.0 : 0.0; },
                               [](double t) { return t * t; },
                               [](double t) { return t * std::abs(t); },
                               [](double t) { return t * t * t; },
                               [](double t) { return std::pow(std::abs(t), 1.5); },
                               [](double t) { return std::sin(2 * t); },
                               [](double t) { return std::sin(5 * t); },
                               [](double t) { return std::cos(2 * t); }};
  for (const double width : {0.02, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.0}) {
    shapes.push_back([=](double t) { return std::max(0.0, 1 - std::abs(t) / width); });
    shapes.push_back([=](double t) { return width * std::log1p(std::exp(-std::abs(t) / width)); });  // softplus - relu
    shapes.push_back([=](double t) { return std::tanh(t / width); });
    shapes.push_back([=](double t) { return t * std::exp(-t * t / (2 * width * width)); });
    shapes.push_back([=](double t) { return std::max(0.0, t - width); });
    shapes.push_back([=](double t) { return std::max(0.0, -t - width); });
  }
  return shapes;
}

/// Derivative of the outputs by the value of a unit, rows as stacked, outputs decorrelated.
Vector effect_of_unit(const JudgedLayers& judged, const Matrix& decorrelation, Index level, Index unit) {
  const Index n = judged.answer.rows(), outputs = judged.outputs();
  Vector effect = Vector::Zero(n * outputs);
  for (Index o = 0; o < outputs; ++o) {
    const auto& derivative = judged.by_values[static_cast<std::size_t>(level - 1)][static_cast<std::size_t>(o)];
    for (Index c = 0; c < outputs; ++c) effect.segment(c * n, n) += decorrelation(o, c) * derivative.col(unit);
  }
  return effect;
}

/// Of every unit by itself, of all units of a layer alike, and of all there are: the best.
double shapes_of_layers(const JudgedLayers& judged, const Matrix& decorrelation, const StackedAnswer& answer, RandomStream& random,
                        const Control& control) {
  constexpr Index flips = 100;
  const std::vector<Shape> shapes = other_shapes();
  struct Place {
    Index level, unit, column;
  };
  std::vector<Place> units;
  for (Index level = 1; level <= judged.depth(); ++level)
    for (Index unit = 0; unit < judged.model.width(level - 1); ++unit) units.push_back({level, unit, std::ssize(units)});
  const auto of_unit = [&](const Place& place) {
    const Vector effect = effect_of_unit(judged, decorrelation, place.level, place.unit), t = judged.answer.t.col(place.column);
    Matrix features(effect.size(), std::ssize(shapes));
    for (std::size_t s = 0; s < shapes.size(); ++s)
      features.col(static_cast<Index>(s)) = t.unaryExpr(shapes[s]).replicate(judged.outputs(), 1).cwiseProduct(effect);
    return features;
  };
  const auto blocks = [&](Index block) {
    const Index alone = std::ssize(units);
    if (block < alone) return of_unit(units[static_cast<std::size_t>(block)]);
    Matrix sum = Matrix::Zero(answer.residual.size(), std::ssize(shapes));
    for (const Place& place : units)
      if (block == alone || place.level == block - alone) {
        const double spread = std::sqrt(  // as the answer has it: shapes of arguments, not of their ratio to the spread
            (judged.arguments_of(place.level).col(place.unit).array() - judged.arguments_of(place.level).col(place.unit).mean())
                .square()
                .mean());
        sum += spread * of_unit(place);
      }
    return sum;
  };
  return chance_of_best(answer.residual, answer.basis, std::ssize(units) + 1 + judged.depth(), blocks, flips, random, control);
}

/// Over all units: √(χ² at which one is found / rows) over what a further unit beside it would add beyond the answer.
double detection_limit_of_layers(const JudgedLayers& judged, const Matrix& decorrelation, const StackedAnswer& answer,
                                 RandomStream& random) {
  constexpr double shown = 150;
  constexpr Index directions = 40, some_rows = 4000;
  const Index n = answer.rows;
  auto some = random_rows(n, std::max(some_rows, 6 * answer.basis.cols()), random);
  const StackedAnswer part = answer.of(some);
  const auto rows = static_cast<double>(some.size());
  double limit = 0;
  for (Index level = 1; level <= judged.depth(); ++level) {
    const Matrix& below = judged.values[static_cast<std::size_t>(level - 1)];
    const Matrix z = whitened(below(some, Eigen::all));
    if (z.cols() == 0) return std::numeric_limits<double>::infinity();
    Matrix W = random.normal_matrix(z.cols(), directions);
    W.colwise().normalize();
    const Matrix heights = z * W;
    const Vector at = kink_places(sorted_columns(heights), 0, random);
    const Matrix units = (heights.rowwise() - at.transpose()).cwiseMax(0);
    for (Index unit = 0; unit < judged.model.width(level - 1); ++unit) {
      const Vector argument = judged.arguments_of(level).col(unit)(some);
      const double slope = std::sqrt((argument.array() - argument.mean()).square().mean());
      const Vector all = effect_of_unit(judged, decorrelation, level, unit);
      Matrix effects(part.residual.size(), directions);
      for (Index o = 0; o < part.outputs; ++o)
        effects.middleRows(o * part.rows, part.rows) = Vector(all.segment(o * n, n)(some)).asDiagonal() * units;
      const Vector left = orthogonal_to(part.basis, std::move(effects)).colwise().norm();
      const double visible = slope * median_of(left) / std::sqrt(rows);
      limit = std::max(limit, std::sqrt(shown / static_cast<double>(n)) / std::max(visible, 1e-300));
    }
  }
  return limit;
}

std::string place_words(const UnitPlace& place, Index depth) {
  const auto level = [&](Index at) {
    return at == 0 ? std::string("the inputs") : at > depth ? std::string("the outputs") : fmt::format("layer {}", at);
  };
  if (place.to == place.from + 2) return fmt::format("one more unit of layer {}", place.from + 1);
  return fmt::format("a unit between {} and {}", level(place.from), level(place.to));
}

/// Found on one half, tested on the other, at every place.
std::vector<FurtherCrossFit> test_further_units(const JudgedLayers& judged, const std::vector<UnitPlace>& places,
                                                const StackedAnswer& answer, const Control& control, Verdict& verdict) {
  auto found = one_further_unit(places, answer, verdict.random, control);
  std::size_t best = 0;
  for (std::size_t k = 0; k < found.size(); ++k)
    if (found[k].score > found[best].score) best = k;
  if (found.empty()) return found;
  const double chance = std::min(1.0, normal_tail(found[best].score) * static_cast<double>(found.size()));
  verdict.test("one_more_unit", chance,
               fmt::format("{}, found on one half of the samples, explains more on the other ({:.1f} standard deviations)",
                           place_words(places[best], judged.depth()), found[best].score));
  return found;
}

/// A real attempt with one more unit in each layer, all weights free.
void test_refits(const JudgedLayers& judged, const Matrix& decorrelation, const std::vector<UnitPlace>& places,
                 const std::vector<FurtherCrossFit>& found, const StackedAnswer& answer, double level, const Control& control,
                 Verdict& verdict) {
  constexpr double hopeless = 0.6;
  constexpr Index steps = 6, most = 2, starts = 4;
  level /= static_cast<double>(std::max<std::size_t>(1, places.size()));
  double least = 1, before = -1;
  for (std::size_t k = 0; k < places.size(); ++k) {
    const UnitPlace& place = places[k];
    const double freedom = static_cast<double>(place.inputs() + place.effect.cols());
    const auto chance_of = [&](double gain) { return gamma_tail(freedom, 2 * freedom, gain); };
    // A unit of a layer is looked for once more with all samples: halves show what is worth 200, all of them what is worth 100.
    const bool of_a_layer = place.to == place.from + 2;
    const auto larger = [](const FurtherUnit& a, const FurtherUnit& b) { return a.gain > b.gain; };
    std::vector<FurtherUnit> units = found[k].found;
    std::stable_sort(units.begin(), units.end(), larger);
    units.resize(std::min<std::size_t>(units.size(), most));
    for (FurtherUnit& unit : units) unit = climbed_unit(place, answer, unit, steps);
    if (of_a_layer) {
      const auto more = search_place(place, answer, starts, verdict.random, control);
      units.insert(units.end(), more.begin(), more.end());
    }
    std::stable_sort(units.begin(), units.end(), larger);
    units.resize(std::min<std::size_t>(units.size(), most));
    double gain = units.empty() ? 0 : units.front().gain;
    if (of_a_layer && chance_of(gain / hopeless) < level) {
      if (before < 0) before = layered_refit(judged, judged.samples, decorrelation, judged.model, control).squares;
      for (const FurtherUnit& unit : units)
        gain = std::max(
            gain, before - layered_refit(judged, judged.samples, decorrelation, with_further_unit(judged, place, unit), control).squares);
    }
    least = std::min(least, chance_of(gain));
    if (chance_of(gain) < level)
      verdict.refuse(
          fmt::format("with {} the fit is better by {:.0f}, {:.0f} would be chance", place_words(place, judged.depth()), gain, freedom));
    control.check();
  }
  verdict.result.chances["refit_with_one_more"] = least;
}

/// Where labels that a fit follows least pull it off, one that forgives them has others far from it.
void test_forgiving_fit(const JudgedLayers& judged, const LookAtLeftover& look, Verdict& verdict) {
  constexpr double noiseless = 30;  // roundings of the labels
  const Index some = std::max<Index>(4000, 12 * judged.model.parameters());
  auto part = random_rows(judged.answer.rows(), some, verdict.random);
  std::sort(part.begin(), part.end());
  const Matrix forgiving = forgiving_residual(judged, part);
  const Matrix plain = judged.answer.residual(part, Eigen::all), rounding = judged.answer.rounding(part, Eigen::all);
  const Matrix over_noise =
      (plain.array().abs() > 0).select(forgiving.array() * look.studentised(part, Eigen::all).array() / plain.array(), 0.0);
  for (Index o = 0; o < judged.outputs(); ++o)
    if (median_of(forgiving.col(o).cwiseAbs().cwiseQuotient(rounding.col(o).cwiseMax(1e-300))) <= noiseless)
      return verdict.refuse(
          "most labels are explained to rounding and some not: this is no noise, but wrong labels or a unit that few "
          "samples see");
  if (const double tail = tail_weight(over_noise); tail > look.too_heavy)
    verdict.refuse(fmt::format(
        "most labels agree better with an answer that others are far from (tails {:.1f} times as heavy as normal noise): some labels may "
        "be wrong",
        tail));
}

}  // namespace

LeftoverVerdict nothing_left(const JudgedLayers& judged, const LabelGrid& grid, std::uint64_t seed, const Control& control) {
  constexpr double nearly_normal = 1.1, high_limit = 0.15;
  LookAtLeftover look(judged.answer, grid, seed, control);
  Verdict& verdict = look.verdict;
  if (!look.test_rows()) return verdict.result;
  if (look.rounded) verdict.refuse("labels lie on a grid that is coarser than the noise");
  if (verdict.result.tail > heavy_tails)
    verdict.refuse(
        fmt::format("what is left has tails {:.1f} times as heavy as normal noise: for several layers nothing is claimed behind "
                    "such tails",
                    verdict.result.tail));
  if (!look.goes_on() || !look.test_kinks()) return verdict.result;
  const KeptRows& kept = look.kept;
  const StackedAnswer answer = stacked_answer(judged, kept.residual, kept.decorrelation);
  const std::vector<UnitPlace> places = unit_places(judged, kept.decorrelation);
  verdict.test("shapes_of_units", shapes_of_layers(judged, kept.decorrelation, answer, verdict.random, control),
               "the residual goes with another shape of a unit, or of all units of a layer", false_alarms::common);
  verdict.test("linear_paths", linear_paths(places, answer, verdict.random), "there is a linear path around a layer", false_alarms::common);
  if (!look.goes_on() || !look.test_functions({})) return verdict.result;
  verdict.test("many_further_units", many_further_units(places, answer, verdict.random, control),
               "one of many units that were tried, somewhere in the network, explains more");
  if (!look.goes_on()) return verdict.result;
  const auto found = test_further_units(judged, places, answer, control, verdict);
  if (!look.goes_on() || !look.test_wave(1e8)) return verdict.result;
  const Matrix& first = judged.arguments.front();
  if (!look.test_ridges(judged.answer.z.transpose() * first / static_cast<double>(first.rows()))) return verdict.result;
  if (look.test_tails()) test_forgiving_fit(judged, look, verdict);
  verdict.result.detection_limit = detection_limit_of_layers(judged, kept.decorrelation, answer, verdict.random);
  if (!look.goes_on()) return verdict.result;
  if (tail_weight(look.plain) < nearly_normal)  // a likelihood ratio takes noise of one size for granted
    test_refits(judged, kept.decorrelation, places, found, answer,
                verdict.result.detection_limit > high_limit ? false_alarms::refit : false_alarms::refit_of_clear_units, control, verdict);
  look.test_together();
  return verdict.result;
}

}  // namespace relucover
