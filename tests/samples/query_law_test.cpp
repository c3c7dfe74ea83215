#include <gtest/gtest.h>

#include "core/random.hpp"
#include "samples/query_law.hpp"

namespace relucover {
namespace {

/// A constant column, whole numbers, a one-hot group of three, and two correlated columns far from 0.
RowMatrix mixed_rows() {
  RandomStream random(1, purpose::inputs);
  RowMatrix rows(400, 7);
  for (Index i = 0; i < rows.rows(); ++i) {
    const double z = random.normal();
    const Index hot = random.below(3);
    rows.row(i) << 4.2, static_cast<double>(random.below(5)), hot == 0, hot == 1, hot == 2, 750 + 300 * z, 5 + z + 0.2 * random.normal();
  }
  return rows;
}

TEST(QueryLaw, KeepsWhatColumnsAre) {
  const RowMatrix rows = mixed_rows();
  const QueryLaw law = QueryLaw::like(rows, "rows");
  const RowMatrix x = law.draw(3, purpose::queries, 0, 2000);
  EXPECT_TRUE((x.col(0).array() == 4.2).all());
  EXPECT_TRUE((x.col(1).array() == x.col(1).array().round()).all());
  EXPECT_EQ(x.col(1).minCoeff(), 0);
  EXPECT_EQ(x.col(1).maxCoeff(), 4);
  const auto hot = x.middleCols(2, 3);
  EXPECT_TRUE((hot.rowwise().sum().array() == 1).all());
  EXPECT_TRUE(((hot.array() == 0) || (hot.array() == 1)).all());
  for (const Index j : {5, 6}) {
    EXPECT_GE(x.col(j).minCoeff(), rows.col(j).minCoeff() - 1e-4);
    EXPECT_LE(x.col(j).maxCoeff(), rows.col(j).maxCoeff() + 1e-4);
    EXPECT_NEAR(x.col(j).mean(), rows.col(j).mean(), 0.15 * law.spread()[j]);
  }
  const Vector a = x.col(5).array() - x.col(5).mean(), b = x.col(6).array() - x.col(6).mean();
  EXPECT_GT(a.dot(b) / (a.norm() * b.norm()), 0.8);
}

TEST(QueryLaw, QueriesDependOnSeedAndNumberAlone) {
  const QueryLaw law = QueryLaw::like(mixed_rows(), "rows");
  EXPECT_EQ(RowMatrix(law.draw(1, purpose::queries, 0, 50).bottomRows(10)), law.draw(1, purpose::queries, 40, 10));
  EXPECT_NE(law.draw(1, purpose::queries, 0, 5), law.draw(2, purpose::queries, 0, 5));
  EXPECT_NE(law.fingerprint(), QueryLaw(Vector::Ones(7)).fingerprint());
}

}  // namespace
}  // namespace relucover
