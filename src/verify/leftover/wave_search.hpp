#pragma once
// A plane wave in any direction: looked for on one half of the samples among many directions and lengths, tested on the other, both ways.
#include "core/random.hpp"
#include "relucover/progress.hpp"
#include "relucover/types.hpp"
#include "verify/leftover/rough_basis.hpp"

namespace relucover {

/// Chance of what the waves found on the halves say about the other halves. `halves`: bases of the answer's tangent functions; `work`:
/// operations to spend on looking, for each half.
double one_more_wave(const Matrix& z, const Matrix& residual, const Halves& halves, double work, RandomStream& random,
                     const Control& control);

}  // namespace relucover
