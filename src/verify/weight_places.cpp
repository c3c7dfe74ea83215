#include "verify/weight_places.hpp"

#include <fmt/format.h>

namespace relucover {

std::string unit_of_layer(Index layer, Index unit) { return fmt::format("unit {} of layer {}", unit, layer + 1); }

WeightPlaces::WeightPlaces(const LayeredModel& of) : model(of) {
  Index at = 0;
  for (const RowMatrix& layer : of.theta) {
    begin.push_back(at);
    at += layer.size();
  }
  begin.push_back(at);
}

std::vector<Index> WeightPlaces::seen_by(Index layer, Index unit) const {
  std::vector<Index> weights;
  for (Index r = 0; r < rows(layer + 1).rows(); ++r) weights.push_back(at(layer + 1, r, unit));
  return weights;
}

std::string WeightPlaces::words(Index parameter) const {
  Index layer = model.depth();
  while (begin[static_cast<std::size_t>(layer)] > parameter) --layer;
  const Index row = (parameter - begin[static_cast<std::size_t>(layer)]) / rows(layer).cols();
  return layer < model.depth() ? unit_of_layer(layer, row) : fmt::format("output {}", row);
}

Vector WeightPlaces::scaling_of_unit(Index layer, Index unit) const {
  Vector direction = Vector::Zero(model.parameters());
  const RowMatrix& own = rows(layer);
  for (Index c = 0; c < own.cols(); ++c) direction[at(layer, unit, c)] = own(unit, c);
  const RowMatrix& above = rows(layer + 1);
  for (Index r = 0; r < above.rows(); ++r) direction[at(layer + 1, r, unit)] = -above(r, unit);
  return direction;
}

}  // namespace relucover
