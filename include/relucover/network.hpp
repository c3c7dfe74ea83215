#pragma once
// y = A act(W x + b) + skip x + offset: the network, how two of them compare, and its files.
#include <filesystem>
#include <string>
#include <vector>

#include "relucover/types.hpp"

namespace relucover {

enum class Activation { relu, relu2, relu3, expm1, step, sigmoid, abs };

std::string name_of(Activation activation);
/// Throws std::invalid_argument listing the names there are.
Activation activation_named(const std::string& name);
double apply(Activation activation, double value);

struct Network {
  Activation activation = Activation::relu;
  Matrix W;        // units by inputs
  Vector b;        // units
  Matrix A;        // outputs by units
  Matrix skip;     // outputs by inputs
  Vector offset;   // outputs

  Network() = default;
  /// All weights zero.
  Network(Index inputs, Index units, Index outputs, Activation activation = Activation::relu);

  Index inputs() const { return W.cols(); }
  Index units() const { return W.rows(); }
  Index outputs() const { return A.rows(); }
  /// One row per sample in and out.
  RowMatrix evaluate(const Eigen::Ref<const RowMatrix>& x) const;
  std::vector<std::string> problems() const;
};

/// Unit weight vectors where the activation is homogeneous (scale moved to A), units sorted by (b, W), zero units dropped.
Network canonical(const Network& network);

/// Errors of `answer` against `truth` after the best pairing of units (Hungarian), scaling, and sign where up_to_sign.
struct Comparison {
  Index units_truth = 0, units_answer = 0, units_matched = 0;
  double max_weight_error = 0;  // distance of unit weight vectors
  double max_bias_error = 0;
  double max_output_error = 0;
  double function_rms = 0;      // relative, on fresh standard Gaussian inputs
  bool up_to_sign = false;      // some unit had to be turned around
  std::vector<Index> partner;   // truth unit -> answer unit, or -1
};
Comparison compare(const Network& truth, const Network& answer);

/// .json, .npz or .onnx by extension; written to a temporary name, then renamed.
void write_network(const Network& network, const std::filesystem::path& path);
Network read_network(const std::filesystem::path& path);

}  // namespace relucover
