// The gate for A f(W x), f a rectified activation other than ReLU.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/linear_algebra.hpp"
#include "reduce/reduce.hpp"
#include "verify/gate.hpp"
#include "verify/gate_parts.hpp"
#include "verify/leftover/features.hpp"
#include "verify/leftover/leftover_tests.hpp"
#include "verify/leftover/noise_shape.hpp"
#include "verify/network_error.hpp"

namespace relucover {

namespace {

/// Sums over samples that say how well each parameter is known: TᵀT of the tangent functions T = {f(t_i), f'(t_i) x}, xᵀx, and on how many
/// samples two units stand on the same side.
struct RectifiedSums {
  using Scalar = double;
  const ClaimedRectified* claimed;
  Matrix gram, inputs, signs, on;
  void add(const Block<double>& block) {
    const Matrix x = block.x, t = x * claimed->W.transpose(), tangent = tangent_of(x, t, claimed->f);
    gram.noalias() += tangent.transpose() * tangent;
    inputs.noalias() += x.transpose() * x;
    const Matrix positive = (t.array() > 0).cast<double>(), sign = 2 * positive.array() - 1;
    signs.noalias() += sign.transpose() * sign;
    on += positive.colwise().sum();
  }
  void fields(auto& visit) { visit(gram, inputs, signs, on); }
};

RectifiedSums sums_of(const ClaimedRectified& claimed, const Control& control) {
  const Index k = claimed.W.rows(), d = claimed.W.cols(), width = k * (d + 1);
  return reduce(claimed.samples,
                RectifiedSums{&claimed, Matrix::Zero(width, width), Matrix::Zero(d, d), Matrix::Zero(k, k), Matrix::Zero(1, k)}, control);
}

/// Σ over outputs of weight_o J_oᵀ J_o, parameters W row by row and then A row by row.
Matrix weighted_gram(const ClaimedRectified& claimed, const Matrix& gram, const Vector& weights) {
  const Index k = claimed.W.rows(), d = claimed.W.cols(), l = claimed.A.rows();
  Matrix all = Matrix::Zero(k * (d + l), k * (d + l));
  const Matrix outputs = claimed.A.transpose() * weights.asDiagonal() * claimed.A;
  for (Index i = 0; i < k; ++i)
    for (Index j = 0; j < k; ++j) all.block(i * d, j * d, d, d) = outputs(i, j) * gram.block(k + i * d, k + j * d, d, d);
  for (Index o = 0; o < l; ++o) {
    const Index at = k * d + o * k;
    all.block(at, at, k, k) = weights[o] * gram.topLeftCorner(k, k);
    for (Index i = 0; i < k; ++i) {
      all.block(i * d, at, d, k) = weights[o] * claimed.A(o, i) * gram.block(k + i * d, 0, d, k);
      all.block(at, i * d, k, d) = all.block(i * d, at, d, k).transpose();
    }
  }
  return all;
}

/// Errors that noise of these deviations, one for each output, leaves in every unit, relative to its size; empty: not determined.
Vector unit_errors(const ClaimedRectified& claimed, const RectifiedSums& sums, const Vector& noise) {
  constexpr double regular = 1e-10;
  const Index k = claimed.W.rows(), d = claimed.W.cols(), l = claimed.A.rows();
  Matrix gram = weighted_gram(claimed, sums.gram, Vector::Ones(l));
  for (Index i = 0; i < k && claimed.f.homogeneous; ++i) {  // the length of w is A's
    const Vector w = claimed.W.row(i).normalized().transpose();
    gram.block(i * d, i * d, d, d) += gram.block(i * d, i * d, d, d).trace() * w * w.transpose();
  }
  const Vector scale = gram.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
  gram = scale.asDiagonal() * gram * scale.asDiagonal();
  const Vector values = symmetric_eigenvalues(gram);
  if (!values.allFinite() || !(values.minCoeff() > regular * values.maxCoeff())) return {};
  const Matrix spread = scale.asDiagonal() * weighted_gram(claimed, sums.gram, noise.cwiseAbs2()) * scale.asDiagonal();
  const Matrix half = solve_semidefinite(gram, spread);
  const Matrix covariance = scale.asDiagonal() * Matrix(solve_semidefinite(gram, half.transpose())) * scale.asDiagonal();
  Vector errors(k);
  for (Index i = 0; i < k; ++i) {
    const double size = claimed.W.row(i).dot(claimed.W.row(i) * sums.inputs);
    const double along = covariance.block(i * d, i * d, d, d).cwiseProduct(sums.inputs).sum() / std::max(size, 1e-300);
    double outputs = 0;
    for (Index o = 0; o < l; ++o) outputs += covariance(k * d + o * k + i, k * d + o * k + i);
    errors[i] = std::sqrt(std::max({0.0, along, outputs / std::max(claimed.A.col(i).squaredNorm(), 1e-300)}));
  }
  return errors;
}

/// Fewest samples on one side of a unit, or between two.
Index fewest_on_a_side(const RectifiedSums& sums, Index samples) {
  const double n = static_cast<double>(samples);
  double fewest = std::min(sums.on.minCoeff(), n - sums.on.maxCoeff());
  for (Index i = 0; i < sums.signs.rows(); ++i)
    for (Index j = 0; j < i; ++j) fewest = std::min(fewest, (n - std::abs(sums.signs(i, j))) / 2);
  return static_cast<Index>(std::lround(fewest));
}

/// Root mean square of the absolute values that are added up to a prediction.
double magnitude_of(const ClaimedRectified& claimed) {
  BlockBuffer<double> buffer;
  const auto block = claimed.samples.read(0, std::min<Index>(claimed.samples.samples(), 1000), buffer);
  const Matrix sums = claimed.f.values(block.x.cwiseAbs() * claimed.W.cwiseAbs().transpose()) * claimed.A.cwiseAbs().transpose();
  return std::sqrt(sums.squaredNorm() / static_cast<double>(std::max<Index>(sums.size(), 1)));
}

/// The weights as a network, for what only counts or multiplies by them.
Network weights_of(const ClaimedRectified& claimed) {
  Network network(claimed.W.cols(), claimed.W.rows(), claimed.A.rows());
  network.W = claimed.W;
  network.A = claimed.A;
  return network;
}

}  // namespace

Certificate Gate::judge_rectified(const ClaimedRectified& claimed, const Control& control) {
  constexpr double roundings = 512;    // powers and exponentials lose more digits than sums
  constexpr double nearly_all = 1e-9;  // where weights are huge, their rounding would excuse anything
  constexpr double largest_error = 1e-4;
  constexpr Index most_unknowns = 4000;
  const Network weights = weights_of(claimed);
  if (weights.units() == 0) return refuse("no unit stands out of the noise");
  if (!claimed.W.allFinite() || !claimed.A.allFinite()) return refuse("the weights are not finite");
  if (unknowns_of(weights) > most_unknowns) return refuse(fmt::format("{} unknowns are too many to certify", unknowns_of(weights)));
  const auto predict = [&](const Eigen::Ref<const RowMatrix>& x) {
    return RowMatrix(claimed.f.values(x * claimed.W.transpose()) * claimed.A.transpose());
  };
  const NetworkError error = prediction_error(predict, claimed.samples, control);
  const double allowed = roundings * std::numeric_limits<double>::epsilon() * magnitude_of(claimed);
  const LabelGrid grid = label_grid(claimed.samples, control);
  if (!(error.rms <= allowed) || !(error.relative <= nearly_all)) return recovered_rectified(claimed, weights, grid, control);
  if (const auto problem = too_few_equations(claimed.samples, weights, grid, control)) return refuse(*problem);
  const RectifiedSums sums = sums_of(claimed, control);
  if (const Index fewest = fewest_on_a_side(sums, claimed.samples.samples()); fewest < weights.inputs() + 2)
    return refuse(fmt::format("the function is exact on the data, but only {} samples lie on one side of a unit, or between two", fewest));
  const Vector errors =
      unit_errors(claimed, sums, Vector::Constant(weights.outputs(), std::max(error.rms, grid.rounding() / std::sqrt(3.0))));
  if (errors.size() == 0) return refuse("the function is exact on the data, but some parameters are not determined by it");
  if (!(errors.maxCoeff() < largest_error))
    return refuse(fmt::format("the function is exact on the data, but rounding alone leaves a relative error of {:.1e} in some unit",
                              errors.maxCoeff()));
  return certain(Status::exact, fmt::format("every label is explained to rounding ({:.1e} relative), and every parameter is determined; "
                                            "predicted relative error of the worst unit {:.1e}",
                                            error.relative, errors.maxCoeff()));
}

Certificate Gate::recovered_rectified(const ClaimedRectified& claimed, const Network& weights, const LabelGrid& grid,
                                      const Control& control) {
  using namespace noisy_claims;
  constexpr double least_between = 0.05, largest_bias = 0.25, largest_growth = 0.25;
  Certificate certificate;
  const auto refused = [&](std::string why) {
    certificate.reason = std::move(why);
    return certificate;
  };
  if (claimed.samples.samples() * claimed.samples.outputs() < fewest_equations * unknowns_of(weights))
    return refused(
        fmt::format("{} samples are too few to judge {} unknowns with noisy labels", claimed.samples.samples(), unknowns_of(weights)));
  const Judged answer = judged(judged_rows(claimed.samples, weights, claimed.seed, control), weights, grid, {}, claimed.f);
  if (!answer.residual.allFinite() || !answer.tangent.allFinite())
    return refused("the activation's values or slopes overflow on the samples");
  certificate.figures["residual_tail"] = tail_weight(answer.residual);
  if (const auto problem = repeated_samples(answer)) return refused(*problem);
  const RectifiedSums sums = sums_of(claimed, control);
  const Vector noise = (answer.residual.colwise().squaredNorm() / static_cast<double>(answer.rows())).cwiseSqrt();
  const Vector errors = unit_errors(claimed, sums, noise);
  if (errors.size() == 0) return refused("some parameters are not determined by the data");
  const double largest = errors.cwiseProduct(noise_at_units(answer)).maxCoeff();
  certificate.figures["largest_relative_unit_error"] = largest;
  if (!(largest < largest_unit_error)) return refused(fmt::format("a unit is known only to {:.0f}% of its size", 100 * largest));
  const double between = share_of(fewest_on_a_side(sums, claimed.samples.samples()), claimed.samples.samples());
  certificate.figures["least_sign_difference"] = between;
  if (between < least_between)
    return refused(
        fmt::format("only {:.1f}% of the samples lie on one side of a unit, or between two, so noise hides how they mix", 100 * between));
  const LeftoverVerdict left = nothing_left(answer, weights, grid, claimed.seed, control);
  for (const auto& [name, chance] : left.chances) certificate.figures["chance_" + name] = chance;
  certificate.figures["residual_tail"] = left.tail;
  certificate.figures["bias_limit"] = left.bias_limit;
  certificate.figures["growth_limit"] = left.growth_limit;
  certificate.detection_limit = left.detection_limit;
  if (!left.refusal.empty()) {
    certificate.something_left = true;
    return refused(left.refusal);
  }
  const auto hides = [&](const char* what, double limit, double most) {
    return refused(fmt::format("{} {:.2g} could hide in the noise; about {:.2g} samples would show it", what, limit,
                               1.1 * std::pow(limit / most, 2) * static_cast<double>(answer.rows())));
  };
  if (!(left.detection_limit < largest_limit))
    return hides("a further unit, relative to the smallest one found, of", left.detection_limit, largest_limit);
  if (!(left.bias_limit < largest_bias)) return hides("a bias, relative to the spread of its unit, of", left.bias_limit, largest_bias);
  if (!(left.growth_limit < largest_growth)) return hides("an activation whose exponent differs by", left.growth_limit, largest_growth);
  Certificate given = certain(
      Status::recovered,
      fmt::format(
          "nothing is left that noise would not leave; a further unit of {:.2g} times the smallest one, a bias of {:.2g} of a unit's "
          "spread, an exponent that differs by {:.2g} would have shown",
          left.detection_limit, left.bias_limit, left.growth_limit));
  given.figures = std::move(certificate.figures);
  given.detection_limit = certificate.detection_limit;
  return given;
}

}  // namespace relucover
