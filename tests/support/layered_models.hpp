#pragma once
// Layered models with random weights, and samples of them.
#include "core/random.hpp"
#include "relucover/samples.hpp"
#include "solve/layered.hpp"

namespace relucover {

inline LayeredModel random_layered(LayeredModel::Form form, Index inputs, const std::vector<Index>& widths, Index outputs,
                                   std::uint64_t seed) {
  RandomStream random(seed, purpose::study);
  LayeredModel model(inputs, 0, outputs);
  model.form = form;
  Index seen = inputs + 1;
  for (const Index width : widths) {
    model.theta.push_back(random.normal_matrix(width, seen));
    seen = form == LayeredModel::Form::plain ? width + 1 : seen + width;
  }
  model.output = random.normal_matrix(outputs, seen);
  return model;
}

inline MemorySource<double> samples_of_layered(const LayeredModel& model, Index rows, std::uint64_t seed) {
  RowMatrix x = RandomStream(seed, purpose::inputs).normal_matrix(rows, model.inputs);
  RowMatrix y = predict(model, x);
  return {std::move(x), std::move(y)};
}

}  // namespace relucover
