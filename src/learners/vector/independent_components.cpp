#include "learners/vector/independent_components.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/linear_algebra.hpp"
#include "core/random.hpp"
#include "decompose/joint_diagonalisation.hpp"
#include "moments/symmetric_packing.hpp"
#include "moments/whitening.hpp"
#include "reduce/reduce.hpp"

namespace relucover {

namespace {

/// Σ z ⊗ z ⊗ z of whitened, sketched labels: z by packed pairs.
struct ThirdCumulant {
  using Scalar = double;
  const Matrix* map;   // outputs by units: y -> z
  const Vector* mean;  // of y
  Matrix sum;
  void add(const Block<double>& block) {
    const RowMatrix z = (block.y.rowwise() - mean->transpose()) * *map;
    sum.noalias() += z.transpose() * packed_squares(z);
  }
  void fields(auto& visit) { visit(sum); }
};

/// Regression of h on x where h stands above a threshold, for every unit.
struct ActiveRegression {
  using Scalar = double;
  const Matrix* map;  // outputs by units: y -> h
  double threshold;
  std::vector<Matrix> gram;
  Matrix cross;  // inputs by units
  void add(const Block<double>& block) {
    const RowMatrix h = block.y * *map;
    for (Index i = 0; i < h.cols(); ++i) {
      const Vector active = (h.col(i).array() > threshold).cast<double>();
      const RowMatrix x = active.asDiagonal() * block.x;
      gram[static_cast<std::size_t>(i)].noalias() += x.transpose() * x;
      cross.col(i).noalias() += x.transpose() * h.col(i);
    }
  }
  void fields(auto& visit) { visit(gram, cross); }
};

}  // namespace

IndependentStart independent_component_start(const SampleSource& source, Index units, std::uint64_t seed, const Control& control) {
  IndependentStart start;
  const Index outputs = source.outputs(), inputs = source.inputs();
  if (units < 1) {
    start.problem = "the labels have no linear part above the noise: no unit to look for";
    return start;
  }
  if (units > outputs || units > inputs) {
    start.problem = fmt::format("independent components need at most as many units as outputs and inputs: {} units, {} outputs, {} inputs",
                                units, outputs, inputs);
    return start;
  }
  RandomStream random(seed, purpose::sketch);
  start.sketch = units == outputs ? Matrix::Identity(units, units) : random.normal_matrix(outputs, units);  // steps 1, 2
  const InputMoments moments = input_moments(source, control);
  const SymmetricEigen eigen = symmetric_eigen(start.sketch.transpose() * moments.label_covariance * start.sketch);
  const Vector variances = eigen.values;
  if (!(variances[0] > 1e-12 * variances[units - 1])) {
    start.problem = fmt::format("the labels have rank below {}: their covariance has condition {:.1e}", units,
                                variances[units - 1] / std::max(variances[0], 1e-300));
    return start;
  }
  const Matrix whiten = start.sketch * eigen.vectors * variances.cwiseSqrt().cwiseInverse().asDiagonal();
  const auto cumulant = reduce(source, ThirdCumulant{&whiten, &moments.label_mean, Matrix::Zero(units, packed_size(units))}, control);
  std::vector<Matrix> slices;
  for (Index i = 0; i < units; ++i)
    slices.push_back(unpack_symmetric(cumulant.sum.row(i).transpose(), units) / static_cast<double>(moments.samples));
  const JointDiagonalisation joint = jointly_diagonalise(slices, control);
  start.off_diagonal = joint.off_diagonal;

  Matrix rotation = joint.vectors;  // columns r_i; the cumulant along r_i is positive: relu is skew to the right
  for (Index i = 0; i < units; ++i) {
    double skewness = 0;
    for (Index s = 0; s < units; ++s) skewness += rotation(s, i) * joint.diagonals(s, i);
    if (skewness < 0) rotation.col(i) *= -1;
  }
  // h = rotationᵀ whitenᵀ y has unit variance and, without centring, is relu(w·x)/std: zero where the unit is off.
  const Matrix to_hidden = whiten * rotation;
  constexpr double threshold = 0.15;  // of the standard deviation of h: above the error of the estimated A
  const auto sums =
      reduce(source,
             ActiveRegression{&to_hidden, threshold, std::vector<Matrix>(static_cast<std::size_t>(units), Matrix::Zero(inputs, inputs)),
                              Matrix::Zero(inputs, units)},
             control);
  start.network = Network(inputs, units, outputs);
  for (Index i = 0; i < units; ++i)
    start.network.W.row(i) = solve_semidefinite(sums.gram[static_cast<std::size_t>(i)], sums.cross.col(i)).transpose();
  // Cov(y, h) = A Cov(relu(W x)) / std, which for independent entries is A times a positive diagonal
  start.network.A = moments.label_covariance * to_hidden;
  if (!start.network.W.allFinite()) start.problem = "a component is never active";
  return start;
}

}  // namespace relucover
