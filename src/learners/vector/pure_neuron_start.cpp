#include "learners/vector/pure_neuron_start.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <cmath>

#include "decompose/rank_one_span.hpp"
#include "moments/pure_neuron.hpp"

namespace relucover {

namespace {

/// Linear part times the root of E[x xᵀ]: its singular values are in units of the labels.
Eigen::BDCSVD<Matrix> whitened_linear_part(const QuadraticFit& fit) {
  const Eigen::LDLT<Matrix> root(fit.input_second);
  const Matrix lower = root.matrixL();
  const Matrix factor = root.transpositionsP().transpose() * (lower * root.vectorD().cwiseMax(0).cwiseSqrt().asDiagonal());
  return Eigen::BDCSVD<Matrix>(fit.linear * factor, Eigen::ComputeThinU);
}

/// Rows z with E[z·y] > 0: relu is never negative.
void orient(Matrix& z, const Vector& output_mean) {
  for (Index i = 0; i < z.rows(); ++i)
    if (z.row(i).dot(output_mean) < 0) z.row(i) *= -1;
}

}  // namespace

Index units_from_linear_part(const QuadraticFit& fit) {
  const Vector singular = whitened_linear_part(fit).singularValues();
  const double d = static_cast<double>(fit.linear.cols()), l = static_cast<double>(fit.linear.rows());
  // Largest singular value of pure noise of this variance in the fitted coefficients, twice over.
  const double noise = 2 * std::sqrt(fit.residual_variance / static_cast<double>(std::max<Index>(fit.samples, 1))) *
                       (std::sqrt(d) + std::sqrt(l));
  const double floor = std::max(noise, 1e-9 * (singular.size() ? singular[0] : 0));
  return (singular.array() > floor).count();
}

Index units_from_label_rank(const QuadraticFit& fit) {
  constexpr double rounding = 1e-12;  // of E[y yᵀ]
  const Vector spectrum = Eigen::SelfAdjointEigenSolver<Matrix>(fit.output_second, Eigen::EigenvaluesOnly).eigenvalues();
  return (spectrum.array() > rounding * spectrum.maxCoeff()).count();
}

Matrix compression(const QuadraticFit& fit, Index units) {
  const Matrix kept = units == fit.linear.rows() ? Matrix::Identity(units, units)
                                                 : Matrix(whitened_linear_part(fit).matrixU().leftCols(units));
  const Eigen::SelfAdjointEigenSolver<Matrix> second(kept.transpose() * fit.output_second * kept);
  const Vector floored = second.eigenvalues().cwiseMax(1e-14 * second.eigenvalues().maxCoeff());
  if (!(floored.minCoeff() > 0)) return kept;
  return kept * second.eigenvectors() * floored.cwiseSqrt().cwiseInverse().asDiagonal();
}

PureNeuronStart pure_neuron_start(const SampleSource& source, const QuadraticFit& fit, Index units, DetectorRows rows,
                                  std::uint64_t seed, const Control& control) {
  PureNeuronStart start;
  if (units > source.outputs() || units > source.inputs()) {
    start.problem = fmt::format("pure neurons need at most as many units as outputs and inputs: {} units, {} outputs, {} inputs",
                                units, source.outputs(), source.inputs());
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
  const Eigen::PartialPivLU<Matrix> lu(z);
  start.network = Network(source.inputs(), units, source.outputs());
  start.network.W = 2 * z * linear;  // the linear part is compressᵀ A W / 2 and z compressᵀ A is diagonal
  start.network.A = start.compress.transpose().completeOrthogonalDecomposition().pseudoInverse() * lu.inverse();
  if (!start.network.W.allFinite() || !start.network.A.allFinite()) {
    start.problem = "the pure neurons found are linearly dependent";
    start.network = Network();
  }
  return start;
}

}  // namespace relucover
