#include "learners/vector/order_two_tensor.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/linear_algebra.hpp"
#include "decompose/rank_one_span.hpp"
#include "moments/hermite.hpp"
#include "moments/symmetric_packing.hpp"

namespace relucover {

namespace {

/// T_2 and T_1 of the labels in whitened inputs x = mean + L z.
struct WhitenedMoments {
  Matrix factor;               // L
  std::vector<Matrix> second;  // per output: inputs by inputs
  Matrix first;                // outputs by inputs
  bool usable = false;
};

WhitenedMoments whitened_moments(const QuadraticFit& fit) {
  WhitenedMoments moments;
  const Cholesky root(fit.input_second - fit.input_mean * fit.input_mean.transpose());
  const Index d = fit.input_mean.size(), l = fit.linear.rows();
  if (!root.definite() || fit.degree != 2) return moments;
  moments.factor = root.lower();
  moments.first.resize(l, d);
  for (Index o = 0; o < l; ++o) {
    const Matrix curvature = unpack_symmetric(fit.quadratic.row(o).transpose(), d);
    moments.second.push_back(2 * moments.factor.transpose() * curvature * moments.factor);
    moments.first.row(o) = (fit.linear.row(o) + 2 * fit.input_mean.transpose() * curvature) * moments.factor;
  }
  moments.usable = true;
  return moments;
}

Svd slices_side_by_side(const WhitenedMoments& moments) {
  const Index d = moments.factor.rows();
  Matrix wide(d, d * static_cast<Index>(moments.second.size()));
  for (std::size_t o = 0; o < moments.second.size(); ++o) wide.middleCols(static_cast<Index>(o) * d, d) = moments.second[o];
  return thin_svd(std::move(wide), SingularVectors::left);
}

/// T_2 as outputs by packed pairs, restricted to the range P of all slices.
Matrix packed_slices(const WhitenedMoments& moments, const Matrix& range) {
  Matrix packed(static_cast<Index>(moments.second.size()), packed_size(range.cols()));
  for (std::size_t o = 0; o < moments.second.size(); ++o)
    packed.row(static_cast<Index>(o)) = pack_symmetric(range.transpose() * moments.second[o] * range).transpose();
  return packed;
}

struct OutputsOfDirections {
  Matrix A;         // outputs by units, times φ(b)
  double residual;  // squared
};

/// Least squares for A in T_2 = Σ A_j ⊗ pack(v_j v_j).
OutputsOfDirections outputs_of(const Matrix& slices, const Matrix& directions) {
  const Matrix squares = packed_squares(directions);
  const Matrix A = minimum_norm_solution(squares.transpose(), slices.transpose()).transpose();
  return {A, (slices - A * squares).squaredNorm()};
}

/// The set of directions, of all tried, that explains T_2 best.
Matrix directions_of(const Matrix& slices, Index units, const Control& control, const TensorOptions& options) {
  const Index rank = std::min(units, slices.rows());
  const Svd svd = thin_svd(slices, SingularVectors::right);
  const Matrix span = svd.right.leftCols(rank);
  RandomStream random(options.seed, purpose::pencil, 1);
  if (rank == units) {
    const RankOneVectors found = rank_one_vectors(span, units, random, control, {.pairs = options.pairs});
    if (found.rows.rows() == units) return found.rows;
  }
  Matrix best;
  double best_residual = std::numeric_limits<double>::infinity();
  const Matrix elements = span * svd.values.head(rank).asDiagonal();
  for (Index pair = 0; pair < options.pairs; ++pair) {
    control.check();
    const Matrix candidate = eigenvectors_of_random_pair(elements, units, random);
    if (candidate.rows() != units) continue;
    const double residual = outputs_of(slices, candidate).residual;
    if (residual < best_residual) {
      best_residual = residual;
      best = candidate;
    }
  }
  return best;
}

/// r with T_1 = Σ r_j A_j ⊗ v_j, in least squares.
Vector linear_ratios(const Matrix& A, const Matrix& V, const Matrix& first) {
  const Matrix gram = (A.transpose() * A).cwiseProduct(V * V.transpose());
  const Vector right = (A.transpose() * first * V.transpose()).diagonal();
  return minimum_norm_solution(gram, right);
}

/// b with Φ(b)/φ(b) = ratio: increasing in b. Bounded to |b| <= 4, where a unit is nearly linear or nearly dead.
double bias_of_ratio(double ratio) {
  double low = -4, high = 4;
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    (normal_distribution(middle) / normal_density(middle) < ratio ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

Index units_from_quadratic_part(const QuadraticFit& fit) {
  const WhitenedMoments moments = whitened_moments(fit);
  if (!moments.usable) return 0;
  const Vector singular = slices_side_by_side(moments).values;
  const double d = static_cast<double>(moments.factor.rows()), l = static_cast<double>(moments.second.size());
  const double n = static_cast<double>(std::max<Index>(fit.samples, 1));
  const double noise = 2 * std::sqrt(fit.residual_variance / n) * (std::sqrt(d) + std::sqrt(d * l));
  return (singular.array() > std::max(noise, 1e-9 * singular[0])).count();
}

TensorStart order_two_start(const QuadraticFit& fit, Index units, const Control& control, const TensorOptions& options) {
  TensorStart start;
  const WhitenedMoments moments = whitened_moments(fit);
  const Index inputs = fit.input_mean.size(), outputs = fit.linear.rows();
  if (fit.degree != 2) {
    start.problem = fmt::format("{} samples are too few for the products of {} inputs", fit.samples, inputs);
  } else if (!moments.usable) {
    start.problem = "the inputs are linearly dependent: their covariance is singular";
  } else if (units > inputs || outputs < 2) {
    start.problem = fmt::format(
        "a tensor of order 2 needs 2 outputs or more and at most as many units as inputs: {} outputs, {} units, {} "
        "inputs",
        outputs, units, inputs);
  }
  if (!start.problem.empty()) return start;

  const auto range = slices_side_by_side(moments);
  start.slice_spectrum = range.values / std::max(range.values[0], 1e-300);
  const Matrix basis = range.left.leftCols(units);
  const Matrix slices = packed_slices(moments, basis);
  const Matrix compressed = directions_of(slices, units, control, options);
  if (compressed.rows() != units) {
    start.problem = "no pair of slices of the tensor has real eigenvectors";
    return start;
  }
  const auto [A, residual] = outputs_of(slices, compressed);
  start.tensor_residual = residual / std::max(slices.squaredNorm(), 1e-300);

  Matrix V = compressed * basis.transpose();
  const Vector ratios = linear_ratios(A, V, moments.first);  // ± Φ(b_j)/φ(b_j)
  start.network = Network(inputs, units, outputs);
  for (Index j = 0; j < units; ++j) {
    if (ratios[j] < 0) V.row(j) *= -1;
    const double bias = options.biases ? bias_of_ratio(std::abs(ratios[j])) : 0;
    // w·x + b = v·z + bias with z = L⁻¹ (x - mean)
    const Vector w = solve_lower_transposed(moments.factor, V.row(j).transpose());
    start.network.W.row(j) = w.transpose();
    start.network.b[j] = options.biases ? bias - w.dot(fit.input_mean) : 0;
    start.network.A.col(j) = A.col(j) / normal_density(bias);
  }
  return start;
}

}  // namespace relucover
