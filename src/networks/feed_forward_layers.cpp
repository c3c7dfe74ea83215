// From a feed-forward graph to a network of layers.
#include <fmt/format.h>

#include <map>
#include <stdexcept>

#include "networks/feed_forward.hpp"

namespace relucover {

namespace {

/// A value as a sum of linear maps of levels (0: the inputs, l: hidden layer l) and a constant.
struct OfLevels {
  std::map<Index, Matrix> parts;
  Vector constant;        // empty: zero
  bool identity = false;  // the value is its one level, unchanged: weights of a layer stay as they are, to the last bit
  Index highest() const { return parts.empty() ? 0 : parts.rbegin()->first; }
};

OfLevels level_itself(Index level, Index width) { return {{{level, Matrix::Identity(width, width)}}, {}, true}; }

OfLevels through(const FeedForward::Step& step, const OfLevels& from) {
  OfLevels to;
  for (const auto& [level, part] : from.parts) to.parts[level] = from.identity ? step.weights : Matrix(step.weights * part);
  if (from.constant.size() == 0)
    to.constant = step.constant;
  else
    to.constant = step.constant.size() == 0 ? Vector(step.weights * from.constant) : Vector(step.weights * from.constant + step.constant);
  return to;
}

OfLevels sum_of(const OfLevels& one, const OfLevels& other) {
  OfLevels sum = one;
  sum.identity = false;
  for (const auto& [level, part] : other.parts) {
    Matrix& to = sum.parts[level];
    to = to.size() == 0 ? part : Matrix(to + part);
  }
  if (other.constant.size() > 0) sum.constant = sum.constant.size() == 0 ? other.constant : Vector(sum.constant + other.constant);
  return sum;
}

/// What a layer of `width` units above level `below` computes before the activation.
HiddenLayer layer_of(const OfLevels& value, Index width, Index below, Index below_width) {
  HiddenLayer layer{Matrix::Zero(width, below_width), Vector::Zero(width), {}};
  for (const auto& [level, part] : value.parts) {
    if (level == below)
      layer.W = part;
    else if (level == below - 1)
      layer.around = part;
    else
      throw std::invalid_argument(fmt::format("hidden layer {} sees level {}: a path around more than one layer", below + 1, level));
  }
  if (value.constant.size() > 0) layer.b = value.constant;
  return layer;
}

}  // namespace

Network layered_network(const FeedForward& model) {
  using Kind = FeedForward::Kind;
  std::vector<HiddenLayer> layers;
  std::vector<OfLevels> values{level_itself(0, model.inputs)};
  std::vector<Index> widths{model.inputs};
  Activation activation = Activation::relu;
  double slope = 0;
  for (std::size_t s = 0; s < model.steps.size(); ++s) {
    const FeedForward::Step& step = model.steps[s];
    const OfLevels& from = values[static_cast<std::size_t>(step.from)];
    if (step.kind == Kind::affine) {
      values.push_back(through(step, from));
    } else if (step.kind == Kind::add) {
      values.push_back(sum_of(from, values[static_cast<std::size_t>(step.other)]));
    } else {
      const Index level = from.highest() + 1, width = model.width(static_cast<Index>(s) + 1);
      // One hidden layer in several parts, and all that can't be: the reader of one layer knows the words.
      if (step.kind == Kind::tanh || level != static_cast<Index>(layers.size()) + 1) return one_hidden_layer(model);
      if (!layers.empty() && step.activation != activation) throw std::invalid_argument("it has two kinds of activation");
      if (step.activation == Activation::leaky) {
        if (layers.empty()) slope = step.constant[0];
        if ((step.constant.array() != slope).any()) return one_hidden_layer(model);
      }
      activation = step.activation;
      layers.push_back(layer_of(from, width, level - 1, widths.back()));
      widths.push_back(width);
      values.push_back(level_itself(level, width));
    }
  }
  if (layers.size() < 2) return one_hidden_layer(model);
  Network network(model.inputs, widths[1], model.outputs(), activation);
  network.slope = slope;
  network.link = model.link;
  network.W = layers.front().W;
  network.b = layers.front().b;
  network.upper.assign(layers.begin() + 1, layers.end());
  network.A = Matrix::Zero(model.outputs(), widths.back());
  const Index last = static_cast<Index>(layers.size());
  for (const auto& [level, part] : values.back().parts) {
    if (level == last)
      network.A = part;
    else if (level == last - 1)
      network.around = part;
    else if (level == 0)
      network.skip = part;
    else
      throw std::invalid_argument(fmt::format("the output sees hidden layer {}: a path around more than one layer", level));
  }
  if (values.back().constant.size() > 0) network.offset = values.back().constant;
  return network;
}

}  // namespace relucover
