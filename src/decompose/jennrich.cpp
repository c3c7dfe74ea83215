#include "decompose/jennrich.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "core/linear_algebra.hpp"
#include "core/random.hpp"
#include "decompose/alternating.hpp"
#include "decompose/pencil.hpp"
#include "decompose/relu_units.hpp"

namespace relucover {

namespace {

/// Below this part of the largest, a direction of the slices is rounding.
constexpr double negligible_direction = 1e-7;

struct Range {
  Matrix basis;  // orthonormal columns: the span of the powers
};

Range range_of(const SymmetricTensor& tensor, Index row_order, const TensorDecompositionOptions& options) {
  const Svd svd = thin_svd(flatten(tensor, row_order), SingularVectors::left);
  Index rank = (svd.values.array() > options.rank_threshold).count();
  if (options.max_rank > 0) rank = std::min(rank, options.max_rank);
  return {svd.left.leftCols(rank)};
}

RankOneTerms with_weights(const SymmetricTensor& tensor, Matrix directions) {
  RankOneTerms terms{std::move(directions), {}};
  terms.weights = weights_of_powers(tensor, terms.directions);
  return terms;
}

double left_over(SymmetricTensor tensor, const RankOneTerms& terms) {
  for (Index i = 0; i < terms.count(); ++i) add_power(tensor, -terms.weights[i], terms.directions.row(i).transpose());
  return tensor.squared_norm();
}

Vector random_symmetric(Index dimension, Index order, RandomStream& random) { return random.normal_vector(packed_size(dimension, order)); }

/// The tensor as slices of the last c slots on the range, all of them Σ_i (weight of i) p(w_i) p(w_i)ᵀ.
std::vector<Matrix> slices_of(const SymmetricTensor& tensor, const Contraction& contraction, const Range& range, Index tuple_order) {
  const PackedIndex last(tensor.dimension, tensor.order - 2 * tuple_order);
  std::vector<Matrix> slices;
  for (Index j = 0; j < last.size(); ++j) {
    const Vector one = Vector::Unit(last.size(), j) / std::sqrt(last.multiplicity(j));
    slices.push_back(range.basis.transpose() * flatten(contraction(one), tuple_order) * range.basis);
  }
  return slices;
}

Matrix directions_of(const Matrix& powers, Index dimension, Index tuple_order) {
  Matrix directions(powers.cols(), dimension);
  for (Index i = 0; i < powers.cols(); ++i)
    directions.row(i) = nearest_power(powers.col(i).normalized(), dimension, tuple_order).transpose();
  return directions.allFinite() ? directions : Matrix(0, dimension);
}

/// Two random contractions of the last c slots, and the eigenvectors of their pencil on the range (Harshman 1970).
Matrix jennrich_directions(const SymmetricTensor& tensor, const Contraction& contraction, const Range& range, Index tuple_order,
                           RandomStream& random) {
  const Index d = tensor.dimension, c = tensor.order - 2 * tuple_order;
  const Matrix first = range.basis.transpose() * flatten(contraction(random_symmetric(d, c, random)), tuple_order) * range.basis;
  const Matrix second = range.basis.transpose() * flatten(contraction(random_symmetric(d, c, random)), tuple_order) * range.basis;
  const PencilEigenvectors eigen = solve_pencil(first, second);
  if (eigen.vectors.size() == 0) return Matrix(0, d);
  const auto dual = inverse_if_regular(eigen.vectors);
  if (!dual) return Matrix(0, d);
  return directions_of(range.basis * dual->transpose(), d, tuple_order);
}

/// Maximises |P(x^{⊗n})|² over the sphere for the projection P on the span of the powers: its maxima, of value 1, are
/// the directions (subspace power method, Kileel and Pereira 2019).
Matrix power_directions(const SymmetricTensor& tensor, const Range& range, Index power_order, Index starts, RandomStream& random,
                        const Control& control) {
  constexpr Index max_iterations = 2000;
  const Index d = tensor.dimension, wanted = range.basis.cols();
  const Vector root = PackedIndex(d, power_order).multiplicities().cwiseSqrt();
  std::vector<Vector> found;
  for (Index start = 0; start < starts * wanted && static_cast<Index>(found.size()) < wanted; ++start) {
    control.check();
    Vector x = random.normal_vector(d).normalized();
    for (Index i = 0; i < max_iterations; ++i) {
      SymmetricTensor projected(d, power_order);
      projected.values = (range.basis * (range.basis.transpose() * weighted_power(x, power_order))).cwiseQuotient(root);
      const Vector gradient = Contraction(projected, power_order - 1)(packed_power(x, power_order - 1)).values;
      const Vector next = (gradient + 0.5 * x).normalized();
      const double moved = (next - x).norm();
      x = next;
      if (moved < 1e-15) break;
    }
    const double value = (range.basis.transpose() * weighted_power(x, power_order)).squaredNorm();
    if (value < 0.98) continue;  // a saddle, or a maximum that noise made
    if (std::none_of(found.begin(), found.end(), [&](const Vector& w) { return std::abs(w.dot(x)) > 1 - 1e-6; })) found.push_back(x);
  }
  Matrix directions(static_cast<Index>(found.size()), d);
  for (Index i = 0; i < directions.rows(); ++i) directions.row(i) = found[static_cast<std::size_t>(i)].transpose();
  return directions;
}

}  // namespace

RankOneTerms decompose_tensor(const SymmetricTensor& tensor, const TensorDecompositionOptions& options, const Control& control) {
  const bool by_power = options.algorithm == Decomposition::power;
  const Index row_order = by_power ? (tensor.order + 1) / 2 : options.tuple_order;
  const Range range = range_of(tensor, row_order, options);
  RankOneTerms best{Matrix(0, tensor.dimension), Vector()};
  if (range.basis.cols() == 0) return best;
  RandomStream random(options.seed, purpose::pencil, static_cast<std::uint64_t>(tensor.order));
  if (by_power) return with_weights(tensor, power_directions(tensor, range, row_order, options.draws, random, control));
  const Contraction contraction(tensor, tensor.order - 2 * options.tuple_order);
  const bool alternating = options.algorithm == Decomposition::als;
  std::optional<BalancedSlices> balanced;
  if (alternating) balanced.emplace(slices_of(tensor, contraction, range, options.tuple_order), negligible_direction);
  double least = std::numeric_limits<double>::infinity();
  for (Index draw = 0; draw < options.draws; ++draw) {
    control.check();
    Matrix directions =
        alternating ? directions_of(range.basis * balanced->alternate(random, {}, control).vectors, tensor.dimension, options.tuple_order)
                    : jennrich_directions(tensor, contraction, range, options.tuple_order, random);
    if (directions.rows() == 0) continue;
    RankOneTerms terms = with_weights(tensor, std::move(directions));
    const double left = left_over(tensor, terms);
    if (left < least) {
      least = left;
      best = std::move(terms);
    }
    if (alternating && least < 1e-24 * tensor.squared_norm()) break;
  }
  return best;
}

}  // namespace relucover
