#pragma once
// Sums over samples for layered models: the cost, the normal equations of a Levenberg-Marquardt step, and those of the output alone.
#include "reduce/reduce.hpp"
#include "solve/layered.hpp"

namespace relucover {

/// Summed squared residual.
struct LayeredCost {
  using Scalar = double;
  const LayeredModel* model;
  double squares = 0;
  Index samples = 0;
  void add(const Block<double>& block);
  void merge(const LayeredCost& other);
  template <class Visit>
  void fields(Visit& visit) {
    visit(squares, samples);
  }
};

/// Rows of J of one output, samples by parameters in the order of LayeredModel::flat, for samples that were evaluated.
RowMatrix jacobian_of_output(const LayeredModel& model, const LayeredValues& values, Index output);

/// J^T J (lower half) and J^T r over all outputs, in the order of LayeredModel::flat. Real is the precision of the products.
template <class Real>
struct LayeredGram {
  using Scalar = double;
  using Square = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
  const LayeredModel* model;
  Square gram;
  Vector gradient;
  double squares = 0;
  Index samples = 0;
  explicit LayeredGram(const LayeredModel& at);
  void add(const Block<double>& block);
  void merge(const LayeredGram& other);
  template <class Visit>
  void fields(Visit& visit) {
    visit(gram, gradient, squares, samples);
  }
};

/// Z^T Z and Z^T r, Z the features that the output sees: the least-squares problem of the output weights.
struct LayeredOutputSum {
  using Scalar = double;
  const LayeredModel* model;
  Matrix gram, right;
  explicit LayeredOutputSum(const LayeredModel& at);
  void add(const Block<double>& block);
  void merge(const LayeredOutputSum& other);
  template <class Visit>
  void fields(Visit& visit) {
    visit(gram, right);
  }
};

}  // namespace relucover
