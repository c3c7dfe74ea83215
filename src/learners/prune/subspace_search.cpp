#include "learners/prune/subspace_search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/linear_algebra.hpp"
#include "learners/stage_clock.hpp"
#include "samples/subsample.hpp"
#include "solve/search.hpp"

namespace relucover {

namespace {

/// Some samples, whitened and scaled; with a basis, whitened inputs on its columns only.
MemorySource<double> scaled_part(const SampleSource& source, const std::vector<Index>& rows, const Scaling& scaling, const Matrix& basis,
                                 const Control& control) {
  const Index all = static_cast<Index>(rows.size());
  RowMatrix x(all, basis.size() > 0 ? basis.cols() : scaling.inputs.size()), y(all, source.outputs());
  // z basis = (x - mean) L^{-T} basis
  const Matrix map = basis.size() > 0 ? solve_lower_transposed(scaling.inputs.factor, basis) : Matrix();
  // In the order of the file, a part at a time, so that a large file is read through once.
  std::vector<Index> order(rows.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(),
            [&](Index i, Index j) { return rows[static_cast<std::size_t>(i)] < rows[static_cast<std::size_t>(j)]; });
  constexpr Index at_once = 8192;
  for (Index first = 0; first < all; first += at_once) {
    const std::vector<Index> places(order.begin() + first, order.begin() + std::min(first + at_once, all));
    std::vector<Index> wanted;
    wanted.reserve(places.size());
    for (const Index place : places) wanted.push_back(rows[static_cast<std::size_t>(place)]);
    const auto part = gather(source, wanted, control);
    if (basis.size() > 0) {
      RowMatrix projected(part.samples(), basis.cols());
      projected.noalias() = (part.x()(Eigen::all, scaling.inputs.kept).rowwise() - scaling.inputs.mean.transpose()) * map;
      x(places, Eigen::all) = projected;
    } else {
      x(places, Eigen::all) = scaling.inputs.whiten(part.x());
    }
    y(places, Eigen::all) = (part.y().rowwise() - scaling.centre.transpose()) * scaling.outputs.cwiseInverse().asDiagonal();
  }
  return MemorySource<double>(std::move(x), std::move(y));
}

LabelSubspace subspace_for(const SampleSource& source, const InputMoments& moments, const Whitening& whitening, Index size,
                           std::uint64_t seed, const Control& control, Result& result) {
  const StageClock clock("subspace");
  // The error of T_2 falls with inputs / samples; from some number on, more samples would only cost time.
  const Index enough = 300 * whitening.size() * size;
  constexpr Index values_to_copy = Index{1} << 22;
  LabelSubspace subspace =
      source.samples() < 2 * enough || enough * (source.inputs() + source.outputs()) > values_to_copy
          ? label_subspace(source, moments, whitening, size, control)
          : label_subspace(gather(source, spread_runs(source.samples(), enough, seed), control), moments, whitening, size, control);
  result.series.try_emplace("label_curvature_spectrum", subspace.spectrum.begin(), subspace.spectrum.end());
  clock.file(result, 1, 1);
  return subspace;
}

struct SearchPlan {
  Index more_directions;  // than units
  Index per_unknown, starts;
  double over_settled, settled, over_enough;
};

SearchPlan plan_for(Effort effort, Index units) {
  // A unit that is missed costs about 1 / units of what there is to explain.
  const double share = 1 / static_cast<double>(units);
  const SearchPlan rough{units / 2, many_per_unknown, 1, 0.3 * share, 0.3 * share, 0.03 * share};
  if (effort == Effort::rough) return rough;
  if (effort == Effort::quick) return {units / 3, few_per_unknown, rough.starts, rough.over_settled, rough.settled, rough.over_enough};
  // What lies outside of the subspace acts as noise: more samples per unknown than in the full space.
  const SearchOptions usual;
  return {units / 2, 3 * many_per_unknown, 2, usual.over_settled, usual.settled, usual.over_enough};
}

}  // namespace

Scaling scaling_of(const InputMoments& moments) {
  constexpr double far = 30;  // spreads
  Scaling scaling{whitening_of(moments), moments.label_covariance.diagonal().cwiseMax(0).cwiseSqrt(), moments.label_mean};
  for (double& spread : scaling.outputs)
    if (!(spread > 0)) spread = 1;
  for (Index o = 0; o < scaling.centre.size(); ++o)
    if (std::abs(scaling.centre[o]) < far * scaling.outputs[o]) scaling.centre[o] = 0;
  return scaling;
}

SearchData search_data(const SampleSource& source, const Scaling& scaling, Index wanted, std::uint64_t seed, const Control& control,
                       const Matrix& basis) {
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
  result.affine.rightCols(1) += scaling.centre;
  balance(result);
  return result;
}

SignFreeModel scaled(const SignFreeModel& model, const Scaling& scaling, const InputMoments& moments) {
  SignFreeModel result = model;
  result.affine.rightCols(1) -= scaling.centre;
  const auto per_deviation = scaling.outputs.cwiseInverse().asDiagonal();
  result.theta = scaling.inputs.forms_to_whitened(model.theta, moments.mean);
  result.affine = per_deviation * scaling.inputs.forms_to_whitened(result.affine, moments.mean);
  result.output = per_deviation * model.output;
  balance(result);
  return result;
}

Index samples_wanted(const SampleSource& source, Index inputs, Index wide_units, Index per_unknown) {
  const Index unknowns = (wide_units + 1) * (inputs + 1) + (source.outputs() > 1 ? (wide_units + inputs) * source.outputs() : 0);
  return std::max<Index>({2000, per_unknown * unknowns / source.outputs(), 20 * (inputs + 1)});
}

SignFreeModel found_in_subspace(const SampleSource& source, const InputMoments& moments, const Scaling& scaling, Index units,
                                std::uint64_t seed, Effort effort, const Control& control, Result& result) {
  const SearchPlan plan = plan_for(effort, units);
  const Index inputs = scaling.inputs.size(), size = std::min(inputs, units + std::max<Index>(2, plan.more_directions));
  const LabelSubspace subspace = subspace_for(source, moments, scaling.inputs, size, seed, control, result);
  const StageClock clock("search in subspace");
  const SearchData data =
      search_data(source, scaling, samples_wanted(source, size, 2 * units, plan.per_unknown), seed, control, subspace.basis);
  SearchOptions search_options;
  search_options.units = std::max<Index>(units + 2, units * 5 / 4);
  search_options.over_parameterisation = 2.0 * static_cast<double>(units) / static_cast<double>(search_options.units);
  search_options.starts = plan.starts;
  search_options.over_settled = plan.over_settled;
  search_options.settled = plan.settled;
  search_options.over_enough = plan.over_enough;
  search_options.seed = seed;
  SearchOutcome found = search(data.fit, data.judge, search_options, control);
  clock.file(result, found.iterations, found.holdout_cost);
  SignFreeModel lifted(inputs, found.model.units(), found.model.outputs());
  const auto lift = [&](const Matrix& of_subspace, Matrix& to) {
    to.leftCols(inputs) = of_subspace.leftCols(size) * subspace.basis.transpose();
    to.rightCols(1) = of_subspace.rightCols(1);
  };
  lift(found.model.theta, lifted.theta);
  lift(found.model.affine, lifted.affine);
  lifted.output = found.model.output;
  return lifted;
}

}  // namespace relucover
