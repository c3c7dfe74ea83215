#pragma once
#include <optional>

#include "learners/deep/bent_planes.hpp"

namespace relucover {

/// On which side of its plane each unit of the lowest layer is on (±1 for each row of `forms`), where the rows are independent: along the
/// direction that moves one unit alone, nothing changes on the side where it is off. None: a unit has no such side (something
/// linear passes by the layer, or a unit of it was not seen), or there are more units than inputs.
std::optional<Vector> asked_signs(const RowMatrix& forms, const AskAt& ask, const RowMatrix& domain, RandomStream& random);

}  // namespace relucover
