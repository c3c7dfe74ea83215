#include "learners/prune/large_search.hpp"

#include <algorithm>

#include "learners/prune/residual_search.hpp"
#include "learners/stage_clock.hpp"
#include "reduce/reduce.hpp"
#include "samples/views.hpp"
#include "solve/pruning.hpp"

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

/// The start of the search over all samples: units found in the subspace, then those it missed.
class Start {
 public:
  Start(const SampleSource& source, const InputMoments& moments, const Scaling& scaling, Index units, std::uint64_t seed,
        const Control& control, Result& result)
      : source_(source), label_variance_(moments.label_covariance.trace()), units_(units), seed_(seed), control_(control), result_(result),
        residual_search_(source, moments, scaling, control, result) {}

  SignFreeModel run() {
    SignFreeModel model = residual_search_.first_units(units_, Effort::rough, seed_);
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
      const auto more = residual_search_.with_units_beside(model, left, std::max<Index>(4, units_ / 4), Effort::thorough,
                                                           seed_ + 100 + static_cast<std::uint64_t>(round));
      model = prune(parts.few, more, wide, Loss{}, control_, &sums).model;
    }
  }

 private:
  /// Some steps towards the answer, as long as they gain much. Returns the relative cost.
  double approach(const SampleSource& few, const Matrix& moment, SignFreeModel& model) const {
    const StageClock clock("approach");
    SolverOptions solver;
    solver.label_variance = label_variance_;
    solver.second_moment = moment;
    solver.max_iterations = 8;
    solver.relative_decrease = 0.4;
    solver.relative_cost = 1e-6;
    auto solved = levenberg_marquardt(few, std::move(model), solver, control_);
    model = std::move(solved.model);
    clock.file(result_, solved.iterations, solved.relative_cost);
    return solved.relative_cost;
  }

  const SampleSource& source_;
  double label_variance_;
  Index units_;
  std::uint64_t seed_;
  const Control& control_;
  Result& result_;
  ResidualSearch residual_search_;
};

}  // namespace

SignFreeModel found_in_large_data(const SampleSource& source, const InputMoments& moments, const Scaling& scaling,
                                  const LearnOptions& options, const SearchOptions& search_options, const Control& control,
                                  Result& result) {
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
