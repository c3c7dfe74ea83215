// y = A relu(W x), inputs symmetric about 0, at least as many outputs as units: GKLW, by regression moments and as
// printed.
#include <fmt/format.h>

#include "learners/stage_clock.hpp"
#include "learners/vector/conclude.hpp"
#include "learners/vector/exact_step.hpp"
#include "learners/vector/methods.hpp"
#include "learners/vector/output_fit.hpp"
#include "moments/distinguishing.hpp"

namespace relucover {

namespace {

struct FittedStart {
  Network network;
  double residual = std::numeric_limits<double>::infinity();
  std::string problem;
};

// Below this relative squared residual no other start can do better.
constexpr double good_enough = 1e-20;

void keep_better(const SampleSource& source, const Network& network, const Control& control, FittedStart& best) {
  const Network fitted = with_fitted_outputs(source, network, control);
  if (!fitted.A.allFinite()) return;
  const double residual = relative_residual(source, fitted, control);
  if (residual < best.residual) best = {fitted, residual, {}};
}

/// One start by the detector, and the exact step from it; whichever explains the labels better.
void try_detector(const SampleSource& source, const QuadraticFit& fit, Index units, DetectorRows rows, const LearnOptions& options,
                  const Control& control, FittedStart& best, Result& result) {
  const StageClock clock(rows == DetectorRows::samples ? "pure neurons" : "pure neurons, noise corrected");
  const PureNeuronStart start = pure_neuron_start(source, fit, units, rows, options.seed, control);
  result.series["detector_spectrum"] = {start.detector_spectrum.begin(), start.detector_spectrum.end()};
  result.figures["worst_rank_one_residual"] = start.worst_rank_one_residual;
  if (!start.problem.empty()) {
    if (best.network.units() == 0) best.problem = start.problem;
    return;
  }
  keep_better(source, start.network, control, best);
  clock.file(result, 1, best.residual);
  const StageClock exact_clock("exact step");
  const ExactStep step = exact_step(source, start.compress, start.network.W, control);
  Network exact = start.network;
  exact.W = step.W;
  if (exact.W.allFinite()) keep_better(source, exact, control, best);
  exact_clock.file(result, step.iterations, best.residual);
}

/// Numbers of units to try: as asked, or the labels' rank (right without noise) and that of their linear part.
std::vector<Index> numbers_of_units(const QuadraticFit& fit, Index linear_rank, const LearnOptions& options) {
  if (options.units > 0) return {options.units};
  std::vector<Index> numbers;
  const Index label_rank = units_from_label_rank(fit);
  if (label_rank > linear_rank && label_rank <= fit.linear.cols()) numbers.push_back(label_rank);
  numbers.push_back(linear_rank);
  return numbers;
}

std::string rank_problem(Index rank, Index units) {
  return fmt::format(
      "A W has rank {} above the noise, {} units need rank {}: A or W is rank-deficient, or there are fewer "
      "outputs than units",
      rank, units, units);
}

FittedStart best_start(const SampleSource& source, const QuadraticFit& fit, const std::vector<Index>& numbers, const LearnOptions& options,
                       const Control& control, Result& result) {
  FittedStart best;
  for (const Index units : numbers) {
    try_detector(source, fit, units, DetectorRows::samples, options, control, best, result);
    if (best.residual <= good_enough) return best;
  }
  try_detector(source, fit, numbers.back(), DetectorRows::moments, options, control, best, result);
  return best;
}

}  // namespace

void learn_pure_neurons(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result) {
  const QuadraticFit fit = fit_quadratic(source, control);
  const Index linear_rank = units_from_linear_part(fit), label_rank = units_from_label_rank(fit);
  if (linear_rank == 0)
    return fail_assumption(result, "the labels have no linear part above the noise: A W is zero, or the inputs are not symmetric about 0");
  if (options.units > std::max(linear_rank, label_rank)) return fail_assumption(result, rank_problem(linear_rank, options.units));

  const FittedStart best = best_start(source, fit, numbers_of_units(fit, linear_rank, options), options, control, result);
  if (best.network.units() == 0) return fail_assumption(result, best.problem);
  conclude(source, best.network, InputAssumption::symmetric, options, control, result);
  if (!result.network.W.size()) return;
  const Distinguishing known = distinguishing(source, result.network.W, control);
  result.figures["distinguishing_least"] = known.least();
  result.figures["augmented_distinguishing_least"] = known.least_augmented();
  result.notes.insert(result.notes.end(), known.findings.begin(), known.findings.end());
  if (result.certified()) return;
  if (options.units > linear_rank) return fail_assumption(result, rank_problem(linear_rank, options.units) + "; " + result.message);
  if (!known.findings.empty() && result.status == Status::approximate)
    fail_assumption(result, known.findings.front() + "; " + result.message);
}

namespace {

void learn_as_printed(const SampleSource& source, const LearnOptions& options, const Control& control, const PrintedPureNeuron& variant,
                      Result& result) {
  Index units = options.units;
  if (units == 0) units = variant.compress_outputs ? units_from_linear_part(fit_quadratic(source, control)) : source.outputs();
  const StageClock clock("as printed");
  const PureNeuronStart start = printed_pure_neuron(source, units, variant, options.seed, control);
  result.series["detector_spectrum"] = {start.detector_spectrum.begin(), start.detector_spectrum.end()};
  if (!start.problem.empty()) {
    fail_assumption(result, start.problem);
    return;
  }
  if (!start.network.W.allFinite() || !start.network.A.allFinite()) {
    result.message = "the pure neurons found are linearly dependent";
    return;
  }
  const double residual = relative_residual(source, start.network, control);
  clock.file(result, 1, residual);
  result.figures["residual_before_finish"] = residual;
  conclude(source, start.network, InputAssumption::symmetric, options, control, result);
}

}  // namespace

void learn_pure_neurons_printed(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result) {
  learn_as_printed(source, options, control, {}, result);
}
void learn_pure_neurons_noise(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result) {
  learn_as_printed(source, options, control, {.noise_correction = true, .split_samples = true}, result);
}
void learn_pure_neurons_wide(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result) {
  learn_as_printed(source, options, control, {.noise_correction = true, .split_samples = true, .compress_outputs = true}, result);
}
void learn_pure_neurons_als(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result) {
  learn_as_printed(source, options, control, {.noise_correction = true, .alternating = true}, result);
}

void learn_single_neurons(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result) {
  Network network(source.inputs(), source.outputs(), source.outputs());
  if (options.units > 0 && options.units != source.outputs()) {
    fail_assumption(result, fmt::format("one unit per output: {} outputs, {} units were asked for", source.outputs(), options.units));
    return;
  }
  network.W = single_neurons(source, control, 0, source.samples());
  network.A.setIdentity();
  conclude(source, network, InputAssumption::symmetric, options, control, result);
}

}  // namespace relucover
