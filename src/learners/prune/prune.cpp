#include "learners/prune/prune.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "learners/finish.hpp"
#include "learners/prune/label_subspace.hpp"
#include "learners/stage_clock.hpp"
#include "moments/whitening.hpp"
#include "samples/subsample.hpp"
#include "samples/views.hpp"
#include "solve/search.hpp"

namespace relucover {

namespace {

/// Samples to search on: some to fit, some to judge by, inputs whitened, each output scaled to variance 1.
struct SearchData {
  MemorySource<double> fit, judge;
};

struct Scaling {
  Whitening inputs;
  Vector outputs;  // standard deviations
};

Scaling scaling_of(const InputMoments& moments) {
  Scaling scaling{whitening_of(moments), moments.label_covariance.diagonal().cwiseMax(0).cwiseSqrt()};
  for (double& spread : scaling.outputs)
    if (!(spread > 0)) spread = 1;
  return scaling;
}

/// Some samples, whitened and scaled; with a basis, whitened inputs on its columns only.
MemorySource<double> scaled_part(const SampleSource& source, const std::vector<Index>& rows, const Scaling& scaling, const Matrix& basis,
                                 const Control& control) {
  const Index all = static_cast<Index>(rows.size());
  RowMatrix x(all, basis.size() > 0 ? basis.cols() : scaling.inputs.size()), y(all, source.outputs());
  // z basis = (x - mean) L^{-T} basis
  const Matrix map = basis.size() > 0 ? Matrix(scaling.inputs.factor.transpose().triangularView<Eigen::Upper>().solve(basis)) : Matrix();
  constexpr Index at_once = 8192;
  for (Index first = 0; first < all; first += at_once) {
    const Index count = std::min(at_once, all - first);
    const auto part = gather(source, {rows.begin() + first, rows.begin() + first + count}, control);
    if (basis.size() > 0)
      x.middleRows(first, count).noalias() = (part.x()(Eigen::all, scaling.inputs.kept).rowwise() - scaling.inputs.mean.transpose()) * map;
    else
      x.middleRows(first, count) = scaling.inputs.whiten(part.x());
    y.middleRows(first, count) = part.y() * scaling.outputs.cwiseInverse().asDiagonal();
  }
  return MemorySource<double>(std::move(x), std::move(y));
}

SearchData search_data(const SampleSource& source, const Scaling& scaling, Index wanted, std::uint64_t seed, const Control& control,
                       const Matrix& basis = {}) {
  const Index samples = source.samples();
  const Index judged = std::clamp<Index>(std::min(samples / 10, wanted / 5), std::min<Index>(samples / 2, 8), 4000);
  const Index fitted = std::min(samples - judged, wanted);
  const auto rows = spread_rows(samples, fitted + judged, seed);
  const auto middle = rows.begin() + fitted;
  return {scaled_part(source, {rows.begin(), middle}, scaling, basis, control),
          scaled_part(source, {middle, rows.end()}, scaling, basis, control)};
}

SignFreeModel unscaled(const SignFreeModel& model, const Scaling& scaling) {
  SignFreeModel result = model;
  result.theta = scaling.inputs.forms_to_inputs(model.theta);
  result.affine = scaling.outputs.asDiagonal() * scaling.inputs.forms_to_inputs(model.affine);
  result.output = scaling.outputs.asDiagonal() * model.output;
  balance(result);
  return result;
}

/// Most units whose over-parameterised search the samples can still determine.
Index affordable_units(const SampleSource& source) {
  const Index equations = source.samples() * source.outputs();
  const Index per_unit = source.inputs() + source.outputs();
  return std::clamp<Index>(equations * 9 / 10 / std::max<Index>(1, per_unit) - source.inputs() / std::max<Index>(1, per_unit), 1, 512);
}

/// Equations per unknown of the over-parameterised fit: enough for nearly every network, and enough for the others.
constexpr Index few_per_unknown = 5, many_per_unknown = 10;

Index samples_wanted(const SampleSource& source, Index inputs, Index wide_units, Index per_unknown) {
  const Index unknowns = (wide_units + 1) * (inputs + 1) + (source.outputs() > 1 ? (wide_units + inputs) * source.outputs() : 0);
  return std::max<Index>({2000, per_unknown * unknowns / source.outputs(), 20 * (inputs + 1)});
}

/// With many more inputs than units, search where the labels are curved first: the rest of the space only adds unknowns.
bool subspace_helps(Index inputs, Index units) { return units > 0 && inputs >= 30 && 2 * inputs >= 5 * units; }

LabelSubspace subspace_for(const SampleSource& source, const InputMoments& moments, const Scaling& scaling, Index units,
                           const Control& control, Result& result) {
  const StageClock clock("subspace");
  const Index size = std::min<Index>(scaling.inputs.size(), units + std::max<Index>(2, units / 2));
  LabelSubspace subspace = label_subspace(source, moments, scaling.inputs, size, control);
  result.series["label_curvature_spectrum"] = {subspace.spectrum.begin(), subspace.spectrum.end()};
  clock.file(result, 1, 1);
  return subspace;
}

SignFreeModel found_in_subspace(const SampleSource& source, const LabelSubspace& subspace, const Scaling& scaling,
                                const LearnOptions& options, std::uint64_t seed, const Control& control, Result& result) {
  const StageClock clock("search in subspace");
  const Index inputs = scaling.inputs.size(), units = options.units, size = subspace.basis.cols();
  // What lies outside of the subspace acts as noise: more samples per unknown than in the full space.
  const SearchData data =
      search_data(source, scaling, 3 * samples_wanted(source, size, 2 * units, many_per_unknown), seed, control, subspace.basis);
  SearchOptions search_options;
  search_options.units = std::max<Index>(units + 2, units * 5 / 4);
  search_options.over_parameterisation = 2.0 * static_cast<double>(units) / static_cast<double>(search_options.units);
  search_options.starts = 2;
  search_options.seed = seed;
  SearchOutcome found = search(data.fit, data.judge, search_options, control);
  clock.file(result, found.iterations, found.holdout_cost);
  SignFreeModel lifted(inputs, found.model.units(), found.model.outputs());
  lifted.theta << found.model.theta.leftCols(size) * subspace.basis.transpose(), found.model.theta.rightCols(1);
  lifted.affine << found.model.affine.leftCols(size) * subspace.basis.transpose(), found.model.affine.rightCols(1);
  lifted.output = found.model.output;
  return lifted;
}

/// More than this in memory, and the samples are visited where they lie.
constexpr Index values_in_memory = Index{1} << 25;

bool too_large_to_copy(const SampleSource& source, Index wide) {
  const Index rows = std::min(source.samples(), samples_wanted(source, source.inputs(), wide, many_per_unknown));
  return rows * (source.inputs() + source.outputs()) > values_in_memory;
}

/// From a start in a subspace to the answer, over the samples where they lie: nothing is copied, nothing whitened (the solver
/// damps and preconditions by the second moment of the inputs). First on a few samples for each unknown, then on all.
SearchOutcome found_in_place(const SampleSource& source, SignFreeModel start, const SearchOptions& options, const Control& control) {
  const Index judged = std::min<Index>(source.samples() / 10, 5000), fitted = source.samples() - judged;
  const RowRange judge(source, fitted, source.samples());
  SearchOptions once = options;
  once.starts = 1;
  once.initial = std::move(start);
  constexpr Index enough_per_unknown = 4;
  const Index few = enough_per_unknown * once.initial.unknowns() / source.outputs();
  SearchOutcome found = search(RowRange(source, 0, std::min(few, fitted)), judge, once, control);
  if (found.exact || few >= fitted) return found;
  once.initial = found.model;
  SearchOutcome again = search(RowRange(source, 0, fitted), judge, once, control);
  again.iterations += found.iterations;
  return again;
}

/// One start on few samples, which is nearly always enough where there is something exact to find; then all of it.
SearchOutcome found_by_search(const SampleSource& source, const Scaling& scaling, Index wide, const SearchOptions& options,
                              const Control& control) {
  const Index few = samples_wanted(source, source.inputs(), wide, few_per_unknown);
  const Index many = samples_wanted(source, source.inputs(), wide, many_per_unknown);
  Index tried = 0;
  if (options.units > 0 && options.initial.units() == 0 && 2 * few <= source.samples() && few < many) {
    SearchOptions once = options;
    once.starts = tried = 1;
    const SearchData data = search_data(source, scaling, few, options.seed, control);
    SearchOutcome found = search(data.fit, data.judge, once, control);
    if (found.exact) return found;
  }
  const SearchData data = search_data(source, scaling, many, options.seed, control);
  SearchOutcome found = search(data.fit, data.judge, options, control);
  found.starts += tried;
  return found;
}

SignFreeModel found_in_large_data(const SampleSource& source, const LabelSubspace& subspace, const Scaling& scaling, const LearnOptions& options,
                                  const SearchOptions& search_options, const Control& control, Result& result) {
  constexpr Index most_attempts = 3;
  SearchOutcome best;
  const Index attempts = std::min<Index>(options.starts, most_attempts);
  for (Index attempt = 0; attempt < attempts && !best.exact; ++attempt) {
    const auto start = found_in_subspace(source, subspace, scaling, options, options.seed + static_cast<std::uint64_t>(attempt), control, result);
    const StageClock clock("search");
    SearchOutcome found = found_in_place(source, unscaled(start, scaling), search_options, control);
    clock.file(result, found.iterations, found.holdout_cost);
    if (attempt == 0 || found.holdout_cost < best.holdout_cost) best = std::move(found);
    result.figures["starts"] = static_cast<double>(attempt + 1);
  }
  return best.model;
}

}  // namespace

SignFreeModel found_by_pruning(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result) {
  const StageClock preparing("prepare");
  const InputMoments moments = input_moments(source, control);
  const Scaling scaling = scaling_of(moments);
  SearchOptions search_options;
  search_options.units = options.units;
  search_options.starts = options.starts;
  search_options.seed = options.seed;
  search_options.max_units = affordable_units(source);
  Index wide = 2 * (options.units > 0 ? options.units : std::min<Index>(search_options.max_units, std::max<Index>(16, source.inputs())));
  preparing.file(result, 1, 1);
  if (subspace_helps(source.inputs(), options.units)) {
    const LabelSubspace subspace = subspace_for(source, moments, scaling, options.units, control, result);
    wide = options.units + options.units / 2;
    if (too_large_to_copy(source, wide)) return found_in_large_data(source, subspace, scaling, options, search_options, control, result);
    search_options.initial = found_in_subspace(source, subspace, scaling, options, options.seed, control, result);
  }

  const StageClock searching("search");
  const SearchOutcome found = found_by_search(source, scaling, wide, search_options, control);
  searching.file(result, found.iterations, found.holdout_cost);
  result.figures["starts"] = static_cast<double>(found.starts);
  result.series["search_history"] = found.history;

  return unscaled(found.model, scaling);
}

void learn_by_pruning(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result) {
  finish(source, found_by_pruning(source, options, control, result), options, control, result);
}

}  // namespace relucover
