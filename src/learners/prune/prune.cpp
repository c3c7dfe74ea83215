#include "learners/prune/prune.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "learners/best_so_far.hpp"
#include "learners/finish/finish.hpp"
#include "learners/plan.hpp"
#include "learners/prune/large_search.hpp"
#include "learners/prune/residual_search.hpp"
#include "learners/registry.hpp"
#include "learners/stage_clock.hpp"

namespace relucover {

namespace {

/// Most units whose over-parameterised search the samples can still determine.
Index affordable_units(const SampleSource& source) {
  const Index equations = source.samples() * source.outputs();
  const Index per_unit = source.inputs() + source.outputs();
  return std::clamp<Index>(equations * 9 / 10 / std::max<Index>(1, per_unit) - source.inputs() / std::max<Index>(1, per_unit), 1, 512);
}

/// With twice as many inputs as units or more, search where the labels are curved first: the rest of the space only adds unknowns.
bool subspace_helps(Index inputs, Index units) { return units > 0 && inputs >= 16 && inputs >= 2 * units; }

/// More than this in memory, and the samples are visited where they lie.
constexpr Index values_in_memory = Index{1} << 25;

bool too_large_to_copy(const SampleSource& source, Index wide) {
  const Index rows = std::min(source.samples(), samples_wanted(source, source.inputs(), wide, many_per_unknown));
  return rows * (source.inputs() + source.outputs()) > values_in_memory;
}

/// Of labels far from zero, in squares of their spread: no fit comes closer.
double rounding_cost(const Scaling& scaling) {
  constexpr double roundings = 4, most = 1e-12;
  const double share = std::numeric_limits<double>::epsilon() * scaling.centre.cwiseQuotient(scaling.outputs).lpNorm<Eigen::Infinity>();
  return std::min(most, std::pow(roundings * share, 2));
}

/// One start on few samples, which is nearly always enough where there is something exact to find; then all of it. `few_units`: where
/// units are still gaining when there are as many as a first look allows, it ends.
SearchOutcome found_by_search(const SampleSource& source, const Scaling& scaling, Index wide, const SearchOptions& options, bool few_units,
                              const Control& control) {
  const Index few = samples_wanted(source, source.inputs(), wide, few_per_unknown);
  const Index many = samples_wanted(source, source.inputs(), wide, many_per_unknown);
  Index tried = 0;
  SearchOptions fitting = options;
  if (options.units > 0 && 2 * few <= source.samples() && few < many) {
    SearchOptions once = options;
    constexpr Index many_units = 32, beside_close = 4;
    once.only_while_close = options.units >= many_units;
    once.starts = once.only_while_close ? std::min(options.starts, beside_close) : 1;
    const SearchData data = search_data(source, scaling, few, options.seed, control);
    SearchOutcome found = search(data.fit, data.judge, once, control);
    if (found.exact) return found;
    tried = found.starts;
    if (once.only_while_close && found.holdout_cost < SearchOptions::close) fitting.initial = std::move(found.model);
  }
  const SearchData data = search_data(source, scaling, many, options.seed, control);
  // More units than the samples in memory determine would only follow these.
  const bool all = many >= source.samples();
  if (options.units == 0 && !all) fitting.max_units = std::min(options.max_units, 2 * wide);
  fitting.may_ask_for_more = fitting.max_units < options.max_units;
  SearchOutcome found = search(data.fit, data.judge, fitting, control);
  found.starts += tried;
  if (found.exact || options.units > 0 || all || !found.wants_more || fitting.max_units == options.max_units || few_units) return found;
  SearchOptions wider = options;
  wider.initial = std::move(found.model);
  wider.least_width = 2 * found.widest;
  SearchOutcome more = found_by_search(source, scaling, 4 * wide, wider, false, control);
  more.starts += found.starts;
  return more;
}

}  // namespace

SignFreeModel found_by_pruning(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result) {
  const StageClock preparing("prepare");
  const InputMoments moments = input_moments(source, control);
  const Scaling scaling = scaling_of(moments);
  SearchOptions search_options;
  search_options.units = options.units;
  constexpr Index few_inputs = 2, times = 4;  // kinks that stand in each other's way on a line, where a start costs nothing
  search_options.starts = source.inputs() <= few_inputs ? times * options.starts : options.starts;
  search_options.seed = options.seed;
  search_options.max_units = affordable_units(source);
  search_options.exact_cost = std::max(search_options.exact_cost, rounding_cost(scaling));
  search_options.least_width = std::min(static_cast<Index>(setting(options, least_width_setting, 0)), search_options.max_units);
  Index wide = 2 * (options.units > 0 ? options.units : std::min<Index>(search_options.max_units, std::max<Index>(16, source.inputs())));
  wide = std::max(wide, search_options.least_width);
  preparing.file(result, 1, 1);
  if (subspace_helps(source.inputs(), options.units)) {
    wide = options.units + options.units / 2;
    if (too_large_to_copy(source, wide)) return found_in_large_data(source, moments, scaling, options, search_options, control, result);
    const ResidualSearch units(source, moments, scaling, control, result);
    search_options.initial = scaled(units.first_units(options.units, Effort::quick, options.seed), scaling, moments);
  }

  const StageClock searching("search");
  SignFreeModel stopped_at;
  search_options.stopped_at = &stopped_at;
  const SearchOutcome found = [&] {
    try {
      return found_by_search(source, scaling, wide, search_options, setting(options, few_units_setting, 0) > 0, control);
    } catch (const Interrupted&) {
      if (stopped_at.inputs() > 0) keep_as_best_so_far(source, unscaled(stopped_at, scaling), result);
      throw;
    }
  }();
  searching.file(result, found.iterations, found.holdout_cost);
  result.figures["starts"] = static_cast<double>(found.starts);
  if (found.wants_more) result.figures["wants_more_units_than"] = static_cast<double>(found.widest);
  result.series["search_history"] = found.history;

  return unscaled(found.model, scaling);
}

void learn_by_pruning(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result) {
  SignFreeModel found = found_by_pruning(source, options, control, result);
  const auto widest = result.figures.find("wants_more_units_than");
  if (setting(options, few_units_setting, 0) > 0 && widest != result.figures.end()) {
    keep_as_best_so_far(source, found, result);
    return fail(result, Status::approximate,
                fmt::format("not certified: {:.0f} units were tried and leave something (relative residual {:.1e} with the {} that stay), "
                            "and more would leave less",
                            widest->second, result.residual_relative, result.network.units()));
  }
  finish(source, std::move(found), options, control, result);
}

}  // namespace relucover
