#include "verify/gate_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "samples/subsample.hpp"
#include "verify/distinct_rows.hpp"

namespace relucover {

Certificate refuse(std::string reason) {
  Certificate certificate;
  certificate.reason = std::move(reason);
  return certificate;
}

double share_of(Index part, Index whole) { return static_cast<double>(part) / static_cast<double>(std::max<Index>(1, whole)); }

Index unknowns_of(const Network& network) {
  const bool affine = !network.skip.isZero(0) || !network.offset.isZero(0);
  return network.units() * (network.inputs() + network.outputs()) + (affine ? network.outputs() * (network.inputs() + 1) : 0);
}

std::optional<std::string> too_few_equations(const SampleSource& samples, const Network& network, const LabelGrid& grid,
                                             const Control& control) {
  constexpr Index least_surplus = 3;
  constexpr double least_bits = 40;
  const Index unknowns = unknowns_of(network), outputs = samples.outputs();
  const double sides =
      std::log2(static_cast<double>(std::max<Index>(2, samples.samples()))) * static_cast<double>(network.units() * (network.inputs() + 1));
  const auto needed_with = [&](double bits) {
    return unknowns + static_cast<Index>(std::min(
                          std::ceil(std::max(static_cast<double>(least_surplus), (least_bits + sides) / std::max(bits, 1e-3))), 1e15));
  };
  // Few different labels carry little each, unless the inputs are as few.
  const auto values = static_cast<Index>(grid.values.size());
  Index distinct = distinct_inputs(samples, std::max(2 * values, needed_with(grid.bits()) / outputs) + 1, control);
  double bits = grid.bits();
  if (values > 0 && 2 * values < distinct) bits = std::min(bits, std::log2(static_cast<double>(values)));
  const Index needed = needed_with(bits);
  if (distinct * outputs < needed) distinct = distinct_inputs(samples, needed / outputs + 1, control);
  if (distinct * outputs >= needed) return std::nullopt;
  return fmt::format(
      "{} distinct input{} with {} label{} each for {} unknowns: {} equations are needed to tell this network from others that fit{}",
      distinct, distinct == 1 ? "" : "s", outputs, outputs == 1 ? "" : "s", unknowns, needed,
      bits < 20 ? fmt::format(" (labels like these carry {:.1f} bits each)", bits) : "");
}

namespace {

double unseen_share(const SampleSource& samples, Index unknowns, const Control& control) {
  constexpr double doubt = 0.01;
  constexpr Index plenty = 2000;  // leave a share of .2%; more are not counted
  const Index determine = (unknowns + samples.outputs() - 1) / samples.outputs();
  const Index further = distinct_inputs(samples, determine + plenty, control) - determine;
  return -std::expm1(std::log(doubt) / static_cast<double>(std::max<Index>(1, further)));
}

}  // namespace

Unseen::Unseen(const SampleSource& samples, Index unknowns, Index units, Index asked_units, const Control& control)
    : share(unseen_share(samples, unknowns, control)) {
  constexpr double most = 0.2, where_units_hide = 0.05, worth_a_word = 0.01;
  const double percent = std::ceil(100 * share);
  if (share > most)
    refused = fmt::format("so few samples leave {:.0f}% of inputs like them untold: a unit may bend there", percent);
  else if (units < asked_units && share > where_units_hide)
    refused = fmt::format("{} of {} units are enough for it: the others may bend on {:.0f}% of inputs, which so few samples do not tell",
                          units, asked_units, percent);
  else if (share > worth_a_word)
    words = fmt::format(" (on {:.0f}% of inputs like them, at most, it can be wrong: so few samples may not show a unit)", percent);
}

MemorySource<double> judged_rows(const SampleSource& source, const Network& network, std::uint64_t seed, const Control& control) {
  const double functions = static_cast<double>((network.units() + 1) * (network.inputs() + 1));
  constexpr double most_values = 1 << 24, most_work = 2e10, more_functions = 400;
  const double affordable =
      std::max({2000.0, 4.5 * functions, std::min(most_values / functions, most_work / (functions * (functions + more_functions)))});
  const auto rows = static_cast<Index>(std::min(affordable, static_cast<double>(source.samples())));
  if (rows == source.samples()) return gather(source, 0, rows, control);
  auto chosen = spread_rows(source.samples(), rows, seed);
  std::sort(chosen.begin(), chosen.end());
  return gather(source, chosen, control);
}

std::optional<std::string> repeated_samples(const Judged& answer) {
  constexpr double most = 0.05;
  const Index all = answer.rows() + answer.repeated;
  if (share_of(answer.repeated, all) <= most) return std::nullopt;
  return fmt::format(
      "{} of {} samples stand elsewhere with the same inputs and labels: either the labels have no noise, or samples were "
      "copied; give each once",
      answer.repeated, all);
}

Vector noise_at_units(const Judged& answer) {
  Vector size = Vector::Zero(answer.rows());
  for (const auto& output : answer.residual.colwise()) size += output.cwiseAbs2() / std::max(output.squaredNorm(), 1e-300);
  size *= static_cast<double>(answer.rows()) / static_cast<double>(std::max<Index>(1, answer.outputs()));
  Vector factors = Vector::Ones(answer.units());
  for (Index i = 0; i < answer.units(); ++i) {
    const Vector on = (answer.t.col(i).array() > 0).cast<double>();
    const bool fewer = 2 * on.sum() < static_cast<double>(answer.rows());
    const Vector side = fewer ? on : Vector(1 - on.array());
    factors[i] = std::sqrt(std::max(1.0, side.dot(size) / std::max(1.0, side.sum())));
  }
  return factors;
}

}  // namespace relucover
