#pragma once
// Networks of several layers for the solver, in two forms with one kind of code.
// sign_free: z_0 = (x, 1), u_l = theta_l z_{l-1}, z_l = (z_{l-1}, |u_l|), y = output z_L. Every ReLU network of these widths has this
//   form (relu(t) = (|t| + t)/2), its signs have gone into linear parts that the layers above absorb, and every parameter is free.
// plain: u_l = theta_l (h_{l-1}, 1), h_l = relu(u_l), y = output (h_L, 1).
#include <vector>

#include "relucover/network.hpp"
#include "relucover/types.hpp"

namespace relucover {

struct LayeredModel {
  enum class Form { sign_free, plain };
  Form form = Form::sign_free;
  Index inputs = 0;
  std::vector<RowMatrix> theta;  // of each hidden layer, from below: units by features seen
  RowMatrix output;              // outputs by features seen

  LayeredModel() = default;
  /// Without units; all weights zero.
  LayeredModel(Index inputs, Index depth, Index outputs);

  Index depth() const { return static_cast<Index>(theta.size()); }
  Index outputs() const { return output.rows(); }
  Index width(Index layer) const { return theta[static_cast<std::size_t>(layer)].rows(); }
  std::vector<Index> widths() const;
  Index units() const;
  /// Numbers that data must determine, and scalings of units.
  Index parameters() const;
  /// The same of a model of this shape.
  static Index parameters(Index inputs, const std::vector<Index>& widths, Index outputs, Form form = Form::sign_free);

  // Columns in a row of features: x, 1, values of the first layer, ... (plain: a 1 after the values of every layer).
  Index features() const;
  /// Where the values of a hidden layer stand.
  Index values_at(Index layer) const;
  /// The columns that a layer sees; layer depth() is the output.
  Index seen_begin(Index layer) const;
  Index seen_count(Index layer) const;
  /// The column of the constant that a layer sees.
  Index constant_at(Index layer) const;

  /// Parameters layer by layer, row by row, the output last.
  Vector flat() const;
  void set_flat(const Vector& parameters);

  template <class Visit>
  void fields(Visit& visit) {
    visit(form, inputs, theta, output);
  }
};

/// Sign-free: every row of a hidden layer to length 1, its scale to the columns that see it. The function stays.
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
/// All features of all rows.
RowMatrix features_of(const LayeredModel& model, const Eigen::Ref<const RowMatrix>& x);

LayeredModel plain_model(const Network& network);
Network network_of(const LayeredModel& plain);

}  // namespace relucover
