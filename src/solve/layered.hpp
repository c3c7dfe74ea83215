#pragma once
// Networks of several layers for the solver, in two forms with one kind of code.
// sign_free: z_0 = (x, 1), u_l = theta_l z_{l-1}, z_l = (z_{l-1}, |u_l|), y = output z_L. Every ReLU network of these widths has this
//   form (relu(t) = (|t| + t)/2), its signs have gone into linear parts that the layers above absorb, and every parameter is free.
// plain: u_l = theta_l (h_{l-1}, 1), h_l = relu(u_l), y = output (h_L, 1).
// And between them: layers whose signs are known are plain, from below, and the values of the last of these are to the layers above,
// which are sign-free, what x is to a model without plain layers.
#include <vector>

#include "relucover/network.hpp"
#include "relucover/types.hpp"

namespace relucover {

struct LayeredModel {
  Index inputs = 0;
  Index plain_layers = 0;        // from below; the others are sign-free
  std::vector<RowMatrix> theta;  // of each hidden layer, from below: units by features seen
  RowMatrix output;              // outputs by features seen

  LayeredModel() = default;
  /// Without units; all weights zero.
  LayeredModel(Index inputs, Index depth, Index outputs);
  /// With these plain layers, from below, and no units above.
  LayeredModel(Index inputs, std::vector<RowMatrix> plain, Index depth, Index outputs);

  Index depth() const { return static_cast<Index>(theta.size()); }
  bool plain() const { return plain_layers == depth(); }
  Index outputs() const { return output.rows(); }
  Index width(Index layer) const { return theta[static_cast<std::size_t>(layer)].rows(); }
  std::vector<Index> widths() const;
  Index units() const;
  /// Numbers that data must determine, and scalings of units.
  Index parameters() const;
  /// The same of a model of this shape.
  static Index parameters(Index inputs, const std::vector<Index>& widths, Index outputs, Index plain_layers = 0);

  // Columns in a row of features: x, 1, values of the first layer, ... (a 1 after the values of every plain layer).
  Index features() const;
  /// Where the values of a hidden layer stand.
  Index values_at(Index layer) const;
  /// The columns that a layer sees; layer depth() is the output.
  Index seen_begin(Index layer) const;
  Index seen_count(Index layer) const;
  /// The column of the constant that a layer sees.
  Index constant_at(Index layer) const;
  /// Weights of a layer; layer depth() is the output.
  RowMatrix& rows_of(Index layer) { return layer < depth() ? theta[static_cast<std::size_t>(layer)] : output; }
  const RowMatrix& rows_of(Index layer) const { return layer < depth() ? theta[static_cast<std::size_t>(layer)] : output; }

  /// Parameters layer by layer, row by row, the output last.
  Vector flat() const;
  void set_flat(const Vector& parameters);

  template <class Visit>
  void fields(Visit& visit) {
    visit(inputs, plain_layers, theta, output);
  }
};

/// Not plain: every row of a hidden layer to length 1, its scale to the columns that see it. The function stays.
void balance(LayeredModel& model);

/// Without unit `unit` of `layer`, and the columns that see it.
LayeredModel without_unit(const LayeredModel& model, Index layer, Index unit);

/// What a model computes for rows of samples.
struct LayeredValues {
  RowMatrix features;            // samples by features
  std::vector<RowMatrix> slope;  // of the activation: ±1, or 0 and 1 (plain); samples by units
  RowMatrix predicted;
};
void evaluate(const LayeredModel& model, const Eigen::Ref<const RowMatrix>& x, LayeredValues& values);
RowMatrix predict(const LayeredModel& model, const Eigen::Ref<const RowMatrix>& x);
/// The derivative of an output by every feature, x first, for rows that were evaluated.
RowMatrix derivative_by_features(const LayeredModel& model, const LayeredValues& values, Index output);
/// All features of all rows.
RowMatrix features_of(const LayeredModel& model, const Eigen::Ref<const RowMatrix>& x);

LayeredModel plain_model(const Network& network);
Network network_of(const LayeredModel& plain);

}  // namespace relucover
