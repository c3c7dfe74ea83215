#include "learners/vector/output_fit.hpp"

#include <cmath>

#include "core/linear_algebra.hpp"
#include "networks/activation.hpp"
#include "reduce/reduce.hpp"

namespace relucover {

namespace {

struct HiddenGram {
  using Scalar = double;
  const Network* network;
  Matrix gram, cross;

  explicit HiddenGram(const Network& given)
      : network(&given), gram(Matrix::Zero(given.units(), given.units())), cross(Matrix::Zero(given.units(), given.outputs())) {}
  void add(const Block<double>& block) {
    RowMatrix hidden = block.x * network->W.transpose();
    hidden.rowwise() += network->b.transpose();
    auto values = hidden.array();
    apply_in_place(network->activation, values);
    RowMatrix y = block.y - block.x * network->skip.transpose();
    y.rowwise() -= network->offset.transpose();
    gram.noalias() += hidden.transpose() * hidden;
    cross.noalias() += hidden.transpose() * y;
  }
  void fields(auto& visit) { visit(gram, cross); }
};

struct ResidualSums {
  using Scalar = double;
  const Network* network;
  double residual = 0, labels = 0;
  Vector sum;
  Index rows = 0;
  explicit ResidualSums(const Network& given) : network(&given), sum(Vector::Zero(given.outputs())) {}
  void add(const Block<double>& block) {
    residual += (network->evaluate(block.x) - block.y).squaredNorm();
    labels += block.y.squaredNorm();
    sum += block.y.colwise().sum().transpose();
    rows += block.rows();
  }
  void fields(auto& visit) { visit(residual, labels, sum, rows); }
};

}  // namespace

Network with_fitted_outputs(const SampleSource& source, Network network, const Control& control) {
  const HiddenGram sums = reduce(source, HiddenGram(network), control);
  const Vector scale = sums.gram.diagonal().unaryExpr([](double v) { return v > 0 ? 1 / std::sqrt(v) : 0.0; });
  const Matrix gram = scale.asDiagonal() * sums.gram * scale.asDiagonal();
  network.A = (scale.asDiagonal() * minimum_norm_solution(gram, scale.asDiagonal() * sums.cross)).transpose();
  return network;
}

double relative_residual(const SampleSource& source, const Network& network, const Control& control) {
  const ResidualSums sums = reduce(source, ResidualSums(network), control);
  const double spread = sums.labels - sums.sum.squaredNorm() / static_cast<double>(std::max<Index>(sums.rows, 1));
  return spread > 0 ? sums.residual / spread : sums.residual;
}

}  // namespace relucover
