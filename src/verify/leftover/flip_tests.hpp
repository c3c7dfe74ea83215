#pragma once
// Does the residual go with something that the inputs know? Flipping its signs at random says what chance would do, whatever the
// size, the spread and the shape of the noise.
#include <vector>

#include "core/random.hpp"
#include "relucover/progress.hpp"
#include "relucover/types.hpp"
#include "verify/leftover/rough_basis.hpp"

namespace relucover {

/// Is the answer an optimum of its own form? |basisᵀ r|², against flips. `basis` spans its tangent functions.
double not_an_optimum(const Matrix& residual, const RoughBasis& basis, RandomStream& random);

/// Hats, steps and tilted hats at the answer's own kinks, at all scales down to a handful of rows, orthogonal to what it can do:
/// the largest of their scores. Sees smooth bends, steps, and two units that were taken for one.
double shapes_at_kinks(const Matrix& residual, const Matrix& t, const Matrix& z, const RoughBasis& basis, RandomStream& random,
                       const Control& control = {});

/// The same for the few rows next to each kink, where flipping signs can't tell much: residuals over their local noise, clipped,
/// and rows permuted. Sees a bend so sharp, or a step so small, that two to sixty samples show it.
double bumps_at_kinks(const Matrix& studentised, const Matrix& t, RandomStream& random, const Control& control = {});

/// Do near rows err alike? rᵀ K r with Gaussian kernels of three widths: sees smooth terms, sines, deeper functions.
double smooth_leftover(const Matrix& residual, const Matrix& z, const RoughBasis& basis, RandomStream& random, Index most_rows = 1000);

/// Plane waves in many directions, of many lengths: sees what changes too fast for near rows to err alike.
double waves_left(const Matrix& residual, const Matrix& z, const RoughBasis& basis, RandomStream& random, const Control& control = {});

/// Do rows of equal inputs err together? `groups`: rows of equal inputs.
double equal_inputs_err_together(const Matrix& residual, const std::vector<std::vector<Index>>& groups, RandomStream& random);

}  // namespace relucover
