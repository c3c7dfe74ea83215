#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "learners/vector/learners.hpp"
#include "learners/vector/pure_neuron_start.hpp"
#include "verify/input_diagnostics.hpp"

namespace relucover {

namespace {

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

std::vector<Choice> choose_by_moments(const SampleSource& source, const LearnOptions& options, const Control& control) {
  std::vector<Choice> plan;
  const Index shown = consider_moments(looked_at(source, options, control), options, control, plan);
  // Noise may hide how many units there are from a search that must find out, but not from one that knows.
  if (shown > 0 && options.units == 0)
    plan.push_back({"prune", fmt::format("with {} units, the rank of the labels' linear part", shown), shown});
  return plan;
}

}  // namespace relucover
