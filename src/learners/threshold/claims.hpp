#pragma once
// What may be said about a learned first layer: each claim is a function of held-out data and the answer, and says why.
#include <string>

#include "learners/threshold/cell_regression.hpp"
#include "learners/threshold/product_fit.hpp"
#include "learners/threshold/task.hpp"

namespace relucover {

/// What was looked at on held-out data, and whether it holds; the gate makes a status of it (settle).
struct Claim {
  bool given = false;
  std::string reason;  // in words, either way
};
void settle(FirstLayerResult& result, Status status, const Claim& claim);

/// ReLU without noise: every unit's own curve holds on held-out samples to the rounding of the labels, and labels are at rest
/// where no unit is active.
Claim first_layer_is_exact(const SampleSource& source, const LabelView& view, const CellFit& fit, double rounding, const HoldOut& holdout,
                           FirstLayerResult& result, const Control& control);

/// ReLU with noisy labels: halves agree within their predicted errors, cells have the noise of labels at rest, no outliers there.
Claim noisy_first_layer_is_recovered(const SampleSource& source, const LabelView& view, const CellFit& fit, const HoldOut& holdout,
                                     FirstLayerResult& result, const Control& control);

/// The whole model: held-out labels come out to rounding, wherever the products that are active were seen often enough.
Claim upper_part_is_exact(const SampleSource& source, const ThresholdModel& model, const Products& unseen, double rounding,
                          const HoldOut& holdout, FirstLayerResult& result, const Control& control);

/// Units that never rest, all coefficients and directions fitted together: held-out labels come out to rounding.
Claim smooth_model_is_exact(const SampleSource& source, const ProductFit& fit, double rounding, const HoldOut& holdout,
                            FirstLayerResult& result, const Control& control);

}  // namespace relucover
