#pragma once
// Products with the Jacobian J of a layered model, forwards and backwards through its layers: J itself, samples by parameters, is
// never formed. What a product needs of the samples is kept on a tape.
#include <algorithm>
#include <vector>

#include "reduce/reduce.hpp"
#include "solve/layered.hpp"

namespace relucover {

/// Inputs, constants and values of all units for every sample, in the order of the features. Values of sign-free units have the sign
/// that they had before it was dropped, which is their slope too. Different rows may be written by different threads.
template <class Real>
using LayeredTape = RowMajor<Real>;

/// Weights of all layers, the output last, or changes of them.
template <class Real>
using LayeredRows = std::vector<RowMajor<Real>>;
/// Parameters in the order of LayeredModel::flat as rows.
template <class Real>
LayeredRows<Real> layered_rows(const LayeredModel& shape, const Vector& flat);

/// A few samples on their way through the layers.
template <class Real>
class LayeredPass {
 public:
  LayeredPass(const LayeredModel& model, const LayeredRows<Real>& weights) : model_(&model), weights_(&weights) {}

  void look(const Eigen::Ref<const RowMajor<Real>>& rows);  // of a tape
  /// J v: what every output changes by if the weights change by `direction`.
  const RowMajor<Real>& forward(const LayeredRows<Real>& direction);
  /// What the sum of the outputs, weighted by `change` (samples by outputs), changes by with each unit before its activation, layer by
  /// layer, and with each output.
  const RowMajor<Real>& backward(const RowMajor<Real>& change);
  /// Adds Σ by_unit z over the samples, z what the layer of the unit sees: J^T change.
  void add_products(const RowMajor<Real>& by_unit, Vector& flat);
  /// Adds Σ by_unit² z²: to the diagonal of J^T J.
  void add_squares(const RowMajor<Real>& by_unit, Vector& flat);

  const RowMajor<Real>& features() const { return features_; }

 private:
  void add_products(const RowMajor<Real>& by_unit, const RowMajor<Real>& features, Vector& flat);
  void clear_moved();
  /// Columns that a layer sees and that weights below can change.
  Index moving_begin(Index layer) const { return std::max(model_->seen_begin(layer), model_->inputs + 1); }

  const LayeredModel* model_;
  const LayeredRows<Real>* weights_;
  RowMajor<Real> features_, slope_, moved_, by_unit_, predicted_, sum_, squares_;
};

/// J^T r and the cost, in double precision; fills the tape.
template <class Real>
struct LayeredGradient {
  using Scalar = double;
  const LayeredModel* model;
  const LayeredRows<double>* weights;
  LayeredTape<Real>* tape;
  Vector gradient;
  double squares = 0;
  Index samples = 0;
  LayeredGradient(const LayeredModel& at, const LayeredRows<double>& weights_of, LayeredTape<Real>& to)
      : model(&at), weights(&weights_of), tape(&to), gradient(Vector::Zero(at.parameters())) {}
  void add(const Block<double>& block);
  template <class Visit>
  void fields(Visit& visit) {
    visit(gradient, squares, samples);
  }
};

/// J^T J v.
template <class Real>
struct LayeredProduct {
  using Scalar = double;
  const LayeredModel* model;
  const LayeredRows<Real>* weights;
  const LayeredTape<Real>* tape;
  const LayeredRows<Real>* direction;
  Vector product;
  void add(const Block<double>& block);
  template <class Visit>
  void fields(Visit& visit) {
    visit(product);
  }
};

/// What is known cheaply of J^T J: its diagonal, and the moments it would consist of were slopes and features independent.
struct LayeredMoments {
  using Scalar = double;
  const LayeredModel* model;
  const LayeredRows<double>* weights;
  Vector diagonal;
  Matrix slopes;    // Σ g g^T, g by units and outputs: derivatives of an output, summed over outputs (lower half)
  Matrix features;  // Σ z z^T (lower half)
  Index samples = 0;
  LayeredMoments(const LayeredModel& at, const LayeredRows<double>& weights_of);
  void add(const Block<double>& block);
  template <class Visit>
  void fields(Visit& visit) {
    visit(diagonal, slopes, features, samples);
  }
};

}  // namespace relucover
