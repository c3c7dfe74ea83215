#include "decompose/joint_diagonalisation.hpp"

#include <gtest/gtest.h>

#include "core/random.hpp"

namespace relucover {
namespace {

TEST(JointDiagonalisation, FindsTheCommonBasisAlsoWhereEachMatrixHasDoubleEigenvalues) {
  RandomStream random(1, purpose::study);
  const Index n = 6;
  const Matrix basis = random_orthonormal(n, n, random);
  std::vector<Matrix> matrices;
  for (const Vector& values : {Vector{{1, 1, 2, 2, 3, 3}}, Vector{{1, 2, 1, 2, 1, 2}}, Vector{{0, 5, 5, 0, 1, 1}}})
    matrices.push_back(basis * values.asDiagonal() * basis.transpose());
  const auto found = jointly_diagonalise(matrices, Control(1));
  EXPECT_TRUE(found.converged);
  EXPECT_LT(found.off_diagonal, 1e-25);
  const Matrix overlap = (basis.transpose() * found.vectors).cwiseAbs();
  for (Index i = 0; i < n; ++i) EXPECT_NEAR(overlap.col(i).maxCoeff(), 1.0, 1e-12);
  EXPECT_LT((found.vectors.transpose() * found.vectors - Matrix::Identity(n, n)).norm(), 1e-12);
}

TEST(JointDiagonalisation, LeavesLessOffTheDiagonalThanEitherMatrixAlone) {
  RandomStream random(2, purpose::study);
  const Index n = 8;
  const Matrix basis = random_orthonormal(n, n, random);
  std::vector<Matrix> matrices;
  for (int k = 0; k < 5; ++k) {
    const Matrix noise = 1e-3 * random.normal_matrix(n, n);
    matrices.push_back(basis * random.normal_vector(n).asDiagonal() * basis.transpose() + noise + noise.transpose());
  }
  const auto found = jointly_diagonalise(matrices, Control(1));
  EXPECT_LT(found.off_diagonal, 1e-4);
  const Matrix overlap = (basis.transpose() * found.vectors).cwiseAbs();
  for (Index i = 0; i < n; ++i) EXPECT_GT(overlap.col(i).maxCoeff(), 0.999);
}

TEST(JointDiagonalisation, StopsWhenTimeIsOver) { EXPECT_THROW(jointly_diagonalise({Matrix::Random(4, 4)}, Control(1, 0.0)), Interrupted); }

}  // namespace
}  // namespace relucover
