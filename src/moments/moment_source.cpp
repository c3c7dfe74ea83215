#include "moments/moment_source.hpp"

#include <algorithm>
#include <cmath>

#include "core/check.hpp"
#include "core/linear_algebra.hpp"
#include "moments/hermite.hpp"
#include "moments/split_tuples.hpp"

namespace relucover {

namespace {

/// Σ r z zᵀ (or Σ r z (z·v) for given v), with z centred but not yet whitened, and r the residual of an affine form.
struct SecondMomentSums {
  using Scalar = double;
  const std::vector<Index>* kept;
  const Vector* mean;
  const Vector* slope;  // on the centred columns kept
  double label_mean;
  const Vector* combination;
  const Matrix* vectors;  // null: the whole matrix
  Matrix total;
  void add(const Block<double>& block) {
    const bool all = mean->size() == block.x.cols();
    const Index step = rows_at_once(2 * mean->size());
    RowMatrix centred, weighted;
    for (Index first = 0; first < block.rows(); first += step) {
      const Index rows = std::min(step, block.rows() - first);
      if (all)
        centred = block.x.middleRows(first, rows).rowwise() - mean->transpose();
      else
        centred = block.x.middleRows(first, rows)(Eigen::all, *kept).rowwise() - mean->transpose();
      const Vector r = (block.y.middleRows(first, rows) * *combination - centred * *slope).array() - label_mean;
      if (vectors)
        weighted = r.asDiagonal() * RowMatrix(centred * *vectors);
      else
        weighted = r.asDiagonal() * centred;
      total.noalias() += centred.transpose() * weighted;
    }
  }
  void fields(auto& visit) { visit(total); }
};

}  // namespace

ExactMoments::ExactMoments(const Network& network) : network_(canonical(network)) {
  check_equal("outputs of the network", network.outputs(), 1);
  require_one_hidden_layer(network, "moments of a network");
  if (network.activation != Activation::relu)
    throw std::invalid_argument("exact moments are those of ReLU networks, not " + name_of(network.activation));
}

double ExactMoments::label_variance() const {
  // E[relu(s + b) relu(t + c)] has no elementary form: Prop. B.1's series, T_k² / k!, until it stops changing.
  const Index m = network_.units();
  double variance = moments(Matrix::Identity(inputs(), inputs()), 1, Control()).tensors[1].values.squaredNorm();
  if (m == 0) return variance;
  const Matrix cosines = network_.W * network_.W.transpose();
  Matrix powers = cosines;
  for (Index k = 2; k <= 60; ++k) {
    powers = powers.cwiseProduct(cosines).eval();
    Vector weights(m);
    for (Index i = 0; i < m; ++i) weights[i] = network_.A(0, i) * relu_hermite_coefficient(k, network_.b[i]);
    variance += weights.dot(powers * weights) / factorial(k);
  }
  return variance;
}

Matrix ExactMoments::second_moment(const Control&) const {
  if (network_.units() == 0) return Matrix::Zero(inputs(), inputs());
  Vector weights(network_.units());
  for (Index i = 0; i < weights.size(); ++i) weights[i] = network_.A(0, i) * relu_hermite_coefficient(2, network_.b[i]);
  return network_.W.transpose() * weights.asDiagonal() * network_.W;  // ATV (4), k = 2
}

HermiteMoments ExactMoments::moments(const Matrix& directions, Index max_order, const Control& control) const {
  check_equal("columns of the directions", directions.cols(), inputs());
  HermiteMoments answer;
  const Matrix projected = network_.units() > 0 ? Matrix(network_.W * directions.transpose()) : Matrix(0, directions.rows());
  for (Index k = 0; k <= max_order; ++k) {
    control.check();
    SymmetricTensor tensor(directions.rows(), k);
    for (Index i = 0; i < network_.units(); ++i)  // ATV (3), (4)
      add_power(tensor, network_.A(0, i) * relu_hermite_coefficient(k, network_.b[i]), projected.row(i).transpose());
    if (k == 0) tensor.values[0] += network_.offset[0];
    if (k == 1) tensor.values += directions * network_.skip.row(0).transpose();
    answer.tensors.push_back(std::move(tensor));
    answer.noise.push_back(0);
  }
  return answer;
}

SampledMoments::SampledMoments(InputMoments moments, Whitening whitening, Vector combination)
    : moments_(std::move(moments)), whitening_(std::move(whitening)), combination_(std::move(combination)) {}

EstimatedMoments::EstimatedMoments(const SampleSource& source, InputMoments moments, Whitening whitening, Vector combination,
                                   EstimationOptions options)
    : SampledMoments(std::move(moments), std::move(whitening), std::move(combination)), source_(source), options_(options) {
  check_equal("outputs combined", combination_.size(), source.outputs());
}

double SampledMoments::label_variance() const { return combination_.dot(moments_.label_covariance * combination_); }

Vector SampledMoments::slope() const {
  const Vector cross = moments_.cross_covariance(whitening_.kept, Eigen::all) * combination_;
  return solve_lower(whitening_.factor, cross);
}

double SampledMoments::affine_residual() const { return std::max(0.0, label_variance() - slope().squaredNorm()); }

Matrix EstimatedMoments::second_moment_times(const Matrix& vectors, const Control& control) const {
  const Vector centred_slope = solve_lower_transposed(whitening_.factor, slope());
  const Matrix centred_vectors = solve_lower_transposed(whitening_.factor, vectors);
  const SecondMomentSums empty{&whitening_.kept,
                               &whitening_.mean,
                               &centred_slope,
                               combination_.dot(moments_.label_mean),
                               &combination_,
                               &centred_vectors,
                               Matrix::Zero(inputs(), vectors.cols())};
  return solve_lower(whitening_.factor, reduce(source_, empty, control).total) / static_cast<double>(source_.samples());
}

Matrix EstimatedMoments::second_moment(const Control& control) const {
  const Vector centred_slope = solve_lower_transposed(whitening_.factor, slope());
  const SecondMomentSums empty{&whitening_.kept,
                               &whitening_.mean,
                               &centred_slope,
                               combination_.dot(moments_.label_mean),
                               &combination_,
                               nullptr,
                               Matrix::Zero(inputs(), inputs())};
  // The residual has mean zero, so T_2 = E[r z zᵀ]: no identity to subtract.
  const Matrix total = reduce(source_, empty, control).total / static_cast<double>(source_.samples());
  const Matrix half = solve_lower(whitening_.factor, total);
  const Matrix whole = solve_lower(whitening_.factor, half.transpose());
  return (whole + whole.transpose()) / 2;
}

View SampledMoments::view(const Matrix& directions) const {
  Matrix forms = Matrix::Zero(directions.rows(), inputs() + 1);
  forms.leftCols(inputs()) = directions;
  const Matrix mapped = whitening_.forms_to_inputs(forms);
  return {mapped.leftCols(whitening_.inputs), mapped.col(whitening_.inputs), combination_};
}

HermiteMoments EstimatedMoments::moments(const Matrix& directions, Index max_order, const Control& control) const {
  check_equal("columns of the directions", directions.cols(), inputs());
  const Index q = directions.rows();
  const double samples = static_cast<double>(source_.samples());
  HermiteMoments answer;
  SymmetricTensor zeroth(q, 0), first(q, 1);
  zeroth.values[0] = combination_.dot(moments_.label_mean);
  first.values = directions * slope();
  const double variance = label_variance();
  answer.tensors = {zeroth, first};
  answer.noise = {std::sqrt(variance / samples), std::sqrt(variance * static_cast<double>(q) / samples)};
  if (max_order < 2) {
    answer.tensors.resize(static_cast<std::size_t>(max_order + 1));
    answer.noise.resize(static_cast<std::size_t>(max_order + 1));
    return answer;
  }
  Index degree = 1;
  const auto affordable = [&](Index candidate) {
    const double features = static_cast<double>(feature_count(q, candidate));
    return samples * features * features <= options_.regression_budget && features * 4 <= samples;
  };
  while (degree < max_order - 1 && affordable(degree + 1)) ++degree;
  const View on_directions = view(directions);
  const auto fits = fit_polynomials(source_, on_directions, degree, control);
  std::vector<MomentRequest> requests;
  for (Index k = 2; k <= max_order; ++k) requests.push_back({k, fits[static_cast<std::size_t>(std::min(k - 1, degree))]});
  const auto residuals = residual_moments(source_, on_directions, requests, control);
  for (Index k = 2; k <= max_order; ++k) {
    const ResidualMoments& residual = residuals[static_cast<std::size_t>(k - 2)];
    answer.tensors.push_back(hermite_from_raw(residual.raw));
    answer.noise.push_back(std::sqrt(residual.spread / samples));
  }
  return answer;
}

}  // namespace relucover
