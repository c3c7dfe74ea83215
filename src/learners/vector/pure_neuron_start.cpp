#include "learners/vector/pure_neuron_start.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/linear_algebra.hpp"
#include "decompose/rank_one_span.hpp"
#include "moments/pure_neuron.hpp"

namespace relucover {

namespace {

/// Linear part times the root of E[x xᵀ]: its singular values are in units of the labels.
Svd whitened_linear_part(const QuadraticFit& fit) {
  return thin_svd(fit.linear * semidefinite_root(fit.input_second), SingularVectors::left);
}

/// Rows z with E[z·y] > 0: relu is never negative.
void orient(Matrix& z, const Vector& output_mean) {
  for (Index i = 0; i < z.rows(); ++i)
    if (z.row(i).dot(output_mean) < 0) z.row(i) *= -1;
}

}  // namespace

Index units_from_linear_part(const QuadraticFit& fit) {
  const Vector singular = whitened_linear_part(fit).values;
  const double d = static_cast<double>(fit.linear.cols()), l = static_cast<double>(fit.linear.rows());
  // Largest singular value of pure noise of this variance in the fitted coefficients, twice over.
  const double noise =
      2 * std::sqrt(fit.residual_variance / static_cast<double>(std::max<Index>(fit.samples, 1))) * (std::sqrt(d) + std::sqrt(l));
  const double floor = std::max(noise, 1e-9 * (singular.size() ? singular[0] : 0));
  return (singular.array() > floor).count();
}

Index units_from_label_rank(const QuadraticFit& fit) {
  constexpr double rounding = 1e-12;  // of E[y yᵀ]
  const Vector spectrum = symmetric_eigenvalues(fit.output_second);
  return (spectrum.array() > rounding * spectrum.maxCoeff()).count();
}

Matrix compression(const QuadraticFit& fit, Index units) {
  Matrix kept = units == fit.linear.rows() ? Matrix::Identity(units, units) : Matrix(whitened_linear_part(fit).left.leftCols(units));
  const SymmetricEigen second = symmetric_eigen(kept.transpose() * fit.output_second * kept);
  const Vector floored = second.values.cwiseMax(1e-14 * second.values.maxCoeff());
  if (!(floored.minCoeff() > 0)) return kept;
  return kept * second.vectors * floored.cwiseSqrt().cwiseInverse().asDiagonal();
}

PureNeuronStart pure_neuron_start(const SampleSource& source, const QuadraticFit& fit, Index units, DetectorRows rows, std::uint64_t seed,
                                  const Control& control) {
  PureNeuronStart start;
  if (units > source.outputs() || units > source.inputs()) {
    start.problem = fmt::format("pure neurons need at most as many units as outputs and inputs: {} units, {} outputs, {} inputs", units,
                                source.outputs(), source.inputs());
    return start;
  }
  start.compress = compression(fit, units);
  const Matrix linear = start.compress.transpose() * fit.linear;
  const PureNeuronMoments moments = pure_neuron_moments(source, start.compress, linear, control, 0, source.samples());
  const PureNeuronSpan span = rows == DetectorRows::samples ? null_span_of_gram(moments.sample_gram, units)
                                                            : null_span_of_detector(moments.detector_denoised, units);
  start.detector_spectrum = span.spectrum;
  RandomStream random(seed, purpose::pencil);
  const RankOneVectors found = rank_one_vectors(span.basis, units, random, control);
  start.worst_rank_one_residual = found.residuals.size() ? found.residuals.maxCoeff() : 1;
  if (found.rows.rows() < units) {
    start.problem = fmt::format("the detector's span holds {} separate pure neurons, {} were expected", found.rows.rows(), units);
    return start;
  }
  Matrix z = found.rows;
  orient(z, moments.output_mean);
  start.network = Network(source.inputs(), units, source.outputs());
  start.network.W = 2 * z * linear;  // the linear part is compressᵀ A W / 2 and z compressᵀ A is diagonal
  start.network.A = pseudo_inverse(start.compress.transpose()) * solve_square(z, Matrix::Identity(units, units));
  if (!start.network.W.allFinite() || !start.network.A.allFinite()) {
    start.problem = "the pure neurons found are linearly dependent";
    start.network = Network();
  }
  return start;
}

}  // namespace relucover
