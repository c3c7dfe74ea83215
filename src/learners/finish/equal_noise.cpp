#include "learners/finish/equal_noise.hpp"

#include <cmath>

#include "verify/network_error.hpp"

namespace relucover {

Vector equalising_scales(const Vector& noise) {
  constexpr double most = 20;
  if (!noise.allFinite() || !(noise.minCoeff() > 0)) return Vector::Ones(noise.size());
  return (noise.maxCoeff() / noise.array()).log2().min(most).round().unaryExpr([](double power) { return std::exp2(power); });
}

SignFreeModel scaled_outputs(SignFreeModel model, const Vector& scale) {
  model.output = scale.asDiagonal() * model.output;
  model.affine = scale.asDiagonal() * model.affine;
  balance(model);
  return model;
}

void unscale(const SampleSource& source, const Vector& scale, Result& result) {
  const auto back = scale.cwiseInverse().asDiagonal();
  Network& network = result.network;
  network.A = back * network.A;
  network.skip = back * network.skip;
  network.offset = back * network.offset;
  const double before = result.residual_rms;
  const NetworkError error = network_error(network, source, Control(1));
  const double ratio = before > 0 ? error.rms / before : 1;
  result.residual_rms = error.rms;
  result.residual_relative = error.relative;
  result.holdout_rms *= ratio;
  result.noise_estimate *= ratio;
}

}  // namespace relucover
