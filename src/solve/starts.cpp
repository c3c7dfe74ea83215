#include "solve/starts.hpp"

#include <cmath>

#include "core/random.hpp"

namespace relucover {

SignFreeModel random_start(const Matrix& affine, const StartOptions& options) {
  const Index inputs = affine.cols() - 1, outputs = affine.rows(), units = options.units;
  RandomStream random(options.seed, purpose::starts, static_cast<std::uint64_t>(options.attempt));
  SignFreeModel model(inputs, units, outputs);
  model.affine = affine;
  const double share = std::sqrt(1 / static_cast<double>(units));
  for (Index i = 0; i < units; ++i) {
    model.theta.row(i).head(inputs) = random.normal_vector(inputs).normalized().transpose();
    // Kinks near the center and far out: a unit that few samples see is found only from nearby.
    constexpr double reach[] = {0.5, 1.0, 2.0};
    if (options.bias) model.theta(i, inputs) = options.bias_scale * reach[(i / 2) % 3] * random.normal();
    if (outputs == 1)
      model.output(0, i) = i % 2 == 0 ? share : -share;
    else
      model.output.col(i) = 0.5 * share * random.normal_vector(outputs);
  }
  balance(model);
  return model;
}

}  // namespace relucover
