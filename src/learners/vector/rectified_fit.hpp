#pragma once
// y = A f(W x) + noise for a rectified activation, any number of outputs: least squares from a start, and what may be said about it.
#include <functional>
#include <string>
#include <vector>

#include "relucover/progress.hpp"
#include "relucover/status.hpp"
#include "relucover/types.hpp"

namespace relucover {

/// f(t) for t > 0 and its derivative; f(t) = 0 for t <= 0.
struct Rectifier {
  std::function<double(double)> value, slope;
  /// f(c t) = c^p f(t): the length of w is free, and 1.
  bool homogeneous = true;
};

struct RectifiedFit {
  Matrix W, A;
  double residual_rms = 0;  // of one label, with degrees of freedom
  Matrix covariance;        // of the entries of W (row after row) for noise of deviation 1; zero along w where its length is free
  double condition = 0;     // of the Gram matrix with unit diagonal
  Index unknowns = 0;
};

/// Directions up to sign: for each the side that the labels follow, by regression on both.
Matrix with_signs(const RowMatrix& x, const RowMatrix& y, const Matrix& directions, const Rectifier& f);
/// Levenberg-Marquardt on W with A eliminated (variable projection).
RectifiedFit fit_rectified(const RowMatrix& x, const RowMatrix& y, const Matrix& W, const Rectifier& f, Index max_iterations, const Control& control);

/// What was looked at, for the gate: the stronger claim of the two that the labels allow, and what speaks against it.
struct RectifiedClaim {
  Status claim = Status::recovered;  // exact: the labels leave rounding
  std::vector<std::string> against;
  std::string seen;
};
/// Samples that the fit did not see. Exact: labels come out to rounding. Recovered: halves of the fitted samples, solved apart,
/// agree within their predicted errors; the held-out residual is what the noise predicts; nothing that the answer could lack (a
/// further unit, biases, another shape, smooth parts) shows in the residual, and a further unit half as large as the smallest would.
RectifiedClaim judge_rectified(const RowMatrix& x, const RowMatrix& y, const RowMatrix& held_x, const RowMatrix& held_y, const RectifiedFit& fit,
                               const Rectifier& f, std::uint64_t seed, const Control& control);

}  // namespace relucover
