#include "learners/leaky_fit.hpp"

#include <algorithm>

#include "core/linear_algebra.hpp"
#include "samples/subsample.hpp"
#include "verify/network_error.hpp"

namespace relucover {

namespace {

/// Unknowns: the rows (w_i, b_i), then A row by row, the offset, the slope.
struct LeakyUnknowns {
  Index units, width, outputs;
  explicit LeakyUnknowns(const Network& network) : units(network.units()), width(network.inputs() + 1), outputs(network.outputs()) {}
  Index output_weights() const { return units * width; }
  Index offset() const { return output_weights() + outputs * units; }
  Index slope() const { return offset() + outputs; }
  Index count() const { return slope() + 1; }
};

/// What f changes by with each unknown, for one output: one row for each sample.
Matrix jacobian(const Network& network, const RowMatrix& x, Index output) {
  const LeakyUnknowns at(network);
  const Matrix u = (x * network.W.transpose()).rowwise() + network.b.transpose();
  Matrix j = Matrix::Zero(x.rows(), at.count());
  for (Index i = 0; i < at.units; ++i) {
    const double weight = network.A(output, i);
    const Vector slope = (u.col(i).array() > 0).select(Vector::Ones(x.rows()), network.slope);
    j.middleCols(i * at.width, at.width - 1) = (weight * slope).asDiagonal() * x;
    j.col(i * at.width + at.width - 1) = weight * slope;
    j.col(at.output_weights() + output * at.units + i) = u.col(i).cwiseProduct(slope);
    j.col(at.slope()) += weight * u.col(i).cwiseMin(0);
  }
  j.col(at.offset() + output).setOnes();
  return j;
}

void move(Network& network, const Vector& by) {
  const LeakyUnknowns at(network);
  for (Index i = 0; i < at.units; ++i) {
    network.W.row(i) += by.segment(i * at.width, at.width - 1).transpose();
    network.b[i] += by[i * at.width + at.width - 1];
    for (Index o = 0; o < at.outputs; ++o) network.A(o, i) += by[at.output_weights() + o * at.units + i];
  }
  network.offset += by.segment(at.offset(), at.outputs);
  network.slope += by[at.slope()];
}

}  // namespace

Network fitted_leaky(Network network, const SampleSource& samples, const Control& control) {
  constexpr Index most_unknowns = 2000, per_unknown = 40;
  const LeakyUnknowns at(network);
  if (at.count() > most_unknowns) return network;
  const MemorySource<double> some =
      gather(samples, spread_runs(samples.samples(), std::min(samples.samples(), per_unknown * at.count()), 1), control);
  double error = network_error(network, some, control).rms;
  for (int step = 0; step < 5; ++step) {
    control.check();
    const RowMatrix residual = some.y() - network.evaluate(some.x());
    Matrix gram = Matrix::Zero(at.count(), at.count());
    Vector right = Vector::Zero(at.count());
    for (Index o = 0; o < at.outputs; ++o) {
      const Matrix j = jacobian(network, some.x(), o);
      gram += j.transpose() * j;
      right += j.transpose() * residual.col(o);
    }
    constexpr double scales = 1e-12;  // of units are free
    gram.diagonal() *= 1 + scales;
    const Cholesky factor(std::move(gram));
    if (!factor.definite()) break;
    Network next = network;
    move(next, factor.solve(right));
    const double less = network_error(next, some, control).rms;
    constexpr double worth_it = 0.999;
    if (!(less < worth_it * error)) break;
    network = std::move(next);
    error = less;
  }
  return network;
}

}  // namespace relucover
