#pragma once
// Is there a ridge or a step that no unit of the answer makes? Residuals summed over slabs between two parallel planes.
#include "core/random.hpp"
#include "relucover/progress.hpp"
#include "relucover/types.hpp"
#include "verify/leftover/rough_basis.hpp"

namespace relucover {

/// The largest |sum of the residuals between two planes|² over their number, of all slabs of many widths along many directions
/// (random ones, and normals of planes through rows where the residual is large), against flipped signs. `studentised`: residual
/// over its local noise; `basis` spans the answer's tangent functions; `units`: its own directions, as columns.
/// `even`: noise is of one size and has no tails, so that rows may change places too: how a few large residuals lie tells more than their
/// signs.
double ridges_left(const Matrix& z, const Matrix& studentised, const RoughBasis& basis, const Matrix& units, bool even,
                   RandomStream& random, const Control& control);

}  // namespace relucover
