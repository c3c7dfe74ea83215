// Products with empty matrices: values of the right shape, and nobody prints.
#include <gtest/gtest.h>

#include "core/extrema.hpp"
#include "core/least_eigen.hpp"
#include "core/random.hpp"

namespace relucover {
namespace {

template <class Scalar>
void multiply_empty() {
  using M = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
  using V = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
  for (const Index rows : {0, 3})
    for (const Index columns : {0, 4}) {
      const M a = M::Ones(rows, columns);
      const M square = a * a.transpose();
      EXPECT_EQ(V(a * V::Ones(columns)).size(), rows);
      EXPECT_EQ(V(a.transpose() * V::Ones(rows)).size(), columns);
      EXPECT_EQ(V(square.template selfadjointView<Eigen::Lower>() * V::Ones(rows)).size(), rows);
      EXPECT_EQ(M(square.template selfadjointView<Eigen::Lower>() * a).cols(), columns);
      EXPECT_EQ(V(square.template triangularView<Eigen::Upper>() * V::Ones(rows)).size(), rows);
      EXPECT_EQ(M(square.template triangularView<Eigen::Upper>() * a).cols(), columns);
      M sum = M::Zero(rows, rows);
      sum.template selfadjointView<Eigen::Lower>().rankUpdate(a);
      EXPECT_EQ(sum.size(), rows * rows);
    }
}

TEST(EmptyMatrices, AreMultipliedInSilence) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  multiply_empty<double>();
  multiply_empty<float>();
  std::fflush(stdout);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(EmptyMatrices, HaveExtremes) {
  EXPECT_EQ(largest_of(Vector()), 0);
  EXPECT_EQ(largest_of(Matrix(0, 3), -1), -1);
  EXPECT_EQ(largest_size_of(Vector()), 0);
  EXPECT_EQ(smallest_of(Vector()), std::numeric_limits<double>::infinity());
  EXPECT_EQ(largest_size_of(Vector{{1.0, -3.0}}), 3);
}

TEST(LeastEigen, FindsTheNullSpaceOfLargeMatrices) {
  constexpr Index n = 1100, free = 20;  // more than the first block, and large enough for inverse iteration
  RandomStream random(1, purpose::study);
  const Matrix basis = random.normal_matrix(n, n - free);
  const Matrix semidefinite = basis * basis.transpose() / static_cast<double>(n);
  const SymmetricEigen found = least_eigen(semidefinite, 1e-11, Control(1));
  ASSERT_EQ(found.vectors.cols(), free);
  EXPECT_LT((semidefinite * found.vectors).norm(), 1e-10);
  EXPECT_LT((found.vectors.transpose() * found.vectors - Matrix::Identity(free, free)).norm(), 1e-10);
  EXPECT_EQ(least_eigen(semidefinite + Matrix::Identity(n, n), 1e-11, Control(1)).vectors.cols(), 0);
}

}  // namespace
}  // namespace relucover
