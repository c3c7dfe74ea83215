#pragma once
// What the residual looks like as noise: how it goes together over outputs, how heavy its tails are, how its size changes with
// the inputs.
#include "relucover/types.hpp"
#include "verify/leftover/judged.hpp"

namespace relucover {

/// V such that residual V has unit covariance.
Matrix decorrelating(const Matrix& residual);
/// Entries clipped at two robust deviations, then decorrelated: a few wrong ones weigh no more than the rest.
Matrix clipped(Matrix residual);
/// Root mean square over robust deviation, the median over outputs: 1 for normal noise.
double tail_weight(const Matrix& residual);
/// Beyond this no benign noise goes: 1.4 for Laplace's, 1.2 for Student's with 5 degrees of freedom.
inline constexpr double heavy_tails = 1.5;
/// Noise level of every entry: log |r| regressed on x, log |x| and log |f|, at most e^1.5 above its median, so that it follows
/// noise that grows with the inputs but hides no corner of them. Entries within rounding don't count. The fit follows each row as
/// far as its leverage says.
Matrix local_noise(const Judged& answer, const Vector& leverage);

/// The answer refitted with a loss that forgives single entries (Cauchy's, its scale following the median residual down).
struct RobustRefit {
  Matrix forms;  // units by z~, or by x
  Matrix residual;
};
/// Units other than ReLUs have neither biases nor an affine part: `z` is then x, and `forms` W.
RobustRefit robust_refit(const Matrix& z, const Matrix& y, Matrix forms, const Rectifier& unit = {});

}  // namespace relucover
