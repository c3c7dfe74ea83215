// GKLW Algorithms 1 to 4 and the variant of its section 4, as printed. pure_neuron_start is what to use.
#include <fmt/format.h>

#include "core/linear_algebra.hpp"
#include "decompose/rank_one_span.hpp"
#include "learners/vector/pure_neuron_start.hpp"
#include "moments/pure_neuron.hpp"
#include "moments/symmetric_packing.hpp"
#include "reduce/reduce.hpp"

namespace relucover {

namespace {

struct FirstMoments {
  using Scalar = double;
  Matrix cross, input_second;  // sums of y xᵀ and x xᵀ
  Vector output_sum;
  Index rows = 0;
  FirstMoments(Index inputs, Index outputs)
      : cross(Matrix::Zero(outputs, inputs)), input_second(Matrix::Zero(inputs, inputs)), output_sum(Vector::Zero(outputs)) {}
  void add(const Block<double>& block) {
    cross.noalias() += block.y.transpose() * block.x;
    input_second.noalias() += block.x.transpose() * block.x;
    output_sum += block.y.colwise().sum().transpose();
    rows += block.rows();
  }
  void fields(auto& visit) { visit(cross, input_second, output_sum, rows); }
  /// E[y xᵀ] E[x xᵀ]⁻¹
  Matrix linear_part() const { return solve_semidefinite(input_second, cross.transpose()).transpose(); }
};

FirstMoments first_moments(const SampleSource& source, const Control& control, Index begin, Index end) {
  return reduce(source, FirstMoments(source.inputs(), source.outputs()), control, begin, end);
}

/// Columns S of step 5: least right singular vectors of T with T vec*(u uᵀ) = f(u), as packed matrices.
Matrix printed_span(const Matrix& detector, Index units) {
  // T acts on upper triangles without weights, so its off-diagonal columns are √2 times those of the packed detector,
  // and an entry of vec* is 1/√2 of a packed one.
  Matrix weights = Matrix::Constant(units, units, 1.0);
  weights.diagonal().setConstant(1);
  Vector scale = pack_symmetric(weights);  // 1 on the diagonal, √2 off it
  const Matrix printed = detector * scale.asDiagonal();
  const Matrix unweighted = null_span_of_detector(printed, units).basis;
  return scale.asDiagonal() * unweighted;
}

struct SquaredErrorGradient {
  using Scalar = double;
  const Matrix* A;
  const Matrix* W;
  const Matrix* compress;
  Matrix gradient;
  double cost = 0;
  void add(const Block<double>& block) {
    const RowMatrix drive = block.x * W->transpose();
    const RowMatrix active = (drive.array() > 0).cast<double>();
    const RowMatrix error = drive.cwiseProduct(active) * A->transpose() - block.y * *compress;
    gradient.noalias() += (error * *A).cwiseProduct(active).transpose() * block.x;
    cost += error.squaredNorm();
  }
  void fields(auto& visit) { visit(gradient, cost); }
};

/// Gradient descent on W with A fixed (GKLW section 4): steps of one over the largest curvature.
Matrix descend_first_layer(const SampleSource& source, const Matrix& A, Matrix W, const Matrix& compress, const Control& control) {
  constexpr Index max_steps = 300;
  constexpr double tolerance = 1e-9;  // relative decrease of the cost
  const FirstMoments moments = first_moments(source, control, 0, source.samples());
  const double largest = singular_values(A)[0];
  const double curvature = largest * largest * singular_values(moments.input_second)[0];
  double before = std::numeric_limits<double>::infinity();
  for (Index step = 0; step < max_steps && curvature > 0; ++step) {
    const auto sums = reduce(source, SquaredErrorGradient{&A, &W, &compress, Matrix::Zero(W.rows(), W.cols())}, control);
    if (before - sums.cost < tolerance * sums.cost) break;
    before = sums.cost;
    W -= sums.gradient / curvature;
  }
  return W;
}

}  // namespace

Matrix single_neurons(const SampleSource& source, const Control& control, Index begin, Index end) {
  return 2 * first_moments(source, control, begin, end).linear_part();  // GKLW Algorithm 1, step 3
}

PureNeuronStart printed_pure_neuron(const SampleSource& source, Index units, const PrintedPureNeuron& variant, std::uint64_t seed,
                                    const Control& control) {
  PureNeuronStart start;
  const Index outputs = source.outputs();
  if (units > outputs || units > source.inputs() || (!variant.compress_outputs && units != outputs)) {
    start.problem = fmt::format("this algorithm needs {} outputs as units, and no fewer inputs: {} units, {} outputs, {} inputs",
                                variant.compress_outputs ? "at least as many" : "as many", units, outputs, source.inputs());
    return start;
  }
  Index begin = 0;
  const Index end = source.samples();
  start.compress = Matrix::Identity(outputs, units);
  if (variant.compress_outputs) {  // Algorithm 4, steps 1 and 2
    const FirstMoments moments = first_moments(source, control, 0, end / 2);
    start.compress = thin_svd(moments.cross, SingularVectors::left).left.leftCols(units);
    begin = end / 2;
  }
  const Index middle = variant.split_samples ? (begin + end) / 2 : end;  // Algorithm 3, step 2
  const Index second = variant.split_samples ? middle : begin;

  const FirstMoments detector_moments = first_moments(source, control, begin, middle);
  const Matrix linear = start.compress.transpose() * detector_moments.linear_part();
  const PureNeuronMoments moments = pure_neuron_moments(source, start.compress, linear, control, begin, middle);
  const FirstMoments last = first_moments(source, control, second, end);
  PureNeuronMoments both = moments;
  both.output_mean = start.compress.transpose() * last.output_sum;
  start = printed_from_moments(both, last.linear_part(), start.compress, variant, seed, control);
  if (start.problem.empty() && variant.alternating)
    start.network.W = descend_first_layer(source, start.compress.transpose() * start.network.A, start.network.W, start.compress, control);
  return start;
}

PureNeuronStart printed_from_moments(const PureNeuronMoments& moments, const Matrix& linear, const Matrix& compress,
                                     const PrintedPureNeuron& variant, std::uint64_t seed, const Control& control) {
  PureNeuronStart start;
  start.compress = compress;
  const Index units = compress.cols();
  const Matrix& detector = variant.noise_correction ? moments.detector_denoised : moments.detector;
  const Matrix span = printed_span(detector, units);
  start.detector_spectrum = null_span_of_detector(detector, units).spectrum;
  RandomStream random(seed, purpose::pencil);
  const Matrix z =
      variant.alternating ? alternating_least_squares(span, units, random, control) : eigenvectors_of_random_pair(span, units, random);
  if (z.rows() < units) {
    start.problem = "the pair of random matrices has no eigenvectors";
    return start;
  }
  return network_of_pure_neurons(z, moments.output_mean, linear, std::move(start));
}

PureNeuronStart network_of_pure_neurons(Matrix z, const Vector& mean, const Matrix& linear, PureNeuronStart start) {
  for (Index i = 0; i < z.rows(); ++i)  // step 9
    if (z.row(i).dot(mean) < 0) z.row(i) *= -1;
  start.network = Network(linear.cols(), z.rows(), linear.rows());
  start.network.W = 2 * z * start.compress.transpose() * linear;  // steps 11 and 12
  start.network.A = start.compress * pseudo_inverse(z);
  return start;
}

}  // namespace relucover
