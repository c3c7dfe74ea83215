#include "decompose/pencil.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/linear_algebra.hpp"

namespace relucover {

Pencils::Pencils(const HermiteMoments& moments, Index units, const PencilOptions& options)
    : dimension_(moments.tensors.front().dimension), tuple_order_(options.tuple_order) {
  const auto bottom = static_cast<std::size_t>(2 * tuple_order_);
  const auto scale = [](const SymmetricTensor& tensor) {
    const double norm = std::sqrt(tensor.squared_norm());
    return norm > 0 ? 1 / norm : 0.0;
  };
  bottom_ = flatten(moments.tensors.at(bottom), tuple_order_);
  bottom_scale_ = scale(moments.tensors[bottom]);
  if (options.use_middle) {
    middle_.emplace_back(moments.tensors.at(bottom + 1), 1);
    middle_scale_ = scale(moments.tensors[bottom + 1]);
  }
  if (options.use_top) {
    top_.emplace_back(moments.tensors.at(bottom + 2), 2);
    top_scale_ = scale(moments.tensors[bottom + 2]);
  }
  // Range of all slices side by side: for ℓ = 1 that of T_2, whose coefficients never vanish.
  Matrix gram = bottom_ * bottom_.transpose() * bottom_scale_ * bottom_scale_;
  if (tuple_order_ > 1) {
    const auto add = [&](const SymmetricTensor& tensor, double weight) {
      const Matrix flat = flatten(tensor, tuple_order_);
      gram += weight * weight * flat * flat.transpose();
    };
    if (options.use_middle) add(moments.tensors[bottom + 1], middle_scale_);
    if (options.use_top) add(moments.tensors[bottom + 2], top_scale_);
  }
  const SymmetricEigen eigen = symmetric_eigen(std::move(gram));
  spectrum_ = eigen.values.reverse().cwiseMax(0.0).cwiseSqrt();
  basis_ = eigen.vectors.rightCols(std::min<Index>(units, eigen.values.size())).rowwise().reverse();
}

Matrix Pencils::random_slice(RandomStream& random, bool with_bottom) const {
  Matrix slice = Matrix::Zero(bottom_.rows(), bottom_.cols());
  if (with_bottom) slice += random.normal() * bottom_scale_ * bottom_;
  if (!middle_.empty()) slice += middle_scale_ * flatten(middle_[0](random.normal_vector(dimension_)), tuple_order_);
  if (!top_.empty()) {
    const Matrix gaussian = random.normal_matrix(dimension_, dimension_);
    const PackedIndex pairs(dimension_, 2);
    Vector symmetric(pairs.size());
    for (Index p = 0; p < pairs.size(); ++p) {
      const int* pair = pairs.tuple(p);
      symmetric[p] = (gaussian(pair[0], pair[1]) + gaussian(pair[1], pair[0])) / 2;
    }
    slice += top_scale_ * flatten(top_[0](symmetric), tuple_order_);
  }
  return slice;
}

Pencils::Draw Pencils::draw(RandomStream& random) const {
  const bool several = tuple_order_ > 1;
  const Matrix c = basis_.transpose() * random_slice(random, several) * basis_;
  const Matrix b = basis_.transpose() * (several ? random_slice(random, true) : bottom_) * basis_;
  const PencilEigenvectors eigen = solve_pencil(c, b);
  Draw answer;
  if (eigen.vectors.size() == 0) return answer;
  // Eigenvectors are dual to the powers of the weight vectors: x_i · p(w_j) = 0 for i ≠ j.
  const auto dual = inverse_if_regular(eigen.vectors);
  if (!dual) return answer;
  const Matrix powers = basis_ * dual->transpose();
  if (!powers.allFinite()) return answer;
  answer.real = eigen.real;
  answer.directions.resize(powers.cols(), dimension_);
  for (Index i = 0; i < powers.cols(); ++i)
    answer.directions.row(i) = nearest_power(powers.col(i).normalized(), dimension_, tuple_order_).transpose();
  return answer;
}

}  // namespace relucover
