// Gaussian inputs, and any inputs: BJW.
#include <fmt/format.h>

#include <optional>

#include "learners/finish/finish.hpp"
#include "learners/prune/robust.hpp"
#include "learners/stage_clock.hpp"
#include "learners/vector/arbitrary_inputs.hpp"
#include "learners/vector/conclude.hpp"
#include "learners/vector/direction_net.hpp"
#include "learners/vector/exact_step.hpp"
#include "learners/vector/higher_order_tensor.hpp"
#include "learners/vector/independent_components.hpp"
#include "learners/vector/methods.hpp"
#include "learners/vector/order_two_tensor.hpp"
#include "learners/vector/output_fit.hpp"
#include "learners/vector/proportional_labels.hpp"
#include "learners/vector/sign_recovery.hpp"
#include "samples/subsample.hpp"
#include "verify/label_outliers.hpp"

namespace relucover {

namespace {

Index units_or(const LearnOptions& options, Index shown) { return options.units > 0 ? options.units : shown; }

/// Files the start's residual and finishes from it.
void conclude_from(const SampleSource& source, const Network& start, const StageClock& clock, InputAssumption assumption,
                   const LearnOptions& options, const Control& control, Result& result) {
  const Network fitted = with_fitted_outputs(source, start, control);
  clock.file(result, 1, relative_residual(source, fitted, control));
  conclude(source, fitted, assumption, options, control, result);
}

}  // namespace

void learn_order_two_tensor(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result) {
  const StageClock clock("order-2 tensor");
  const QuadraticFit fit = fit_quadratic(source, control);
  const Index units = units_or(options, units_from_quadratic_part(fit));
  if (units == 0) {
    fail_assumption(result, "the labels have no quadratic part above the noise, or too few samples to see one");
    return;
  }
  TensorStart best;
  double least = std::numeric_limits<double>::infinity();
  for (const bool biases : {true, false}) {
    const TensorStart start = order_two_start(fit, units, control, {.biases = biases, .seed = options.seed});
    if (!start.problem.empty()) {
      fail_assumption(result, start.problem);
      return;
    }
    const double residual = relative_residual(source, with_fitted_outputs(source, start.network, control), control);
    if (residual < least) {
      least = residual;
      best = start;
    }
  }
  result.series["slice_spectrum"] = {best.slice_spectrum.begin(), best.slice_spectrum.end()};
  result.figures["tensor_residual"] = best.tensor_residual;
  conclude_from(source, best.network, clock, InputAssumption::gaussian, options, control, result);
}

namespace {

void learn_from_directions(const SampleSource& source, const HigherOrderStart& start, const StageClock& clock, const LearnOptions& options,
                           const Control& control, Result& result) {
  result.figures["tensor_norm"] = start.norm;
  result.figures["tensor_noise"] = start.noise;
  if (!start.problem.empty()) {
    fail_assumption(result, start.problem);
    return;
  }
  Network network(source.inputs(), start.directions.rows(), source.outputs());
  const ProjectedSigns signs = signs_by_projection(source, start.directions, control);
  network.W = signs.signs.asDiagonal() * start.directions;
  result.figures["least_sign_margin"] = signs.margins.minCoeff();
  conclude_from(source, network, clock, InputAssumption::gaussian, options, control, result);
}

}  // namespace

void learn_order_three_tensor(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result) {
  const StageClock clock("order-3 tensor");
  const Index units = units_or(options, std::min(source.inputs(), source.outputs()));
  learn_from_directions(source, order_three_directions(source, units, options.seed, control), clock, options, control, result);
}

void learn_order_four_tensor(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result) {
  const StageClock clock("order-4 tensor");
  Index units = options.units;
  if (units == 0) units = std::max<Index>(1, units_from_quadratic_part(fit_quadratic(source, control)));
  learn_from_directions(source, order_four_directions(source, units, options.seed, control), clock, options, control, result);
}

void learn_independent_components(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result) {
  const StageClock clock("independent components");
  const Index units = units_or(options, units_from_linear_part(fit_quadratic(source, control)));
  const IndependentStart start = independent_component_start(source, units, options.seed, control);
  result.figures["off_diagonal"] = start.off_diagonal;
  if (!start.problem.empty()) {
    fail_assumption(result, start.problem);
    return;
  }
  if (wants_own_answer(options)) return conclude_from(source, start.network, clock, InputAssumption::gaussian, options, control, result);
  Network exact = start.network;
  exact.W = exact_step(source, start.sketch, start.network.W, control).W;
  const Network first = with_fitted_outputs(source, start.network, control), second = with_fitted_outputs(source, exact, control);
  const bool stepped = relative_residual(source, second, control) < relative_residual(source, first, control);
  conclude_from(source, stepped ? second : first, clock, InputAssumption::gaussian, options, control, result);
}

void learn_proportional_labels(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result) {
  const StageClock clock("groups of proportional labels");
  const ProportionalLabels start = proportional_labels_start(source, options.units, control);
  if (!start.problem.empty()) {
    fail_assumption(result, start.problem);
    return;
  }
  conclude_from(source, start.network, clock, InputAssumption::none, options, control, result);
}

namespace {

void learn_by_cells(const SampleSource& source, const LearnOptions& options, const Control& control,
                    CellSearch (*search)(const SampleSource&, Index, const Control&, const CellOptions&), Result& result) {
  const StageClock clock("cells");
  CellOptions cells;
  cells.seed = options.seed;
  const CellSearch found = search(source, options.units, control, cells);
  result.figures["cells"] = static_cast<double>(found.cells);
  result.figures["linear_programs"] = static_cast<double>(found.programs);
  if (!found.problem.empty()) {
    fail_assumption(result, found.problem);
    if (found.out_of_budget) result.status = Status::budget_exhausted;
    return;
  }
  conclude_from(source, found.network, clock, InputAssumption::none, options, control, result);
}

}  // namespace

void learn_cells(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result) {
  learn_by_cells(source, options, control, search_cells, result);
}
void learn_cells_by_linear_programs(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result) {
  learn_by_cells(source, options, control, search_cells_by_linear_programs, result);
}

namespace {

/// Directions up to sign from the order-2 tensor, and the labels compressed to as many values as units: where BJW Algorithm 5
/// begins.
struct SignProblem {
  Matrix compress, directions;
};

std::optional<SignProblem> sign_problem(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result) {
  const StageClock clock("order-2 tensor");
  const QuadraticFit fit = fit_quadratic(source, control);
  const Index units = units_or(options, std::min(units_from_quadratic_part(fit), source.outputs()));
  if (units < 1 || units > source.outputs()) {
    fail_assumption(result, fmt::format("signs by zero conditions need at least as many outputs as units: {} units, {} outputs", units,
                                        source.outputs()));
    return std::nullopt;
  }
  const TensorStart start = order_two_start(fit, units, control, {.biases = false, .seed = options.seed});
  if (!start.problem.empty()) {
    fail_assumption(result, start.problem);
    return std::nullopt;
  }
  clock.file(result, 1, start.tensor_residual);
  return SignProblem{compression(fit, units), start.network.W.rowwise().normalized()};
}

}  // namespace

void learn_dead_band(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result) {
  const auto problem = sign_problem(source, options, control, result);
  if (!problem) return;
  const StageClock clock("dead band");
  const DeadBandRecovery found =
      recover_with_dead_band(source, problem->compress, problem->directions, control, {.error = setting(options, "error", 0.1)});
  result.figures["worst_zero_ratio"] = found.ratios.maxCoeff();
  Network network(source.inputs(), found.W.rows(), source.outputs());
  network.W = found.W;
  conclude_from(source, network, clock, InputAssumption::gaussian, options, control, result);
}

void learn_dead_band_printed(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result) {
  const auto problem = sign_problem(source, options, control, result);
  if (!problem) return;
  const StageClock clock("one-sided threshold");
  Network network(source.inputs(), problem->directions.rows(), source.outputs());
  network.W = recover_one_sided(source, problem->compress, problem->directions, setting(options, "tau", 0),
                                setting(options, "tolerance", 1e-7), control);
  const Index failed = (network.W.rowwise().norm().array() == 0).count();
  result.figures["rows_failed"] = static_cast<double>(failed);
  if (failed > 0)
    return fail_assumption(
        result,
        fmt::format("for {} of {} units no sign, or both, make the one-sided linear system feasible (BJW Algorithm 5, step 4: FAIL); "
                    "`dead-band` does not need exact directions",
                    failed, network.units()));
  conclude_from(source, network, clock, InputAssumption::gaussian, options, control, result);
}

void learn_direction_net(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result) {
  const StageClock clock("net of directions");
  DirectionNet start;
  if (options.units > 0) {
    start = direction_net_start(source, options.units, control);
  } else {  // two, unless the labels have one output or the second direction explains nothing
    start = direction_net_start(source, 2, control);
    const DirectionNet one = direction_net_start(source, 1, control);
    if (!start.problem.empty() || start.explained < 1.02 * one.explained) start = one;
  }
  if (!start.problem.empty()) {
    fail_assumption(result, start.problem);
    return;
  }
  constexpr double gross = 20;  // deviations
  const MemorySource<double> data = gather(source, 0, source.samples(), control);
  if (wants_own_answer(options) || label_outliers(data.y(), gross).entries == 0)
    return conclude_from(source, start.network, clock, InputAssumption::gaussian, options, control, result);
  clock.file(result, 1, relative_residual(source, start.network, control));
  result.notes.push_back("the noise has heavy tails: a loss that forgives finishes from the net's units");
  finish_robustly(data, sign_free(start.network), options, control, result);
}

}  // namespace relucover
