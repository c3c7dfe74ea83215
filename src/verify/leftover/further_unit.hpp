#pragma once
// A unit that may be missing anywhere in a network of several layers: it sees the values of one level and feeds a level above, through
// which it has an effect on the outputs to first order. Between two neighbouring levels it stands for a layer that is missing, two levels
// up for a unit of the layer between, further up for a path around layers.
#include <vector>

#include "core/random.hpp"
#include "relucover/progress.hpp"
#include "verify/leftover/judged_layers.hpp"

namespace relucover {

/// Residual and tangent functions with the rows of all outputs below each other, outputs decorrelated: noise of deviation 1.
struct StackedAnswer {
  Index rows = 0, outputs = 0;
  Vector residual;  // orthogonal to the basis
  Matrix basis;     // orthonormal; exactly what the answer can do by moving a little
  /// The rows of these samples, with a basis of their own.
  StackedAnswer of(const std::vector<Index>& some) const;
  /// Sums over the outputs of each sample.
  Vector by_sample(const Vector& stacked) const;
};
StackedAnswer stacked_answer(const JudgedLayers& judged, const Matrix& residual, const Matrix& decorrelation);

struct UnitPlace {
  Index from = 0, to = 0;  // levels
  Matrix z1;               // whitened values of level `from`, and 1
  Matrix effect;           // what a unit's value does to the outputs along each of what it feeds; rows as stacked
  Index inputs() const { return z1.cols() - 1; }
  UnitPlace of(const std::vector<Index>& some) const;
  /// The effects of a unit with these values (of every sample).
  Matrix effects_of(const Vector& values) const;
};
/// Every place; `decorrelation` of the outputs.
std::vector<UnitPlace> unit_places(const JudgedLayers& judged, const Matrix& decorrelation);

struct FurtherUnit {
  double gain = 0;  // of |residual|², where all that the answer can do moves with it
  Vector form;      // of z1, unit direction
  Vector weights;   // by which it feeds level `to`
};
/// Where all samples tell; the unit climbs to the best form near.
FurtherUnit climbed_unit(const UnitPlace& place, const StackedAnswer& answer, FurtherUnit unit, Index steps);
/// By falling gain.
std::vector<FurtherUnit> search_place(const UnitPlace& place, const StackedAnswer& answer, Index starts, RandomStream& random,
                                      const Control& control);

struct FurtherCrossFit {
  double score = 0;                // standard deviations
  std::vector<FurtherUnit> found;  // of both halves
};
/// Looked for on one half of the samples, tested on the other, both ways: for each place.
std::vector<FurtherCrossFit> one_further_unit(const std::vector<UnitPlace>& places, const StackedAnswer& answer, RandomStream& random,
                                              const Control& control);

/// The best of many units at every place, against flips.
double many_further_units(const std::vector<UnitPlace>& places, const StackedAnswer& answer, RandomStream& random, const Control& control);
/// Linear paths from every level into every level but the next: the least chance of all places, times their number.
double linear_paths(const std::vector<UnitPlace>& places, const StackedAnswer& answer, RandomStream& random);

}  // namespace relucover
