// Every layout of the operands and of the target against the sum that defines a product.
#include "core/products.hpp"

#include <gtest/gtest.h>

#include "core/random.hpp"
#include "relucover/types.hpp"

namespace relucover {
namespace {

Matrix by_definition(const Matrix& a, const Matrix& b) {
  Matrix product = Matrix::Zero(a.rows(), b.cols());
  for (Index i = 0; i < a.rows(); ++i)
    for (Index j = 0; j < b.cols(); ++j)
      for (Index k = 0; k < a.cols(); ++k) product(i, j) += a(i, k) * b(k, j);
  return product;
}

double largest_difference(const Matrix& one, const Matrix& other) { return one.size() == 0 ? 0 : (one - other).cwiseAbs().maxCoeff(); }

/// One product in all ways that it is written in. What they should be is compiled once for all operands.
template <class Target>
struct Ways {
  Ways(Index rows, Index columns) : sum(Target::Ones(rows, columns)), wide(Target::Zero(rows + 2, columns + 3)) {}
  Target fresh, sum, difference;
  Target wide;  // the product is a block whose rows and columns are not neighbours

  auto block() { return wide.block(1, 2, sum.rows(), sum.cols()); }
  void check(const Matrix& expected, double tolerance) {
    const auto off = [](const Target& found, const Matrix& wanted) { return largest_difference(found.template cast<double>(), wanted); };
    EXPECT_LT(off(fresh, expected), tolerance);
    EXPECT_LT(off(sum, (expected.array() + 1).matrix()), tolerance);
    EXPECT_LT(off(difference, (1 - expected.array()).matrix()), 2 * tolerance);
    EXPECT_LT(off(block(), -3 * expected), 3 * tolerance);
    EXPECT_EQ(wide.row(0).norm() + wide.col(1).norm() + wide.rightCols(1).norm() + wide.bottomRows(1).norm(), 0);
  }
};

template <class Target, class A, class B>
void check_all_ways(const A& a, const B& b, double tolerance) {
  Ways<Target> ways(a.rows(), b.cols());
  ways.fresh = Target(a * b);
  ways.sum.noalias() += a * b;
  ways.difference = ways.sum;
  ways.difference.noalias() -= 2 * (a * b);
  ways.block().noalias() = (3 * a) * (-b);
  ways.check(by_definition(a.template cast<double>(), b.template cast<double>()), tolerance);
}

template <class M>
M some(Index rows, Index columns, std::uint64_t seed) {
  return RandomStream(seed, 0, 0).normal_matrix(rows, columns).template cast<typename M::Scalar>();
}

struct Sizes {
  Index m, k, n;
};
class Products : public testing::TestWithParam<Sizes> {};
INSTANTIATE_TEST_SUITE_P(Sizes, Products,
                         testing::Values(Sizes{1, 1, 1}, Sizes{1, 5, 1}, Sizes{1, 30, 1}, Sizes{3, 2, 4}, Sizes{30, 1, 4}, Sizes{1, 7, 3},
                                         Sizes{1, 40, 9}, Sizes{9, 40, 1}, Sizes{2, 3, 1}, Sizes{20, 17, 23}, Sizes{0, 4, 3},
                                         Sizes{4, 0, 3}, Sizes{4, 3, 0}, Sizes{64, 100, 1}));

TEST_P(Products, AgreeWithTheDefinitionInEveryLayout) {
  const auto [m, k, n] = GetParam();
  const auto layouts = [&]<class M>(M*, double tolerance) {
    using Scalar = typename M::Scalar;
    using Columns = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
    using Rows = RowMajor<Scalar>;
    const Columns a = some<Columns>(m, k, 1), b = some<Columns>(k, n, 2), at = a.transpose(), bt = b.transpose();
    const Rows ar = a, br = b, art = at, brt = bt;
    check_all_ways<M>(a, br, tolerance);
    check_all_ways<M>(ar, b, tolerance);
    check_all_ways<M>(at.transpose(), bt.transpose(), tolerance);
    if constexpr (std::is_same_v<Scalar, double>) {  // floats go the same ways
      check_all_ways<M>(a, b, tolerance);
      check_all_ways<M>(ar, br, tolerance);
      check_all_ways<M>(art.transpose(), brt.transpose(), tolerance);
      check_all_ways<M>(a.cwiseAbs(), b, tolerance);  // computed: gets memory of its own
      check_all_ways<M>(ar, br.cwiseAbs().transpose().transpose(), tolerance);
    }
    const Columns wide = some<Columns>(m + 3, k + 4, 3);
    const Rows tall = some<Rows>(k + 2, n + 5, 4);
    check_all_ways<M>(wide.block(1, 2, m, k), tall.block(2, 3, k, n), tolerance);
  };
  layouts(static_cast<Matrix*>(nullptr), 1e-12);
  layouts(static_cast<RowMatrix*>(nullptr), 1e-12);
  layouts(static_cast<Eigen::MatrixXf*>(nullptr), 1e-4);
  layouts(static_cast<RowMajor<float>*>(nullptr), 1e-4);
}

TEST_P(Products, WithVectorsThatLieAnywhere) {
  const auto [m, k, n] = GetParam();
  const Matrix a = some<Matrix>(m, k, 1), wide = some<Matrix>(k + 1, k + 1, 2);
  const RowMatrix ar = a;
  const Vector expected_column = by_definition(a, wide.col(0).head(k)), expected_row = by_definition(a, wide.row(0).head(k).transpose());
  EXPECT_LT(largest_difference(Vector(a * wide.col(0).head(k)), expected_column), 1e-12);
  EXPECT_LT(largest_difference(Vector(ar * wide.row(0).head(k).transpose()), expected_row), 1e-12);
  const Eigen::RowVectorXd left = wide.row(0).head(k) * a.transpose();
  EXPECT_LT(largest_difference(left.transpose(), expected_row), 1e-12);
  Matrix into = Matrix::Zero(3, m);
  into.row(1).noalias() = wide.row(0).head(k) * ar.transpose();
  EXPECT_LT(largest_difference(into.row(1).transpose(), expected_row), 1e-12);
  into.row(1).noalias() -= wide.row(0).head(k) * a.transpose();
  EXPECT_LT(into.norm(), 1e-12);
}

TEST(Products, OfNothingAreZeroAndDoNotReadTheTarget) {
  Matrix target = Matrix::Constant(30, 30, std::numeric_limits<double>::quiet_NaN());
  target.noalias() = Matrix(30, 0) * Matrix(0, 30);
  EXPECT_EQ(target, Matrix::Zero(30, 30));
  target.setConstant(std::numeric_limits<double>::quiet_NaN());
  target.noalias() = Matrix::Ones(30, 2) * Matrix::Ones(2, 30);
  EXPECT_EQ(target, Matrix::Constant(30, 30, 2));
}

}  // namespace
}  // namespace relucover
