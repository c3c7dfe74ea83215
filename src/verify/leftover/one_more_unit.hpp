#pragma once
// Would one more unit explain something? Looked for on one half of the samples, tested on the other, both ways.
#include <functional>
#include <optional>
#include <vector>

#include "core/random.hpp"
#include "relucover/progress.hpp"
#include "relucover/types.hpp"
#include "solve/rectifier.hpp"
#include "verify/leftover/rough_basis.hpp"

namespace relucover {

/// What a further unit may be: f of a form of z~, as steep as the answer's units where the length of weights matters.
struct UnitKind {
  Rectifier f = {};
  Vector slopes = {};  // of the answer's units along z; empty: 1
};

struct FoundUnit {
  double gain = 0;  // of |residual|², where nothing else moves
  Vector form;      // unit direction and bias: form·z~
  Vector output;    // its weights that gain this
};
struct UnitSearch {
  std::vector<FoundUnit> best;  // falling gain
  /// Size of units of unit slope after taking out what the answer can do: what a unit must be seen by.
  Vector visible;
};
/// z1: whitened inputs and 1. `basis` spans the answer's tangent functions.
UnitSearch search_units(const Matrix& z1, const Matrix& residual, const RoughBasis& basis, Index starts, RandomStream& random,
                        const UnitKind& kind = {}, const Control& control = {});

/// What the best unit gains where signs are flipped: the mean of a few searches.
double gain_in_noise(const Matrix& z1, const Matrix& residual, const RoughBasis& basis, Index starts, RandomStream& random,
                     const UnitKind& kind = {}, const Control& control = {});

/// The largest score of many units and steps at once (random ones, ones that few samples see, ones where the residual is large or curved),
/// against flipped signs. `studentised`: residual over its local noise. Units of another kind are tried beside ReLUs.
double best_of_many_units(const Matrix& z, const Matrix& studentised, const RoughBasis& basis, RandomStream& random,
                          const UnitKind& kind = {}, const Control& control = {});

struct CrossFit {
  double chance = 1;
  double score = 0;           // standard deviations
  double visible = 0;         // median, see above
  std::vector<Vector> found;  // forms of the best units of both halves
};
/// `halves`: bases of the answer's tangent functions.
CrossFit one_more_unit(const Matrix& z, const Matrix& residual, const Halves& halves, RandomStream& random, const UnitKind& kind = {},
                       const Control& control = {});

/// The best of these units where all samples tell, no more than `most`, by falling gain.
std::vector<FoundUnit> found_on_all(const Matrix& z, const Matrix& residual, const RoughBasis& basis, const std::vector<Vector>& forms,
                                    Index most, const UnitKind& kind = {});

/// What one more unit gains of Σ r² where all units may move, from each of `starts`: the largest. `labels` in units of the noise;
/// `forms` (units by z~) and `outputs` (outputs by units) are the answer's, which leaves Σ r² = `before`; unless given, where all its units
/// may move. A start whose gain is far from `worth_it`, and no longer rises by much, is left.
double gain_of_refit(const Matrix& z, const Matrix& labels, const Matrix& forms, const Matrix& outputs,
                     const std::vector<FoundUnit>& starts, const Control& control, std::optional<double> before = {},
                     const std::function<bool(double)>& worth_it = {});

}  // namespace relucover
