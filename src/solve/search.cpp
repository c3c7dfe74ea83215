#include "solve/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/blas.hpp"
#include "reduce/reduce.hpp"
#include "solve/pruning.hpp"
#include "solve/starts.hpp"

namespace relucover {

namespace {

/// One search on one pair of train and held-out samples: what all steps share.
class Search {
 public:
  Search(const SampleSource& train, const SampleSource& holdout, const SearchOptions& options, const Control& control)
      : train_(train), holdout_(holdout), options_(options), control_(control),
        sums_(reduce(train, AffineSum(train.inputs(), train.outputs(), options.loss), control)) {
    solver_.loss = options.loss;
    solver_.label_variance = label_variance(train, control);
    solver_.second_moment = second_moment(sums_);
    // There is always a best model: before any search, the one without units.
    SignFreeModel none(train.inputs(), 0, train.outputs());
    outcome_.model = prune(train, none, 0, options.loss, control, &sums_).model;
    affine_ = outcome_.model.affine;
    outcome_.train_cost = relative_cost(train_, outcome_.model, options_.loss, solver_.label_variance, control_);
  }

  SearchOutcome run() {
    try {
      return options_.units > 0 ? with_known_units() : with_unknown_units();
    } catch (const Interrupted&) {
      if (options_.stopped_at) *options_.stopped_at = outcome_.model;
      throw;
    }
  }

 private:
  static constexpr double near = SearchOptions::near;

  struct Fit {
    SignFreeModel model;
    double train = 1, holdout = 1;
  };

  Fit converge(SignFreeModel start, double relative_decrease, Index iterations, double stop,
               GramPrecision precision = GramPrecision::float64) {
    SolverOptions solver = solver_;
    solver.precision = precision;
    solver.relative_decrease = relative_decrease;
    solver.max_iterations = iterations;
    solver.relative_cost = stop;
    solver.max_inner_iterations = stop < 1e-20 ? 200 : 40;
    auto solved = levenberg_marquardt(train_, std::move(start), solver, control_);
    outcome_.iterations += solved.iterations;
    outcome_.history.insert(outcome_.history.end(), solved.history.begin(), solved.history.end());
    Fit fit{std::move(solved.model), solved.relative_cost, 1};
    fit.holdout = relative_cost(holdout_, fit.model, options_.loss, solver_.label_variance, control_);
    return fit;
  }

  Fit over_parameterised(Index units, Index attempt) {
    StartOptions start{units, options_.seed, attempt, 1.0, options_.loss.bias};
    Fit fit = converge(random_start(affine_, start), options_.over_settled, 80, options_.over_enough, GramPrecision::float32);
    outcome_.over_holdout_cost = std::min(outcome_.over_holdout_cost, fit.holdout);
    return fit;
  }

  Fit pruned_to(const Fit& over, Index units) {
    Fit fit = converge(prune(train_, over.model, units, options_.loss, control_, &sums_).model, options_.settled, 60, 1e-29);
    return fit;
  }

  /// An exact model may carry units that are not needed (equal ones, units that are linear on the data): drop them.
  Fit without_idle_units(Fit fit) {
    constexpr double nothing = 1e-11;  // the Gram matrix can't see smaller changes
    while (fit.model.units() > 0) {
      auto pruned = prune_while(train_, fit.model, nothing, options_.loss, control_, &sums_);
      if (pruned.model.units() == fit.model.units()) break;
      Fit smaller = converge(std::move(pruned.model), 1e-4, 60, 1e-29);
      if (!is_exact(smaller)) break;
      fit = std::move(smaller);
    }
    return fit;
  }

  bool is_exact(const Fit& fit) const { return fit.holdout < options_.exact_cost; }

  /// The first fit is kept whatever it costs; none that is not a number replaces one.
  void keep_if_better(Fit fit) {
    if (searched_ && !(fit.holdout < outcome_.holdout_cost) && !std::isnan(outcome_.holdout_cost)) return;
    searched_ = true;
    outcome_.train_cost = fit.train;
    outcome_.holdout_cost = fit.holdout;
    outcome_.exact = is_exact(fit);
    outcome_.model = std::move(fit.model);
  }

