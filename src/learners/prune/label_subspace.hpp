#pragma once
// The directions in which the labels are curved: for Gaussian inputs the span of the units, for others a good guess.
#include "moments/whitening.hpp"

namespace relucover {

struct LabelSubspace {
  Matrix basis;     // inputs by size, orthonormal, in whitened coordinates
  Vector spectrum;  // all eigenvalues, by falling size
};

/// Top eigenvectors of sum_o T_2(y_o)^2, T_2(y) = E[r (z z^T - I)], r the residual of the affine fit, z whitened inputs.
LabelSubspace label_subspace(const SampleSource& source, const InputMoments& moments, const Whitening& whitening, Index size,
                             const Control& control);

}  // namespace relucover
