#pragma once
// y = A f(W x) + noise for a rectified activation, any number of outputs: least squares from a start.
#include "relucover/progress.hpp"
#include "solve/rectifier.hpp"

namespace relucover {

struct RectifiedFit {
  Matrix W, A;
  double residual_rms = 0;  // of one label, with degrees of freedom
  double condition = 0;     // of the Gram matrix with unit diagonal
  Index unknowns = 0;
};

/// Directions up to sign: for each the side that the labels follow, by regression on both.
Matrix with_signs(const RowMatrix& x, const RowMatrix& y, const Matrix& directions, const Rectifier& f);
/// Levenberg-Marquardt on W with A eliminated (variable projection).
RectifiedFit fit_rectified(const RowMatrix& x, const RowMatrix& y, const Matrix& W, const Rectifier& f, Index max_iterations,
                           const Control& control);

}  // namespace relucover