  void report(Index attempt) const {
    control_.progress("search", static_cast<double>(attempt) / static_cast<double>(options_.starts),
                      fmt::format("start {}, best held-out relative error {:.1e}", attempt + 1, outcome_.holdout_cost));
  }

  /// New units beside the best model so far, converged and pruned back: finds the unit or two that a start missed,
  /// which is cheaper than starting again.
  Fit regrown(Index attempt, double stop = near) {
    const SignFreeModel& best = outcome_.model;
    const Index extra = std::max<Index>(3, (options_.units > 0 ? options_.units : best.units()) / 2);
    StartOptions start{extra, options_.seed, 1000 + attempt, 1.0, options_.loss.bias};
    SignFreeModel fresh = random_start(affine_, start);
    const double size = std::sqrt(outcome_.train_cost);
    SignFreeModel wider(best.inputs(), best.units() + extra, best.outputs());
    wider.theta << best.theta, (best.output_is_free() ? 1.0 : size) * fresh.theta;
    wider.output << best.output, (best.output_is_free() ? size : 1.0) * fresh.output;
    wider.affine = best.affine;
    return converge(std::move(wider), 1e-3, 80, stop, stop < near ? GramPrecision::float64 : GramPrecision::float32);
  }

  /// A floor so low is more often a small unit that was missed than noise; where a start costs next to nothing, some more are made.
  Index starts_at_floor() const {
    constexpr double small = 1e5;
    const double work = static_cast<double>(train_.samples()) * static_cast<double>(train_.inputs() + train_.outputs()) *
                        static_cast<double>(options_.units);
    return outcome_.holdout_cost < near && work < small ? 6 : 1;
  }

  SearchOutcome with_known_units() {
    int without_gain = 0, regrowths = 0;
    for (Index attempt = 0; attempt < options_.starts && !outcome_.exact; ++attempt) {
      report(attempt);
      control_.check();
      const double before = outcome_.holdout_cost;
      const bool regrow = attempt > 0 && regrowths < 3;
      const Index wide = std::max<Index>(
          static_cast<Index>(std::ceil(options_.over_parameterisation * static_cast<double>(options_.units))), options_.units + 2);
      const bool given = attempt == 0 && options_.initial.units() > 0;
      Fit over = given    ? converge(options_.initial, 3e-3, 60, near, GramPrecision::float32)
                 : regrow ? regrown(attempt)
                          : over_parameterised(wide, attempt);
      regrowths = regrow ? regrowths + 1 : 0;
      Fit fit = pruned_to(over, options_.units);
      if (!is_exact(fit) && over.train <= near) {
        over = converge(std::move(over.model), 1e-3, 60, 1e-12);
        fit = pruned_to(over, options_.units);
      }
      if (is_exact(fit)) fit = without_idle_units(std::move(fit));
      keep_if_better(std::move(fit));
      outcome_.starts = attempt + 1;
      outcome_.over_holdout_cost = std::min(outcome_.over_holdout_cost, over.holdout);
      // Noisy labels: the floor is reached when pruning costs nothing, or when starts stop improving.
      const bool at_noise_floor = outcome_.holdout_cost < 1.02 * outcome_.over_holdout_cost &&
                                  outcome_.holdout_cost > 0.5 * outcome_.over_holdout_cost &&  // else that one had not converged
                                  outcome_.train_cost > 0.3 * outcome_.holdout_cost;
      if (at_noise_floor && outcome_.holdout_cost > 1e-10 && attempt >= starts_at_floor()) break;
      if (options_.only_while_close && (outcome_.holdout_cost > SearchOptions::close || outcome_.holdout_cost > 0.7 * before)) break;
      if (outcome_.holdout_cost < 0.9 * before) {
        without_gain = 0;
        if (regrow) regrowths = 1;
      } else if (++without_gain >= options_.starts * 2 / 3) {
        break;
      }
    }
    return std::move(outcome_);
  }

