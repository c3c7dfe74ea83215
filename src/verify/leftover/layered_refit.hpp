#pragma once
// Answers of several layers fitted once more: with a further unit, with labels that are far off forgiven.
#include "relucover/progress.hpp"
#include "verify/leftover/further_unit.hpp"
#include "verify/leftover/judged_layers.hpp"

namespace relucover {

/// The answer with one more unit in the layer between `place.from` and `place.to`, two levels apart.
LayeredModel with_further_unit(const JudgedLayers& judged, const UnitPlace& place, const FurtherUnit& unit);

struct LayeredRefit {
  LayeredModel model;
  double squares = 0;  // Σ r² over decorrelated outputs
};
/// All weights of `start` fitted to `samples`, some of the answer's own.
LayeredRefit layered_refit(const JudgedLayers& judged, const MemorySource<double>& samples, const Matrix& decorrelation,
                           const LayeredModel& start, const Control& control);

/// Residuals of these rows, as labels are, of the answer refitted to them with a loss that forgives single entries (Cauchy's).
Matrix forgiving_residual(const JudgedLayers& judged, const std::vector<Index>& rows);

}  // namespace relucover
