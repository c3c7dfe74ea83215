#pragma once
// y = A act(W x + b) + skip x + offset, or deeper: the network, how two of them compare, and its files.
#include <filesystem>
#include <string>
#include <vector>

#include "relucover/types.hpp"

namespace relucover {

enum class Activation { relu, relu2, relu3, expm1, step, sigmoid, abs, leaky };

std::string name_of(Activation activation);
/// Throws std::invalid_argument listing the names there are.
Activation activation_named(const std::string& name);
double apply(Activation activation, double value);

/// What turns the outputs of a network into what a model serves.
enum class Link { identity, sigmoid, softmax, log_softmax };

std::string name_of(Link link);  // as on the command line: log-softmax
/// Throws std::invalid_argument listing the names there are.
Link link_named(const std::string& name);
/// What a model with these outputs serves, row by row.
RowMatrix through_link(Link link, RowMatrix outputs);

/// A hidden layer above the first: act(W h + around g + b), h the values of the layer below and g what that layer sees.
struct HiddenLayer {
  Matrix W;       // units by units of the layer below
  Vector b;       // units
  Matrix around;  // a linear path around the layer below, whose units may be linear on the data; empty: none
};

struct Network {
  Activation activation = Activation::relu;
  Matrix W;                        // the first hidden layer: units by inputs
  Vector b;                        // units
  Matrix A;                        // outputs by units of the last hidden layer
  Matrix skip;                     // outputs by inputs
  Vector offset;                   // outputs
  std::vector<HiddenLayer> upper;  // hidden layers above the first, from below; empty: one hidden layer
  Matrix around;                   // a linear path around the last of several hidden layers, outputs by what it sees; empty: none
  double slope = 0;                // of leaky units, below their kink
  Link link = Link::identity;      // after the outputs

  Network() = default;
  /// All weights zero.
  Network(Index inputs, Index units, Index outputs, Activation activation = Activation::relu);

  Index inputs() const { return W.cols(); }
  /// Of the first hidden layer: all there are, unless the network is deep.
  Index units() const { return W.rows(); }
  bool deep() const { return !upper.empty(); }
  /// Units of each hidden layer, from below.
  std::vector<Index> widths() const;
  Index all_units() const;
  Index outputs() const { return A.rows(); }
  /// One row per sample in and out; before the link.
  RowMatrix evaluate(const Eigen::Ref<const RowMatrix>& x) const;
  /// The same after the link: what a model with these weights answers.
  RowMatrix serve(const Eigen::Ref<const RowMatrix>& x) const { return through_link(link, evaluate(x)); }
  std::vector<std::string> problems() const;
};

/// Throws std::invalid_argument naming `who` if the network has more than one hidden layer.
void require_one_hidden_layer(const Network& network, const std::string& who);

/// Unit weight vectors where the activation is homogeneous (scale moved up), units sorted by (b, W) layer by layer, units that
/// nothing depends on dropped.
Network canonical(const Network& network);

/// The same function with ReLUs and a linear term instead of leaky units; other networks unchanged.
Network without_leak(const Network& network);

/// Softmax knows its inputs up to one function of x: the same with the first output 0. Other networks unchanged.
Network in_first_class_gauge(const Network& network);

/// Errors of `answer` against `truth` after the best pairing of units (Hungarian), scaling, and sign where up_to_sign.
struct LayerComparison {
  Index units_truth = 0, units_answer = 0, units_matched = 0;
  double max_weight_error = 0, max_bias_error = 0;
};
/// Of deep networks layer by layer from below, each with the pairing of the one below; the figures here are over all layers.
struct Comparison {
  Index units_truth = 0, units_answer = 0, units_matched = 0;
  double max_weight_error = 0;  // distance of unit weight vectors
  double max_bias_error = 0;
  double max_output_error = 0;
  double function_rms = 0;     // relative, on fresh standard Gaussian inputs
  bool up_to_sign = false;     // some unit had to be turned around
  std::vector<Index> partner;  // truth unit -> answer unit, or -1 (first hidden layer)
  std::vector<LayerComparison> layers;
};
Comparison compare(const Network& truth, const Network& answer);

/// .json, .npz or .onnx by extension; written to a temporary name, then renamed.
void write_network(const Network& network, const std::filesystem::path& path);
Network read_network(const std::filesystem::path& path);

}  // namespace relucover
