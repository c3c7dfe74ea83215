#pragma once
// From nothing to a model: over-parameterised starts, pruning, convergence, on samples in memory with whitened inputs.
#include <functional>

#include "relucover/progress.hpp"
#include "relucover/samples.hpp"
#include "solve/levenberg_marquardt.hpp"

namespace relucover {

struct SearchOptions {
  /// Hidden units; 0: find out.
  Index units = 0;
  /// Most units tried when finding out.
  Index max_units = 256;
  /// More samples could be had, for more units than max_units: stop where these would gain.
  bool may_ask_for_more = false;
  Index starts = 12;
  /// Starts after the first are made only beside a model that is close, and as long as they gain.
  bool only_while_close = false;
  static constexpr double close = 1e-3;
  /// Least units of an over-parameterised start when finding out; 0: as many as inputs.
  Index least_width = 0;
  std::uint64_t seed = 0;
  /// Units of the over-parameterised start for each unit wanted.
  double over_parameterisation = 2;
  /// A held-out relative cost below this is a fit to rounding.
  double exact_cost = 1e-18;
  /// Over-parameterised and pruned fits have converged when a step gains less than this share.
  double over_settled = 1e-3, settled = 1e-4;
  /// An over-parameterised fit this good has a unit at each place where it matters, seldom more than that is needed.
  static constexpr double near = 1e-6;
  double over_enough = near;
  Loss loss;
  /// Where to begin, if not at random: a model with at least the units wanted; or, where they are to be found out, the best so far.
  SignFreeModel initial;
  /// Where the best model so far is left when the search is stopped; null: nowhere.
  SignFreeModel* stopped_at = nullptr;
};

struct SearchOutcome {
  SignFreeModel model;
  double train_cost = 1, holdout_cost = 1;  // relative to the label variance
  /// Held-out relative cost of the best over-parameterised fit: what there is to reach.
  double over_holdout_cost = 1;
  Index starts = 0;
  Index iterations = 0;
  bool exact = false;
  /// Units were still gaining when these samples allowed no more.
  bool wants_more = false;
  /// Units of the widest start, when finding out.
  Index widest = 0;
  std::vector<double> history;
};

/// Units alike beyond the number asked for are not forced: the outcome may have fewer units than asked for.
SearchOutcome search(const SampleSource& train, const SampleSource& holdout, const SearchOptions& options, const Control& control);

}  // namespace relucover
