#include "networks/leaky.hpp"

#include <algorithm>
#include <cmath>

#include "core/linear_algebra.hpp"

namespace relucover {

Network without_leak(const Network& network) {
  if (network.activation != Activation::leaky) return network;
  require_one_hidden_layer(network, "a leaky network as ReLUs with a linear term");
  Network plain = network;
  plain.activation = Activation::relu;
  plain.slope = 0;
  plain.A = (1 - network.slope) * network.A;
  if (network.units() == 0) return plain;  // BLAS refuses empty matrices
  plain.skip += network.slope * network.A * network.W;
  plain.offset += network.slope * network.A * network.b;
  return plain;
}

// sum_i a_i relu(u_i) + L = sum_i (a_i / 2) |u_i| + (sum_i a_i u_i / 2 + L). Leaky units of slope s with output weights c_i and signs
// sigma_i have |u_i| with (1 - s) c_i / 2, and a linear part (1 + s) / 2 sum_i sigma_i c_i u_i: so the linear part is
// sum_i tau_i (a_i / 2) u_i with |tau_i| = (1 + s) / (1 - s) for all i.
std::optional<Network> as_leaky(const Network& network, double precision) {
  const Index units = network.units(), inputs = network.inputs(), outputs = network.outputs();
  constexpr Index no_accident = 4;  // equations for a slope: with fewer, any linear term would do
  if (network.deep() || network.activation != Activation::relu || units == 0 || network.skip.isZero(0)) return std::nullopt;
  if (units > inputs * outputs || inputs * outputs < no_accident) return std::nullopt;
  Matrix parts(inputs * outputs, units);
  for (Index i = 0; i < units; ++i) parts.col(i) = (0.5 * network.A.col(i) * network.W.row(i)).reshaped();
  const Matrix linear = network.skip + 0.5 * network.A * network.W;
  const Matrix tau = least_squares(parts, linear.reshaped());
  const double scale = linear.norm() + parts.norm();
  if ((parts * tau - linear.reshaped()).norm() > precision * scale) return std::nullopt;
  const double modulus = tau.cwiseAbs().mean();
  constexpr double no_linear_part = 1e-6;  // absolute values: signs are a convention, and there is nothing leaky about them
  if (modulus < no_linear_part) return std::nullopt;
  if ((tau.cwiseAbs().array() - modulus).abs().maxCoeff() > precision * (1 + modulus) * scale / parts.colwise().norm().minCoeff())
    return std::nullopt;
  Network leaky = network;
  leaky.activation = Activation::leaky;
  leaky.slope = (modulus - 1) / (modulus + 1);
  constexpr double none = 1e-12;
  if (std::abs(leaky.slope) < none || std::abs(1 - leaky.slope) < none) return std::nullopt;
  leaky.A = network.A / (1 - leaky.slope);
  leaky.skip.setZero();
  // The constant part: offset + A b / 2 = offset' + tau A b / 2.
  for (Index i = 0; i < units; ++i) {
    leaky.offset += 0.5 * (1 - tau(i, 0)) * network.A.col(i) * network.b[i];
    if (tau(i, 0) > 0) continue;
    leaky.W.row(i) *= -1;
    leaky.b[i] *= -1;
  }
  return leaky;
}

}  // namespace relucover
