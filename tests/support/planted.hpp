#pragma once
// Planted problems in memory, for tests.
#include "relucover/relucover.hpp"

namespace relucover::test {

struct Planted {
  Network truth;
  MemorySource<double> samples;
};

inline Planted planted(const PlantedOptions& network, SyntheticOptions options) {
  Network truth = planted_network(network);
  options.seed = network.seed;
  const auto source = synthetic_samples(truth, options);
  BlockBuffer<double> buffer;
  source->read(0, options.samples, buffer);
  return {std::move(truth), MemorySource<double>(std::move(buffer.x), std::move(buffer.y))};
}

/// Samples of any function of the inputs, standard Gaussian.
template <class Function>
MemorySource<double> labelled(Index samples, Index inputs, std::uint64_t seed, Function label) {
  SyntheticOptions options;
  options.samples = samples;
  options.seed = seed;
  const auto source = synthetic_samples(Network(inputs, 1, 1), options);
  BlockBuffer<double> buffer;
  source->read(0, samples, buffer);
  for (Index i = 0; i < samples; ++i) buffer.y(i, 0) = label(Vector(buffer.x.row(i).transpose()));
  return MemorySource<double>(std::move(buffer.x), std::move(buffer.y));
}

}  // namespace relucover::test
