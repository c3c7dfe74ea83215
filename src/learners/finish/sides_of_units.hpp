#pragma once
// From |θ·x̃| to ReLUs: on which side each unit is on, and whether the network needs a linear term beside its units.

#include "learners/finish/fitted.hpp"

namespace relucover {

struct SidesOfUnits {
  std::vector<int> signs;
  bool without_skip = false, without_offset = false;  // the linear parts of the units make up all of the affine part
};

/// Signs with which the linear parts of the units add up to the affine part; where several do, those without an offset. Where the data
/// leave something free that a network without a linear term of its own fixes, `fit` moves there. Says in `result` what is ambiguous.
SidesOfUnits choose_sides(Fitted& fit, Result& result);

/// The network; where it has no linear term of its own, the affine part is tied to the units and the fit refined so, if the labels allow.
Network network_of(Fitted& fit, SidesOfUnits& sides, Result& result);

}  // namespace relucover
