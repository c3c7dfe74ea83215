#pragma once
// Features of samples that tests are made of: orthonormal bases, whitened inputs, random signs and rows.
#include <cstdint>
#include <vector>

#include "core/median.hpp"
#include "core/random.hpp"
#include "relucover/types.hpp"

namespace relucover {

/// Statistics of noise need few digits: products of single precision take half the time.
using RoughMatrix = Eigen::MatrixXf;
using RoughVector = Eigen::VectorXf;

/// Statistics of noise need no more than nine digits, which where columns are not nearly dependent is half of the work.
enum class Orthogonal { to_rounding, to_nine_digits };
/// Orthonormal columns that span the columns of `features`; dependent and zero columns are left out.
Matrix spanning_basis(Matrix features, Orthogonal wanted = Orthogonal::to_rounding);
/// features L⁻ᵀ by products, which leave out what the triangle does not need.
Matrix over_lower(const Matrix& features, const Matrix& lower);
RoughMatrix over_lower(const RoughMatrix& features, const Matrix& lower);
/// How far a least-squares fit by these functions follows each row: 1 where nothing else could contradict it.
Vector leverage_of(const Matrix& basis);
/// Values of mean square one: single precision has its bounds.
Matrix of_unit_size(Matrix values);
/// features - basis basisᵀ features.
Matrix orthogonal_to(const Matrix& basis, Matrix features);

/// Columns that vary, about their means and over their spreads.
Matrix standardised(const Matrix& x);
/// Coordinates in which the inputs have mean zero and covariance one; constant and dependent ones are left out.
Matrix whitened(const Matrix& x);

/// Rows by columns of ±1.
Matrix random_signs(Index rows, Index columns, RandomStream& random);
/// `count` distinct rows of [0, size) in random order.
std::vector<Index> random_rows(Index size, Index count, RandomStream& random);

/// (z, 1).
Matrix with_ones(const Matrix& z);
/// Every column by itself in rising order.
Matrix sorted_columns(Matrix values);
/// Places of the values in rising order.
std::vector<Index> order_of(const Vector& values);
/// Of the `count` least alone.
std::vector<Index> least_of(const Vector& values, Index count);
/// The same of all to six digits, and several times as fast.
void rough_order_of(const Eigen::Ref<const Vector>& values, std::vector<std::uint32_t>& order);
/// Ranks / size, from 1/size for the least.
Vector relative_ranks(const Vector& values);
/// Median of |v|, scaled to the standard deviation of a normal variable.
double robust_deviation(const Vector& values);

/// Numbers that grow by `ratio` from `first`, up to `most`; with `most` itself last if wanted.
std::vector<Index> growing_counts(Index first, Index most, double ratio = 1.6, bool with_last = false);

}  // namespace relucover
