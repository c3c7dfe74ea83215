#include "moments/pure_neuron.hpp"

#include <algorithm>
#include <cmath>

#include "core/check.hpp"
#include "core/extrema.hpp"
#include "core/linear_algebra.hpp"
#include "moments/symmetric_packing.hpp"
#include "reduce/reduce.hpp"

namespace relucover {

namespace {

struct DetectorSums {
  using Scalar = double;
  Matrix compress, linear;
  Matrix gram, moment, input_second, output_second;
  Vector output_sum;
  Index rows = 0;

  DetectorSums(const Matrix& compress_, const Matrix& linear_)
      : compress(compress_), linear(linear_), gram(Matrix::Zero(packed_size(units()), packed_size(units()))),
        moment(Matrix::Zero(packed_size(inputs()), packed_size(units()))), input_second(Matrix::Zero(inputs(), inputs())),
        output_second(Matrix::Zero(units(), units())), output_sum(Vector::Zero(units())) {}

  Index units() const { return linear.rows(); }
  Index inputs() const { return linear.cols(); }

  void add(const Block<double>& block) {
    const RowMatrix y = block.y * compress;
    const RowMatrix g = block.x * linear.transpose();
    RowMatrix detector(block.rows(), packed_size(units()));
    Index at = 0;
    for (Index a = 0; a < units(); ++a)
      for (Index b = a; b < units(); ++b)
        detector.col(at++) =
            (a == b ? 1.0 : std::numbers::sqrt2) * (y.col(a).cwiseProduct(g.col(b) - y.col(b)) + y.col(b).cwiseProduct(g.col(a)));
    gram.selfadjointView<Eigen::Lower>().rankUpdate(detector.transpose());
    moment.noalias() += packed_squares(block.x).transpose() * detector;
    input_second.noalias() += block.x.transpose() * block.x;
    output_second.noalias() += y.transpose() * y;
    output_sum += y.colwise().sum().transpose();
    rows += block.rows();
  }
  void fields(auto& visit) { visit(gram, moment, input_second, output_second, output_sum, rows); }
};

}  // namespace

PureNeuronMoments pure_neuron_moments(const SampleSource& source, const Matrix& compress, const Matrix& linear, const Control& control,
                                      Index begin, Index end) {
  check_equal("rows of the compression", compress.rows(), source.outputs());
  check_equal("columns of the linear part", linear.cols(), source.inputs());
  check_equal("rows of the linear part", linear.rows(), compress.cols());
  DetectorSums sums = reduce(source, DetectorSums(compress, linear), control, begin, end);
  const double n = static_cast<double>(std::max<Index>(sums.rows, 1));
  PureNeuronMoments moments;
  moments.samples = sums.rows;
  moments.sample_gram = Matrix(sums.gram.selfadjointView<Eigen::Lower>()) / n;
  moments.detector = sums.moment / n;
  moments.output_mean = sums.output_sum / n;
  const Matrix covariance = sums.input_second / n;
  // E[(u·y)²] - 2 E[(u·y) xᵀ] E[x xᵀ]⁻¹ E[(u·y) x] as a quadratic form in u, times E[x ⊗ x]: GKLW (11)
  const Matrix noise_square = sums.output_second / n - 2 * linear * covariance * linear.transpose();
  moments.detector_denoised = moments.detector + pack_symmetric(covariance) * pack_symmetric(noise_square).transpose();
  return moments;
}

PureNeuronSpan null_span_of_gram(const Matrix& gram, Index dimension) {
  const SymmetricEigen eigen = symmetric_eigen(gram);
  PureNeuronSpan span;
  span.basis = eigen.vectors.leftCols(std::min(dimension, gram.cols()));  // fewer outputs than units: there are no more
  const double largest = std::max(largest_of(eigen.values), 1e-300);
  span.spectrum = (eigen.values.cwiseMax(0) / largest).cwiseSqrt();
  return span;
}

PureNeuronSpan null_span_of_detector(const Matrix& detector, Index dimension) {
  return null_span_of_gram(detector.transpose() * detector, dimension);
}

}  // namespace relucover
