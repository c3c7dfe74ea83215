#include "learners/prune/large_search.hpp"

#include <algorithm>
#include <cmath>

#include "learners/stage_clock.hpp"
#include "reduce/reduce.hpp"
#include "samples/views.hpp"
#include "solve/pruning.hpp"
#include "solve/residual_source.hpp"

namespace relucover {

namespace {

/// Enough samples of large data for a model of this size, the rest of the samples to fit, and some to judge by.
struct LargeParts {
  RowRange few, fit, judge;
  LargeParts(const SampleSource& source, const SignFreeModel& model)
      : LargeParts(source, source.samples() - std::min<Index>(source.samples() / 10, 5000), 4 * model.unknowns() / source.outputs()) {}
  LargeParts(const SampleSource& source, Index fitted, Index enough)
      : few(source, 0, std::min(enough, fitted)), fit(source, 0, fitted), judge(source, fitted, source.samples()) {}
};

/// From a start in a subspace to the answer, over the samples where they lie: nothing is copied, nothing whitened (the solver
/// damps and preconditions by the second moment of the inputs). First on a few samples for each unknown, then on all.
SearchOutcome found_in_place(const SampleSource& source, SignFreeModel start, const SearchOptions& options, const Control& control) {
  const LargeParts parts(source, start);
  SearchOptions once = options;
  once.starts = 1;
  once.initial = std::move(start);
  SearchOutcome found = search(parts.few, parts.judge, once, control);
  if (found.exact || parts.few.samples() == parts.fit.samples()) return found;
  once.initial = found.model;
  SearchOutcome again = search(parts.fit, parts.judge, once, control);
  again.iterations += found.iterations;
  return again;
}

SignFreeModel side_by_side(const SignFreeModel& one, const SignFreeModel& other) {
  SignFreeModel sum(one.inputs(), one.units() + other.units(), one.outputs());
  sum.theta.topRows(one.units()) = one.theta;
  sum.theta.bottomRows(other.units()) = other.theta;
  sum.output.leftCols(one.units()) = one.output;
  sum.output.rightCols(other.units()) = other.output;
  sum.affine = one.affine + other.affine;
  return sum;
}

/// The start of the search over all samples. Units are looked for in the subspace where what a model leaves of the labels is curved:
/// first all of them in what the affine fit leaves (whose own part outside of the subspace would act as noise), then those
/// that were missed, or taken for one, in what the units found leave, which shows them more clearly.
class Start {
 public:
  Start(const SampleSource& source, const InputMoments& moments, const Scaling& scaling, Index units, std::uint64_t seed,
        const Control& control, Result& result)
      : source_(source), moments_(moments), scaling_(scaling), units_(units), seed_(seed), control_(control), result_(result) {}

  SignFreeModel run() {
    SignFreeModel model = affine_fit();
    model = side_by_side(model, found_in_residual(model, unexplained_by(model), units_, Effort::rough, 0));
    const LargeParts parts(source_, model);
    const AffineSum sums = reduce(parts.few, AffineSum(source_.inputs(), source_.outputs(), Loss{}), control_);
    const Index wide = model.units();
    double before = 1;
    for (int round = 0;; ++round) {
      const double left = approach(parts.few, second_moment(sums), model);
      constexpr int most_rounds = 3;
      constexpr double share_of_a_unit = 0.02;  // of the labels' variance over the number of units: no unit is missing then
      if (round == most_rounds || left < share_of_a_unit / static_cast<double>(units_)) return model;
      if (round > 0 && left > 0.9 * before) return model;  // noise
      before = left;
      const auto missed = found_in_residual(model, left, std::max<Index>(4, units_ / 4), Effort::thorough, 100 + round);
      model = prune(parts.few, side_by_side(model, missed), wide, Loss{}, control_, &sums).model;
    }
  }

 private:
  SignFreeModel affine_fit() const {
    SignFreeModel model(source_.inputs(), 0, source_.outputs());
    model.affine(Eigen::all, scaling_.inputs.kept) = affine_slopes(moments_, scaling_.inputs).transpose();
    model.affine.rightCols(1) = moments_.label_mean - model.affine.leftCols(source_.inputs()) * moments_.mean;
    return model;
  }

  double unexplained_by(const SignFreeModel& affine) const {
    const double explained = (affine.affine.leftCols(source_.inputs()) * moments_.cross_covariance).trace();
    return std::max(1 - explained / moments_.label_covariance.trace(), 1e-12);
  }

  /// Some steps towards the answer, as long as they gain much. Returns the relative cost.
  double approach(const SampleSource& few, const Matrix& moment, SignFreeModel& model) const {
    const StageClock clock("approach");
    SolverOptions solver;
    solver.label_variance = moments_.label_covariance.trace();
    solver.second_moment = moment;
    solver.max_iterations = 8;
    solver.relative_decrease = 0.4;
    solver.relative_cost = 1e-6;
    auto solved = levenberg_marquardt(few, std::move(model), solver, control_);
    model = std::move(solved.model);
    clock.file(result_, solved.iterations, solved.relative_cost);
    return solved.relative_cost;
  }

  /// Units in what a model leaves: `left` of the labels' variance.
  SignFreeModel found_in_residual(const SignFreeModel& model, double left, Index units, Effort effort, int round) const {
    const ResidualSource rest(source_, model);
    InputMoments moments = moments_;
    moments.label_mean.setZero();
    moments.cross_covariance.setZero();
    moments.label_covariance *= left;
    Scaling scaling = scaling_;
    scaling.outputs *= std::sqrt(left);
    const LabelSubspace subspace = subspace_for(rest, moments, scaling, units, control_, result_);
    const auto found = found_in_subspace(rest, subspace, scaling, units, seed_ + static_cast<std::uint64_t>(round), effort, control_, result_);
    return unscaled(found, scaling);
  }

  const SampleSource& source_;
  const InputMoments& moments_;
  const Scaling& scaling_;
  Index units_;
  std::uint64_t seed_;
  const Control& control_;
  Result& result_;
};

}  // namespace

SignFreeModel found_in_large_data(const SampleSource& source, const InputMoments& moments, const Scaling& scaling, const LearnOptions& options,
                                  const SearchOptions& search_options, const Control& control, Result& result) {
  constexpr Index most_attempts = 3;
  SearchOutcome best;
  const Index attempts = std::min<Index>(options.starts, most_attempts);
  for (Index attempt = 0; attempt < attempts && !best.exact; ++attempt) {
    const std::uint64_t seed = options.seed + static_cast<std::uint64_t>(attempt);
    auto start = Start(source, moments, scaling, options.units, seed, control, result).run();
    const StageClock clock("search");
    SearchOutcome found = found_in_place(source, std::move(start), search_options, control);
    clock.file(result, found.iterations, found.holdout_cost);
    if (attempt == 0 || found.holdout_cost < best.holdout_cost) best = std::move(found);
    result.figures["starts"] = static_cast<double>(attempt + 1);
  }
  return best.model;
}

}  // namespace relucover
