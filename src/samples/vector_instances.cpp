#include "samples/vector_instances.hpp"

#include <cmath>

#include "core/check.hpp"
#include "core/random.hpp"

namespace relucover {

namespace {

Matrix matrix_of_condition(Index rows, Index cols, double condition, RandomStream& random) {
  const Index rank = std::min(rows, cols);
  const Matrix left = random_orthonormal(rows, rank, random), right = random_orthonormal(cols, rank, random);
  Vector singular(rank);
  for (Index i = 0; i < rank; ++i)
    singular[i] = rank > 1 ? std::pow(condition, -static_cast<double>(i) / static_cast<double>(rank - 1)) : 1;
  return left * singular.asDiagonal() * right.transpose();
}

}  // namespace

Network vector_network(const VectorNetworkOptions& options) {
  check_positive("inputs", options.inputs);
  check_positive("units", options.units);
  check_positive("outputs", options.outputs);
  if (!(options.weight_condition >= 1) || !(options.output_condition >= 1))
    throw std::invalid_argument("condition numbers must be at least 1");
  RandomStream random(options.seed, purpose::network, 1);
  Network network(options.inputs, options.units, options.outputs, options.activation);
  network.W = matrix_of_condition(options.units, options.inputs, options.weight_condition, random);
  network.A = matrix_of_condition(options.outputs, options.units, options.output_condition, random);
  return network;
}

Network perturbed_weights(Network network, double deviation, std::uint64_t seed) {
  RandomStream random(seed, purpose::network, 2);
  network.W += deviation * random.normal_matrix(network.units(), network.inputs());
  return network;
}

}  // namespace relucover
