#pragma once
// Layered models, and samples of them.
#include "core/random.hpp"
#include "relucover/network.hpp"
#include "relucover/samples.hpp"
#include "solve/layered.hpp"

namespace relucover {

/// The first layers plain, the others sign-free.
inline LayeredModel random_layered(Index plain_layers, Index inputs, const std::vector<Index>& widths, Index outputs, std::uint64_t seed) {
  RandomStream random(seed, purpose::study);
  LayeredModel model(inputs, 0, outputs);
  model.plain_layers = plain_layers;
  for (const Index width : widths) model.theta.push_back(random.normal_matrix(width, model.seen_count(model.depth())));
  model.output = random.normal_matrix(outputs, model.seen_count(model.depth()));
  return model;
}

inline MemorySource<double> samples_of_layered(const LayeredModel& model, Index rows, std::uint64_t seed) {
  RowMatrix x = RandomStream(seed, purpose::inputs).normal_matrix(rows, model.inputs);
  RowMatrix y = predict(model, x);
  return {std::move(x), std::move(y)};
}

/// Two hidden layers of which all units have both sides well seen.
inline Network well_seen_network() {
  Network network(3, 3, 1);
  network.W << 1, 0.2, 0, -0.3, 1, 0.1, 0.2, -0.4, 1;
  network.b << 0.1, -0.2, 0.05;
  network.upper.push_back({(Matrix(2, 3) << 1, -1.2, 0.7, -0.8, 1, 0.9).finished(), (Vector(2) << 0.05, -0.6).finished(), {}});
  network.A = (Matrix(1, 2) << 1, -1.5).finished();
  network.offset << 0.3;
  return network;
}

}  // namespace relucover
