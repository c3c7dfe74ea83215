#pragma once
// Feed-forward networks of any depth: teachers and models that can be asked. Evaluated in their own precision.
#include <vector>

#include "relucover/network.hpp"

namespace relucover {

/// Values 0 (the input), 1, 2, ...: each step makes one from earlier ones. The last value is the output.
struct FeedForward {
  enum class Kind { affine, add, activation, tanh };
  struct Step {
    Kind kind;
    Index from = 0;
    Index other = -1;  // add: the second summand
    Matrix weights;    // affine: outputs by inputs
    Vector constant;   // affine: outputs, or empty; leaky: a slope for each
    Activation activation = Activation::relu;
  };

  Index inputs = 0;
  Precision precision = Precision::float64;
  std::vector<Step> steps;
  /// What comes after the last value. `evaluate` is before it.
  Link link = Link::identity;

  Index outputs() const;
  /// Columns of value `index`.
  Index width(Index index) const;
  /// One row per sample in and out, computed in the network's precision.
  RowMatrix evaluate(const Eigen::Ref<const RowMatrix>& x) const;
};

FeedForward feed_forward(const Network& network);

/// The same function as a network with one hidden layer, weights kept to the last bit.
/// Throws std::invalid_argument saying what doesn't fit (a second hidden layer, two kinds of activation, ...).
Network one_hidden_layer(const FeedForward& model);

/// The same for any number of hidden layers, one after the other: a layer may see the one below and, linearly around that, the
/// values the one below sees; the output also the inputs.
Network layered_network(const FeedForward& model);

}  // namespace relucover
