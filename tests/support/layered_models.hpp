#pragma once
// Layered models with random weights, and samples of them.
#include "core/random.hpp"
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

}  // namespace relucover