  /// Doubles the width until an over-parameterised fit stops gaining, then prunes for the least number that keeps it.
  SearchOutcome with_unknown_units() {
    Index wide = std::min(std::max<Index>({train_.inputs(), 8, options_.least_width}), options_.max_units);
    if (options_.initial.units() > 0) {
      keep_if_better(converge(options_.initial, options_.settled, 60, 1e-29));
      regrow_while_it_gains();
      wide = std::min(std::max(2 * options_.initial.units(), options_.least_width), options_.max_units);
    }
    for (Index attempt = 0; attempt < options_.starts && !outcome_.exact; ++attempt) {
      report(attempt);
      control_.check();
      const double best_before = outcome_.over_holdout_cost;
      const Fit over = over_parameterised(wide, attempt);
      outcome_.starts = attempt + 1;
      outcome_.widest = wide;
      const bool gained = over.holdout < gain_wanted(wide) * best_before;
      const bool widens = gained && 2 * wide <= options_.max_units;
      // Narrower fits of a network that wants many more units say nothing, and cost as much.
      if (widens && wide >= many_units && over.train > near) {
        wide *= 2;
        continue;
      }
      if (over.holdout < 0.05 || wide >= options_.max_units) try_numbers_of_units(over);
      if (!outcome_.exact && over.train <= near) look_for_small_units(attempt);
      if (!outcome_.exact) regrow_while_it_gains();
      if (outcome_.exact) break;
      outcome_.wants_more = gained && 2 * wide > options_.max_units;
      if (outcome_.wants_more && options_.may_ask_for_more) break;
      if (!gained && attempt >= 2) break;
      if (2 * wide <= options_.max_units) wide *= 2;
    }
    if (!searched_) try_numbers_of_units(over_parameterised(wide, options_.starts));
    return std::move(outcome_);
  }

  static constexpr Index many_units = 32;
  static constexpr double close = 1e-2;      // held-out cost of a fit beside which the rest can be found
  static constexpr double stands_out = 1.5;  // share by which pruning a unit raises the error

  /// The share of the held-out cost that twice the units must leave at most. Units of a wide network gain little each until nearly all
  /// are there; what no number of units explains gains little for ever, and ever more slowly.
  double gain_wanted(Index units) const {
    constexpr Index affordable = 2500;
    return units * (train_.inputs() + train_.outputs()) <= affordable ? 0.9 : 0.7;
  }

  /// A wide network with many units that matter a little: starts find most of them, and the rest beside these.
  void regrow_while_it_gains() {
    constexpr double gain = 0.7;
    while (!outcome_.exact && !regrowing_gave_nothing_ && outcome_.holdout_cost < close && outcome_.model.units() > 0) {
      report(outcome_.starts);
      control_.check();
      const double before = outcome_.holdout_cost;
      const Fit wider = regrown(++regrowths_, outcome_.train_cost > near ? near : 1e-3 * outcome_.train_cost);
      outcome_.over_holdout_cost = std::min(outcome_.over_holdout_cost, wider.holdout);
      try_numbers_of_units(wider);
      regrowing_gave_nothing_ = !outcome_.exact && outcome_.holdout_cost > gain * before;
    }
  }

  /// Beside units that explain nearly everything there may be some a thousand times smaller: they show when new units
  /// start at the size of what is left, and only where what is left is no noise.
  void look_for_small_units(Index attempt) {
    for (Index k = 0; k < 3 && !outcome_.exact; ++k) {
      const double before = outcome_.holdout_cost;
      const Fit wider = regrown(10 * attempt + k, 1e-6 * outcome_.train_cost);
      outcome_.over_holdout_cost = std::min(outcome_.over_holdout_cost, wider.holdout);
      try_numbers_of_units(wider);
      if (outcome_.holdout_cost > 0.7 * before) return;
    }
  }

