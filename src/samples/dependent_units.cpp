#include "samples/dependent_units.hpp"

#include "core/check.hpp"
#include "core/linear_algebra.hpp"
#include "core/random.hpp"

namespace relucover {

Network dependent_network(Index inputs, Index units, std::uint64_t seed) {
  check_positive("inputs", inputs);
  check_positive("units beyond the inputs", units - inputs);
  RandomStream random(seed, purpose::network, 48);
  Network network(inputs, units, 1);
  network.W = random.normal_matrix(units, inputs);
  network.W.rowwise().normalize();
  // A random vector less its part in the span of the columns of W leaves Σ a_i w_i = 0.
  const Matrix span = orthonormal_basis(network.W);
  Vector a = random.normal_vector(units);
  for (int twice = 0; twice < 2; ++twice) a -= span * (span.transpose() * a);
  network.A = a.transpose();
  return network;
}

}  // namespace relucover
