#pragma once
// Where the weights of a layered model stand among its parameters (LayeredModel::flat), and whose they are.
#include <string>
#include <vector>

#include "solve/layered.hpp"

namespace relucover {

/// As people count: layers from 1.
std::string unit_of_layer(Index layer, Index unit);

struct WeightPlaces {
  explicit WeightPlaces(const LayeredModel& of);
  const RowMatrix& rows(Index layer) const { return model.rows_of(layer); }
  Index at(Index layer, Index row, Index column) const {
    return begin[static_cast<std::size_t>(layer)] + row * rows(layer).cols() + column;
  }
  /// Weights by which the layer above sees a unit.
  std::vector<Index> seen_by(Index layer, Index unit) const;
  /// Where a parameter stands, in words.
  std::string words(Index parameter) const;
  /// The direction in which a unit's row grows and what sees it shrinks.
  Vector scaling_of_unit(Index layer, Index unit) const;

  const LayeredModel& model;
  std::vector<Index> begin;
};

}  // namespace relucover
