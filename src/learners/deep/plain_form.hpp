#pragma once
// From the sign-free form to a plain ReLU network, layer by layer.
#include <optional>

#include "learners/deep/deep_data.hpp"

namespace relucover {

struct PlainForm {
  LayeredModel model;
  /// Units at the end of each layer that stand for a linear part: on at every sample, and so known only as what they add up to.
  std::vector<Index> linear;
};
/// The units of each layer regressed on the values of the layer below, their signs by the linear parts of the layer above. A linear
/// part that no signs explain becomes linear units. What is left over below `tolerance` of its size counts as none.
PlainForm plain_form(const LayeredModel& sign_free, const RowMatrix& x, const RowMatrix& y, double tolerance = 1e-6);

/// Without the units that no output of these samples would miss by more than `missed`; none: every one is needed.
std::optional<PlainForm> without_idle_units(const PlainForm& plain, const RowMatrix& x, double missed);

/// Signs s of the units of a layer: the layer above has B |u| + B diag(s) u + constants, so its linear part is B diag(s) theta. Least
/// squares over all rows above, robust to rows that the data do not determine. |s| = 1 where all is well.
Vector signs_of_layer(const LayeredModel& sign_free, Index layer);

}  // namespace relucover
