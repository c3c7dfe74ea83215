#include "verify/network_error.hpp"

#include <cmath>

#include "core/check.hpp"
#include "reduce/reduce.hpp"

namespace relucover {

namespace {

/// The largest residual and its sample: the first of several.
struct Worst {
  double error = 0;
  Index sample = -1;
  void merge(const Worst& other) {
    if (sample < 0 || other.error > error) *this = other;
  }
  void fields(auto& visit) { visit(error, sample); }
};

struct ErrorSums {
  using Scalar = double;
  const Prediction* predict;
  Vector shift;  // near the mean of y, so that the spread does not cancel
  Vector squared, labels, labels_squared;
  Worst worst;

  ErrorSums(const Prediction& of, Vector near_mean)
      : predict(&of), shift(std::move(near_mean)), squared(Vector::Zero(shift.size())), labels(squared), labels_squared(squared) {}

  void add(const Block<double>& block) {
    const RowMatrix residual = block.y - (*predict)(block.x);
    squared += residual.colwise().squaredNorm().transpose();
    const RowMatrix shifted = block.y.rowwise() - shift.transpose();
    labels += shifted.colwise().sum().transpose();
    labels_squared += shifted.colwise().squaredNorm().transpose();
    Index row = 0, column = 0;
    const double largest = residual.cwiseAbs().maxCoeff(&row, &column);
    worst.merge({largest, block.first + row});
  }
  void fields(auto& visit) { visit(squared, labels, labels_squared, worst); }
};

}  // namespace

NetworkError network_error(const Network& network, const SampleSource& source, const Control& control) {
  check_no_problems("network", network.problems());
  check_equal("inputs of " + source.name(), source.inputs(), network.inputs());
  check_equal("outputs of " + source.name(), source.outputs(), network.outputs());
  return prediction_error([&](const auto& x) { return network.serve(x); }, source, control);
}

NetworkError prediction_error(const Prediction& predict, const SampleSource& source, const Control& control) {
  check_positive("samples of " + source.name(), source.samples());
  BlockBuffer<double> buffer;
  const Vector near_mean = source.read(0, 1, buffer).y.row(0).transpose();
  const ErrorSums sums = reduce(source, ErrorSums(predict, near_mean), control);
  const double n = static_cast<double>(source.samples());
  const double values = n * static_cast<double>(source.outputs());
  const double spread = (sums.labels_squared - sums.labels.cwiseAbs2() / n).sum();
  NetworkError error;
  error.samples = source.samples();
  error.rms = std::sqrt(sums.squared.sum() / values);
  error.relative = spread > 0 ? std::sqrt(sums.squared.sum() / spread) : error.rms > 0 ? INFINITY : 0;
  error.max_abs = sums.worst.error;
  error.worst_sample = sums.worst.sample;
  error.output_rms = (sums.squared / n).cwiseSqrt();
  return error;
}

}  // namespace relucover
