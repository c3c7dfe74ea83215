#include "learners/deep/deep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "learners/best_so_far.hpp"
#include "learners/deep/deep_data.hpp"
#include "learners/deep/deep_search.hpp"
#include "learners/deep/plain_form.hpp"
#include "learners/deep/widths.hpp"
#include "learners/plan.hpp"
#include "learners/registry.hpp"
#include "learners/stage_clock.hpp"
#include "solve/layered_descent.hpp"
#include "verify/gate.hpp"
#include "verify/label_grid.hpp"
#include "verify/network_error.hpp"

namespace relucover {

namespace {

/// Errors of the network on all samples, and on those that were held out.
void measure(const SampleSource& source, const PreparedDeepData& prepared, const LayeredModel& plain, const Control& control,
             Result& result) {
  const NetworkError all = network_error(result.network, source, control);
  result.residual_rms = all.rms;
  result.residual_relative = all.relative;
  const RowMatrix held = prepared.data.held_y - predict(plain, prepared.data.held_x);
  result.holdout_rms = prepared.scaling.label_scale * std::sqrt(held.squaredNorm() / static_cast<double>(std::max<Index>(held.size(), 1)));
  result.figures["largest_error"] = all.max_abs;
}

bool all_known(const std::vector<Index>& widths) {
  return !widths.empty() && std::find(widths.begin(), widths.end(), Index{0}) == widths.end();
}

/// What was found beside what was asked for.
std::string other_widths(const std::vector<Index>& found, const std::vector<Index>& asked) {
  if (!all_known(asked) || asked == found) return "";
  bool wider = false;
  for (std::size_t l = 0; l < std::min(found.size(), asked.size()); ++l) wider = wider || found[l] > asked[l];
  return fmt::format("; layers of {} units {}, {} were asked for", fmt::join(found, ", "),
                     wider ? "explain the samples (units that are linear there count too)" : "are enough", fmt::join(asked, ", "));
}

void judge(const SampleSource& source, const LearnOptions& options, bool noisy, const Control& control, Result& result) {
  const std::vector<Index>& asked = options.layers;
  const StageClock clock("verify");
  control.progress("verify", -1);
  const Index asked_units = all_known(asked) ? std::accumulate(asked.begin(), asked.end(), Index{0}) : 0;
  const Certificate certificate = [&] {
    try {
      return Gate::judge_layers({source, result.network, asked_units, noisy, options.seed}, result.notes, control);
    } catch (const Interrupted&) {
      result.notes.push_back(fmt::format("layers of {} units were found, of relative residual {:.1e}; judging them takes more time",
                                         fmt::join(result.network.widths(), ", "), result.residual_relative));
      throw;
    }
  }();
  for (const auto& [name, value] : certificate.figures) result.figures[name] = value;
  if (!certificate.unit_errors.empty()) result.series["unit_errors"] = certificate.unit_errors;
  result.status = certificate.status;
  result.detection_limit = certificate.given() ? certificate.detection_limit : std::numeric_limits<double>::quiet_NaN();
  result.message =
      (certificate.given() ? certificate.reason : "not certified: " + certificate.reason) + other_widths(result.network.widths(), asked);
  clock.file(result, 1, result.residual_relative * result.residual_relative);
}

/// Widths that are given but more than the samples could ever tell.
std::optional<std::string> too_many_unknowns(const SampleSource& source, const std::vector<Index>& layers) {
  if (!all_known(layers)) return std::nullopt;
  const double equations = static_cast<double>(source.samples()) * static_cast<double>(source.outputs());
  const double unknowns = least_unknowns(source.inputs(), layers, source.outputs());
  if (unknowns < equations) return std::nullopt;
  return fmt::format("{} samples with {} label{} each for {:.0f} unknowns: take more samples, or fewer units", source.samples(),
                     source.outputs(), source.outputs() == 1 ? "" : "s", unknowns);
}

/// A little better than it is, without asking whether the time is over: small models only.
LayeredModel improved(LayeredModel plain, const MemorySource<double>& samples) {
  constexpr double most_operations = 1e9;
  const double parameters = static_cast<double>(plain.parameters());
  const double steps = most_operations / (static_cast<double>(samples.samples() * samples.outputs()) * parameters * parameters);
  return descend(std::move(plain), samples, {.most_steps = static_cast<Index>(std::min(steps, 20.0))}, Control(1)).model;
}

/// The nearest network of plain units: what there is of a search that has not ended, or not found one, with this relative cost.
std::optional<Network> plain_network(const LayeredModel& sign_free, double cost, const PreparedDeepData& prepared) {
  constexpr Index enough = 5000;
  const Index rows = std::min(prepared.data.samples(), enough);
  for (const Index width : sign_free.widths())
    if (width == 0) return std::nullopt;
  const MemorySource<double> some(prepared.data.x.topRows(rows), prepared.data.y.topRows(rows), "some");
  std::optional<LayeredModel> best;
  double least = 0;
  for (const double tolerance : {1e-6, 30 * std::sqrt(cost)}) {  // as of exact fits, and as through noise
    LayeredModel plain = improved(plain_form(sign_free, some.x(), some.y(), tolerance).model, some);
    const double left = mean_cost(plain, some, Control(1));
    if (best && !(left < least)) continue;
    best = std::move(plain);
    least = left;
  }
  return prepared.scaling.unscaled(*best);
}

/// Widths that were found by shrinking a wider model may have units to spare, which a search for these widths does without. None: nothing
/// that is certified.
std::optional<Result> with_these_widths(const SampleSource& source, const PreparedDeepData& prepared, const std::vector<Index>& widths,
                                        const LearnOptions& options, const Control& control, Result result) {
  LearnOptions known = options;
  known.layers = widths;
  known.any_depth = false;
  known.starts = 1;
  try {
    const StageClock searching("search these widths");
    const DeepSearchOutcome found = search_for_widths(prepared.data, known, control);
    searching.file(result, found.rounds, found.cost);
    if (!found.found || found.plain.widths().empty()) return std::nullopt;
    result.network = prepared.scaling.unscaled(found.plain);
    judge_deep(source, prepared, found, options, control, result);
  } catch (const Interrupted&) {  // the first answer is there
    return std::nullopt;
  }
  return result.certified() ? std::optional(std::move(result)) : std::nullopt;
}

}  // namespace

double least_unknowns(Index inputs, const std::vector<Index>& layers, Index outputs) {
  double unknowns = 0, below = static_cast<double>(inputs);
  for (const Index width : layers) {
    const double units = static_cast<double>(std::max<Index>(width, 1));
    unknowns += units * below;  // rows and biases, without the scale of each unit
    below = units;
  }
  return unknowns + static_cast<double>(outputs) * (below + 1);
}

std::string nothing_found(const DeepSearchOutcome& found, const std::string& what) {
  const std::string layers = fmt::format("{}", fmt::join(found.asked, ", "));
  if (found.explained())
    return fmt::format(
        "{} are explained, but by no plain network with layers of {} units: fewer layers, or other widths, may be enough "
        "(layers auto)",
        what, layers);
  return fmt::format("no network with layers of {} units was found that fits {}: relative squared residual {:.1e}", layers, what,
                     found.cost);
}

double deep_label_rounding(const SampleSource& source, const Control& control) {
  const LabelGrid grid = label_grid(source, control);
  constexpr double single_roundings = 8;
  return grid.float32 && !grid.rounded() ? single_roundings * grid.rounding() : 0;
}

void judge_deep(const SampleSource& source, const PreparedDeepData& prepared, const DeepSearchOutcome& found, const LearnOptions& options,
                const Control& control, Result& result) {
  measure(source, prepared, found.plain, control, result);
  judge(source, options, found.noisy, control, result);
  if (!found.noisy || result.status == Status::exact) return;
  result.noise_estimate = result.residual_rms;
  result.message += fmt::format("; layers of {} units fit the labels to noise of {:.1e} of their spread",
                                fmt::join(result.network.widths(), ", "), result.residual_relative);
}

void learn_deep(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result) {
  if (auto problem = too_many_unknowns(source, options.layers)) return fail(result, Status::assumption_failed, std::move(*problem));
  const StageClock preparing("prepare");
  const double rounding = deep_label_rounding(source, control);
  const PreparedDeepData prepared = prepare_deep_data(source, rounding, control);
  preparing.file(result, 1, 1);

  const StageClock searching("search layers");
  std::optional<LayeredModel> best;
  double best_cost = 1;
  const auto keep_best = [&] {
    const bool asked_for = !(setting(options, unasked_setting, 0) > 0);  // else another method's answer is there
    if (!best || !asked_for) return;
    if (auto network = plain_network(*best, best_cost, prepared)) keep_as_best_so_far(source, std::move(*network), result);
  };
  const DeepSearchOutcome found = [&] {
    try {
      return search_for_widths(prepared.data, options, control, {}, [&](const LayeredModel& sign_free, double cost) {
        if (!(cost < best_cost)) return;
        best = sign_free;
        best_cost = cost;
      });
    } catch (const Interrupted&) {
      keep_best();
      searching.file(result, 0, result.network.inputs() > 0 ? result.residual_relative * result.residual_relative : 1);
      throw;
    }
  }();
  searching.file(result, found.rounds, found.cost);
  result.figures["starts"] = static_cast<double>(found.starts);
  result.series["search_history"] = found.history;
  if (found.asked.empty()) {
    result.status = Status::assumption_failed;
    result.message = fmt::format("{} samples are too few for several layers of four units", source.samples());
    return;
  }
  if (!found.found) {
    keep_best();
    result.status = Status::budget_exhausted;
    result.message = nothing_found(found, fmt::format("{} samples", source.samples()));
    if (!found.explained())
      result.message += fmt::format(" after {} start{}. Are there enough layers and units? Another seed may find it where labels are noisy",
                                    found.starts, found.starts == 1 ? "" : "s");
    if (setting(options, unasked_setting, 0) > 0)
      result.message += fmt::format("{} This was a short look: --layers auto looks longer", found.explained() ? "." : "");
    return;
  }
  const std::vector<Index> widths = found.plain.widths();
  if (widths.empty() || std::find(widths.begin(), widths.end(), Index{0}) != widths.end()) {
    result.status = Status::assumption_failed;
    result.message =
        "a layer without units is enough for these samples: there is no deep network to be seen (--units looks for one hidden layer)";
    return;
  }
  const Result before = result;
  result.network = prepared.scaling.unscaled(found.plain);
  judge_deep(source, prepared, found, options, control, result);
  if (result.certified() || !found.fewest || found.noisy) return;
  if (auto second = with_these_widths(source, prepared, widths, options, control, before)) result = std::move(*second);
}

std::vector<Learner> deep_learners() {
  return {{{"deep",
            "all hidden layers of a deep ReLU network (layers, depth), labels with or without noise: any inputs, any outputs",
            {{"wide", "units at the start for each unit asked for (1.5)"},
             {"batch", "samples in a batch for each parameter of the search (6)"},
             {"rounds", "times that units are added where a start is stuck, and one (5)"}}},
           learn_deep}};
}

}  // namespace relucover