  /// Least number of units with which pruning costs next to nothing.
  static Index least_that_keeps(const std::vector<double>& path) {
    constexpr double next_to_nothing = 1.25;
    std::size_t units = path.size() - 1;
    while (units > 0 && path[units - 1] <= next_to_nothing * path.back()) --units;
    return static_cast<Index>(units);
  }

  /// Least number of units without which pruning costs more than a unit gains by following noise.
  Index least_above_noise(const std::vector<double>& path) const {
    constexpr double clear = 20;  // times the unknowns of a unit: the other units have not moved yet
    const auto unknowns = static_cast<double>(train_.inputs() + train_.outputs());
    const double by_noise = clear * unknowns / static_cast<double>(train_.samples() * train_.outputs());
    std::size_t units = path.size() - 1;
    while (units > 0 && path[units - 1] <= (1 + by_noise) * path[units]) --units;
    return static_cast<Index>(units);
  }

  /// Where the error of pruning jumps, and a little above, an exact fit is most likely. Among many units that have not all been found
  /// none stands out: those that matter are kept, and the rest looked for beside them.
  void try_numbers_of_units(const Fit& over, int again = 2) {
    const auto path = prune(train_, over.model, 0, options_.loss, control_, &sums_).residual_at;
    const Index wide = over.model.units();
    Index jump = wide;
    double largest = 0;
    for (Index k = wide; k >= 1; --k) {
      const double ratio = path[static_cast<std::size_t>(k - 1)] / std::max(path[static_cast<std::size_t>(k)], 1e-12);
      if (ratio > largest) {
        largest = ratio;
        jump = k;
      }
    }
    std::vector<Index> numbers;
    double fewer_left = 1;
    if (const Index kept = least_that_keeps(path); largest < stands_out && wide >= many_units && over.holdout < close && kept < wide)
      numbers.push_back(kept);
    for (const double factor : {1.0, 1.25, 1.6})
      numbers.push_back(std::min(wide, static_cast<Index>(std::ceil(factor * static_cast<double>(jump)))));
    // The first unit explains most of it, and noise hides how much the last ones do: none of these stands out.
    if (const Index all = least_above_noise(path); over.train > near && all > numbers.back() && all < wide) numbers.push_back(all);
    for (std::size_t at = 0; at < numbers.size(); ++at) {
      const Index units = numbers[at];
      Fit fit = pruned_to(over, units);
      if (is_exact(fit)) fit = without_idle_units(std::move(fit));
      keep_if_better(fit);
      if (outcome_.exact) return;
      // With some units too many a fit converges slowly, but far enough to show which ones these are.
      constexpr double clearer = 1e-2;
      if (again > 0 && fit.train < near && fit.train < clearer * over.train) return try_numbers_of_units(fit, again - 1);
      if (units == wide) return;
      // All units were there, and one or some that are small went with the rest: one more at a time costs little, far too many a lot.
      const bool gained = units == jump || fit.holdout < 0.9 * fewer_left;
      fewer_left = fit.holdout;
      if (over.train < near && gained && at + 1 < numbers.size() && units + 1 < numbers[at + 1] && units >= jump)
        numbers.insert(numbers.begin() + static_cast<std::ptrdiff_t>(at) + 1, units + 1);
    }
  }

  const SampleSource& train_;
  const SampleSource& holdout_;
  const SearchOptions& options_;
  const Control& control_;
  const AffineSum sums_;
  Index regrowths_ = 500;  // a number of its own for every start
  bool regrowing_gave_nothing_ = false;
  SolverOptions solver_;
  Matrix affine_;
  SearchOutcome outcome_;
  bool searched_ = false;  // the best model is a fit of the search
};

}  // namespace

SearchOutcome search(const SampleSource& train, const SampleSource& holdout, const SearchOptions& options, const Control& control) {
  const SingleThreadedBlas single_threaded;
  return Search(train, holdout, options, control).run();
}

}  // namespace relucover
