#include "verify/leftover/unit_directions.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/linear_algebra.hpp"
#include "verify/leftover/features.hpp"

namespace relucover {

Matrix likely_directions(const Matrix& z, const Matrix& residual, Index count, RandomStream& random) {
  const Index d = z.cols();
  std::vector<Vector> found;
  const Vector size = residual.rowwise().norm();
  // Principal part of the residual over outputs, so that one curvature stands for all.
  const Vector along =
      residual.cols() == 1 ? Vector(residual) : Vector(residual * symmetric_eigen(residual.transpose() * residual).vectors.rightCols(1));
  const SymmetricEigen curved = symmetric_eigen(z.transpose() * (along.asDiagonal() * z));
  constexpr Index most_curved = 3, most_large = 20;
  for (Index k = 0; k < std::min(most_curved, d); ++k) {
    found.push_back(curved.vectors.col(k));
    found.push_back(curved.vectors.col(d - 1 - k));
  }
  const auto order = order_of(-size);
  Vector sum = Vector::Zero(d);
  for (Index k = 0; k < std::min<Index>(most_large, z.rows()); ++k) {
    const Vector row = z.row(order[static_cast<std::size_t>(k)]).transpose();
    if (!(row.norm() > 0)) continue;
    found.push_back(row.normalized());
    sum += (along[order[static_cast<std::size_t>(k)]] > 0 ? 1.0 : -1.0) * row;
    if (sum.norm() > 0) found.push_back(sum.normalized());
  }
  Matrix directions(d, count);
  for (Index j = 0; j < count; ++j) {
    if (j < static_cast<Index>(found.size()) && 2 * j < count)
      directions.col(j) = found[static_cast<std::size_t>(j)];
    else
      directions.col(j) = random.normal_vector(d).normalized();
  }
  return directions;
}

namespace {

template <class AnyMatrix>
Vector places_of_kinks(const AnyMatrix& sorted, Index round, RandomStream& random) {
  const auto n = static_cast<double>(sorted.rows());
  Vector at(sorted.cols());
  for (Index j = 0; j < sorted.cols(); ++j) {
    double place = (round == 0 ? 0.25 + 0.5 * random.uniform() : random.uniform()) * n;
    if (round % 3 != 0) {  // few samples beyond: 4 to a tenth
      const double beyond = 4 * std::pow(std::max(1.0, n / 40), random.uniform());
      place = round % 3 == 1 ? n - beyond : beyond;
    }
    at[j] = sorted(static_cast<Index>(std::clamp(place, 4.0, n - 4)), j);
  }
  return at;
}

}  // namespace

Vector kink_places(const Matrix& sorted, Index round, RandomStream& random) { return places_of_kinks(sorted, round, random); }
Vector kink_places(const RoughMatrix& sorted, Index round, RandomStream& random) { return places_of_kinks(sorted, round, random); }

}  // namespace relucover
