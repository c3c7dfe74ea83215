// The gate for several hidden layers of ReLUs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "samples/subsample.hpp"
#include "verify/deep_certificate.hpp"
#include "verify/gate.hpp"
#include "verify/gate_parts.hpp"
#include "verify/layered_trials.hpp"
#include "verify/layered_uncertainty.hpp"
#include "verify/leftover/features.hpp"
#include "verify/leftover/layered_tests.hpp"
#include "verify/leftover/noise_shape.hpp"
#include "verify/weight_places.hpp"

namespace relucover {

namespace {

/// Rows for tests whose matrices have a column for each parameter and output: a part of the samples where all would not fit.
MemorySource<double> affordable_rows(const ClaimedLayers& claimed, Index parameters, const Control& control) {
  constexpr double most_values = 1 << 25;
  const Index all = claimed.samples.samples(), outputs = claimed.samples.outputs();
  const auto rows = std::min(all, static_cast<Index>(most_values / static_cast<double>(parameters * outputs * outputs)));
  auto chosen = spread_rows(all, rows, claimed.seed);
  std::sort(chosen.begin(), chosen.end());
  return gather(claimed.samples, chosen, control);
}

/// The least share of samples on one side of a unit; and on which two units of a layer differ, or agree.
double least_side(const JudgedLayers& judged) {
  double least = 0.5;
  for (const Matrix& layer : judged.arguments) {
    const Matrix sides = (layer.array() > 0).cast<double>() * 2 - 1;
    const double n = static_cast<double>(sides.rows());
    const Matrix together = sides.transpose() * sides / n;
    for (Index i = 0; i < sides.cols(); ++i) {
      least = std::min(least, (1 - std::abs(sides.col(i).mean())) / 2);
      for (Index j = 0; j < i; ++j) least = std::min(least, (1 - std::abs(together(i, j))) / 2);
    }
  }
  return least;
}

std::string words_of_unit(const LayeredModel& model, Index unit) {
  Index layer = 0;
  while (unit >= model.width(layer)) unit -= model.width(layer++);
  return unit_of_layer(layer, unit);
}

}  // namespace

Certificate Gate::judge_layers(const ClaimedLayers& claimed, std::vector<std::string>& uncertain, const Control& control) {
  const SampleSource& samples = claimed.samples;
  const LabelGrid grid = label_grid(samples, control);
  const DeepCertificate found = certify_deep(samples, claimed.network, grid, control);
  uncertain.insert(uncertain.end(), found.uncertain.begin(), found.uncertain.end());
  if (claimed.noisy && !found.fits)
    return found.uncertain.empty() ? recovered_layers(claimed, grid, control) : refuse(found.uncertain.front());
  const Unseen unseen = found.given ? Unseen(samples, found.unknowns, claimed.network.all_units(), claimed.asked_units, control) : Unseen();
  const bool given = found.given && unseen.refused.empty();
  Certificate certificate = given ? certain(Status::exact, found.reason + unseen.words)
                                  : refuse(found.given ? "the function is exact on the data, but " + unseen.refused : found.reason);
  certificate.figures = {{"least_eigenvalue", found.least_eigenvalue}, {"samples_wrong", static_cast<double>(found.wrong)}};
  if (given) certificate.figures["unseen_share"] = unseen.share;
  if (found.rounding > 0) certificate.figures["rounding"] = found.rounding;
  return certificate;
}

Certificate Gate::recovered_layers(const ClaimedLayers& claimed, const LabelGrid& grid, const Control& control) {
  using namespace noisy_claims;
  constexpr Index equations_per_unknown_of_layers = 60, most_parameters = 600;
  constexpr double well_seen = 0.02, most_leverage = 0.5;
  Certificate certificate;
  const auto refused = [&](std::string why) {
    certificate.reason = std::move(why);
    return certificate;
  };
  const LayeredModel plain = plain_model(claimed.network);
  const Index unknowns = plain.parameters() - plain.units();
  if (plain.parameters() * plain.outputs() > most_parameters)
    return refused(fmt::format("{} weights and {} outputs are too many to judge with noisy labels", plain.parameters(), plain.outputs()));
  const JudgedLayers judged = judged_layers(affordable_rows(claimed, plain.parameters(), control), claimed.network, grid);
  const Judged& answer = judged.answer;
  if (answer.rows() * answer.outputs() < equations_per_unknown_of_layers * unknowns)
    return refused(fmt::format("{} distinct samples are too few to judge {} unknowns of several layers with noisy labels: {} would do",
                               answer.rows(), unknowns, equations_per_unknown_of_layers * unknowns / answer.outputs()));
  certificate.figures["residual_tail"] = tail_weight(answer.residual);
  if (const auto problem = repeated_samples(answer)) return refused(*problem);
  const double side = least_side(judged);
  certificate.figures["least_sign_difference"] = side;
  if (side < well_seen)
    return refused(fmt::format("{:.1f}% of the samples lie on one side of a unit, or between two of a layer: with noise {:.0f}% are needed",
                               100 * side, 100 * well_seen));
  const LayeredUncertainty known = layered_uncertainty(judged, claimed.seed, control);
  if (!known.determined) return refused("some weights are not determined by the data");
  const Vector errors = known.all_errors();
  certificate.unit_errors.assign(known.unit_error.begin(), known.unit_error.end());
  Index worst = 0;
  certificate.figures["largest_relative_unit_error"] = errors.maxCoeff(&worst);
  certificate.figures["chance_halves"] = known.halves_chance;
  if (!(errors[worst] < largest_unit_error))
    return refused(fmt::format("{} is known only to {:.0f}% of its size", words_of_unit(plain, worst), 100 * errors[worst]));
  if (known.halves_chance < false_alarms::each)
    return refused(fmt::format("the two halves of the samples have different answers (chance {:.1e})", known.halves_chance));
  if (const double leverage = leverage_of(spanning_basis(answer.tangent)).maxCoeff(); leverage > most_leverage)
    return refused("a sample determines a piece of the answer that hardly any other could contradict");
  const LeftoverVerdict left = nothing_left(judged, grid, claimed.seed, control);
  for (const auto& [name, chance] : left.chances) certificate.figures["chance_" + name] = chance;
  certificate.figures["residual_tail"] = left.tail;
  if (!left.refusal.empty()) {
    certificate.something_left = true;
    return refused(left.refusal);
  }
  certificate.detection_limit = left.detection_limit;
  if (!(left.detection_limit < largest_limit))
    return refused(
        fmt::format("a further unit of {:.2g} times the smallest one found could hide in the noise; about {:.2g} samples would show it",
                    left.detection_limit, 1.1 * std::pow(left.detection_limit / largest_limit, 2) * static_cast<double>(answer.rows())));
  if (const auto other = other_network(judged, claimed.seed, control)) return refused(*other);
  Certificate given = certain(
      Status::recovered,
      fmt::format("nothing is left that noise would not leave, no unit of a layer can go or be turned around, and a further unit of {:.2g} "
                  "times the smallest one, in any layer, would have shown",
                  left.detection_limit));
  given.figures = std::move(certificate.figures);
  given.unit_errors = std::move(certificate.unit_errors);
  given.detection_limit = certificate.detection_limit;
  return given;
}

}  // namespace relucover
