#include "learners/choose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "learners/vector/pure_neuron_start.hpp"
#include "samples/subsample.hpp"
#include "verify/input_diagnostics.hpp"
#include "verify/label_outliers.hpp"
#include "verify/leftover/noise_shape.hpp"

namespace relucover {

namespace {

/// A part of the samples in memory, enough to tell which assumptions hold.
MemorySource<double> looked_at(const SampleSource& source, const LearnOptions& options, const Control& control) {
  constexpr Index most_rows = 20000, most_values = Index{1} << 22;
  const Index rows = std::min({source.samples(), most_rows, most_values / (source.inputs() + source.outputs())});
  return gather(source, spread_runs(source.samples(), std::max<Index>(rows, 1), options.seed), control);
}

/// Labels that no noise of bounded variance would make.
void consider_wrong_labels(const MemorySource<double>& part, std::vector<Choice>& plan) {
  constexpr double deviations = 20;     // from the median: a normal label has 1e-88 to be there
  constexpr double least_share = 2e-4;  // of the entries; fewer may be the tail of the inputs
  const LabelOutliers outliers = label_outliers(part.y(), deviations);
  if (outliers.entries < least_share) return;
  const std::string seen =
      fmt::format("{:.2g}% of the label entries lie more than {:g} deviations off", 100 * outliers.entries, deviations);
  constexpr Index outputs_to_outvote = 4;
  if (part.outputs() >= outputs_to_outvote)
    plan.push_back({"corrupted-labels", fmt::format("{}, and {} outputs can outvote them", seen, part.outputs())});
  plan.push_back({"robust", seen + ": a loss that forgives them"});
}

/// Moments that see the units at once, where inputs and outputs are as these methods need them. Returns how many units they
/// show; 0: they don't apply.
Index consider_moments(const MemorySource<double>& part, const LearnOptions& options, const Control& control, std::vector<Choice>& plan) {
  const double d = static_cast<double>(part.inputs());
  const QuadraticFitOptions regression;
  const double coefficients = 1 + d + d * (d + 1) / 2;
  if (part.outputs() < 2 || coefficients > static_cast<double>(regression.max_coefficients)) return 0;
  if (static_cast<double>(part.samples()) < regression.samples_per_coefficient * coefficients) return 0;
  const InputDiagnostics inputs = diagnose(part, {.projections = 8, .features = 0, .seed = options.seed}, control);
  if (!inputs.symmetric.passed) return 0;
  const QuadraticFit fit = fit_quadratic(part, control);
  const Index rank = units_from_linear_part(fit);
  if (rank == 0 || options.units > std::max(rank, units_from_label_rank(fit))) return 0;
  plan.push_back({"pure-neuron",
                  fmt::format("inputs symmetric about 0 (odd moments within {:.1f} standard deviations, {:.1f} would pass), and "
                              "the linear part of the {} labels has rank {} above the noise: about as many units, if they have no biases",
                              std::abs(inputs.symmetric.worst_z), inputs.symmetric.threshold, part.outputs(), rank)});
  return rank;
}

}  // namespace

std::vector<Choice> choose_methods(const SampleSource& source, const LearnOptions& options, const Control& control) {
  std::vector<Choice> plan{{"prune", "works for any inputs and outputs"}};
  // Labels are called wrong only where no network explains all of them.
  consider_wrong_labels(looked_at(source, options, control), plan);
  return plan;
}

std::vector<Choice> choose_by_moments(const SampleSource& source, const LearnOptions& options, const Control& control) {
  std::vector<Choice> plan;
  const Index shown = consider_moments(looked_at(source, options, control), options, control, plan);
  // Noise may hide how many units there are from a search that must find out, but not from one that knows.
  if (shown > 0 && options.units == 0)
    plan.push_back({"prune", fmt::format("with {} units, the rank of the labels' linear part", shown), shown});
  return plan;
}

std::optional<Choice> choose_after(const Result& tried, Index samples) {
  constexpr Index most_samples = 1 << 20;  // it looks at single samples again and again
  const auto tail = tried.figures.find("residual_tail");
  if (tail == tried.figures.end() || tail->second < heavy_tails || samples > most_samples || std::isfinite(tried.detection_limit))
    return std::nullopt;
  return Choice{"robust",
                fmt::format("what is left has tails {:.1f} times as heavy as normal noise: a loss that forgives them", tail->second)};
}

}  // namespace relucover
