#pragma once
// Layers of a model that can be asked, from below, by where it bends.
#include <vector>

#include "learners/deep/bent_planes.hpp"

namespace relucover {

struct AskedLayersOptions {
  /// Units of each layer as far as they are known (0: not).
  std::vector<Index> widths;
  /// There are as many layers as widths; else that is found out.
  bool depth_known = false;
  Index most_queries = 0;
};

/// What queries show. The layers of `plain`, from below, are whole: units (w, b) that are on where w·z + b > 0. `forms`, of the layer
/// above them, are known up to sign, and others may be missing.
struct AskedLayers {
  std::vector<RowMatrix> plain;
  RowMatrix forms;
  /// Above these layers the model is linear: the depth is known too.
  bool complete = false;

  bool empty() const { return plain.empty() && forms.rows() == 0; }
  std::vector<Index> widths() const;
};

/// A layer whose rows are independent can be set: any values z > 0 of it are reached by inputs W⁺(z - b), so what is above it can be asked
/// as the model itself was. That ends above the second layer, at a layer with more units than it sees inputs, and at one that something
/// linear passes by.
AskedLayers asked_layers(const AskAt& ask, const RowMatrix& domain, const AskedLayersOptions& options, RandomStream& random,
                         const Control& control);

}  // namespace relucover
