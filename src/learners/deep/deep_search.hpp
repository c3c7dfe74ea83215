#pragma once
// The search for a deep network: one and a half times as many units as wanted, descended on fresh batches; units dropped while nothing is
// lost, added where it is stuck; the exact fit taken to all samples, shrunk, and written as a plain ReLU network (docs/deep.md).
#include <functional>
#include <limits>

#include "learners/deep/asked_layers.hpp"
#include "learners/deep/deep_data.hpp"
#include "relucover/learn.hpp"

namespace relucover {

struct DeepSearchOptions {
  std::vector<Index> widths;
  /// The widths are where the search begins, and it ends with as few units as there can be; else no layer ends wider.
  bool fewest = false;
  /// A fit that is exact and has no plain form ends it: other widths are worth more than further starts with these.
  bool ends_when_explained = false;
  Index starts = 6;
  Index rounds = 5;
  std::uint64_t seed = 0;
  /// Units at the start for each unit wanted.
  double wide = 1.5;
  /// What queries of the model have shown, of scaled inputs.
  AskedLayers asked;
  /// A fit that stands at the noise of the labels is an answer too.
  bool through_noise = true;
  /// Batches of the first descent of a start at most.
  Index batches = 300;
  /// A descent that ends above this cost is no beginning for shrinking and adding units.
  double hopeless = std::numeric_limits<double>::infinity();
  /// Told of fits and their costs on the way, good and bad ones: what there is when the work is stopped.
  std::function<void(const LayeredModel& sign_free, double cost)> fits = {};
  /// Samples for each parameter: in a batch, on a fixed set, in the finish.
  double batch = 6, fixed = 12, finish = 20;
};

struct DeepFit {
  LayeredModel sign_free;
  double cost = 1;
};

struct DeepSearchOutcome {
  bool found = false;         // a plain network, right on nearly all samples, or as right as the noise allows
  bool noisy = false;         // the latter
  LayeredModel plain;         // of scaled samples
  std::vector<Index> linear;  // linear units at the end of each layer
  Index wrong = 0;            // samples that it has wrong, of those learned from
  Index held_wrong = 0;       // and of those held out
  LayeredModel sign_free;     // the best fit, found or not
  double cost = 1;
  std::vector<DeepFit> of_starts;  // the best of each that was not yet looked at through noise
  Index starts = 0, rounds = 0;
  std::vector<Index> asked;     // widths
  bool fewest = false;          // the widths were only where it began
  std::vector<double> history;  // relative cost after each round
  /// The best fit is at rounding, whatever it is made of.
  bool explained() const { return cost < 1e-18; }
  /// What no layer may be wider than at the end; empty: there is no such limit.
  std::vector<Index> most_widths() const { return fewest ? std::vector<Index>{} : asked; }
};

/// Out of time: what was found is returned; if nothing was, Interrupted is thrown.
DeepSearchOutcome deep_search(const DeepData& data, const DeepSearchOptions& options, const Control& control);

}  // namespace relucover
