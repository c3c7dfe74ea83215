#include "solve/signs.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/random.hpp"

namespace relucover {
namespace {

Vector signs_of(RandomStream& random, Index count) {
  Vector z(count);
  for (Index i = 0; i < count; ++i) z[i] = random.sign();
  return z;
}

std::vector<int> as_list(const Vector& z) {
  std::vector<int> list;
  for (const double value : z) list.push_back(value > 0 ? 1 : -1);
  return list;
}

std::vector<std::vector<int>> by_trying_all(const Matrix& rows, const Vector& target, double tolerance) {
  std::vector<std::vector<int>> found;
  for (Index mask = 0; mask < (Index{1} << rows.rows()); ++mask) {
    Vector z(rows.rows());
    for (Index i = 0; i < z.size(); ++i) z[i] = mask >> i & 1 ? 1 : -1;
    if ((rows.transpose() * z - target).norm() <= tolerance) found.push_back(as_list(z));
  }
  std::sort(found.begin(), found.end());
  return found;
}

TEST(FindSigns, IndependentRowsHaveOneAnswer) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    RandomStream random(seed, purpose::study);
    const Matrix rows = random.normal_matrix(10, 20);
    const Vector z = signs_of(random, 10);
    const auto found = find_signs(rows, rows.transpose() * z, 1e-9, 10);
    ASSERT_EQ(found.signs.size(), 1u);
    EXPECT_EQ(found.signs[0], as_list(z));
    EXPECT_TRUE(found.complete);
    EXPECT_LT(found.worst_mismatch, 1e-12);
  }
}

TEST(FindSigns, RowsOfZerosLeaveEverySignFree) {
  const auto any = find_signs(Matrix::Zero(3, 2), Vector::Zero(2), 1e-9, 100);
  EXPECT_EQ(any.signs.size(), 8u);
  EXPECT_TRUE(any.complete);
  const auto none = find_signs(Matrix::Zero(3, 2), Vector::Ones(2), 1e-9, 100);
  EXPECT_TRUE(none.signs.empty());
  EXPECT_TRUE(none.complete);
  EXPECT_EQ(find_signs(Matrix(2, 0), Vector(0), 1e-9, 100).signs.size(), 4u);
}

TEST(FindSigns, MoreUnitsThanInputs) {
  for (const auto& [inputs, units] : {std::pair<Index, Index>{10, 30}, {3, 15}, {5, 40}, {2, 24}, {50, 65}}) {
    RandomStream random(static_cast<std::uint64_t>(units), purpose::study);
    const Matrix rows = random.normal_matrix(units, inputs);
    const Vector z = signs_of(random, units);
    const auto found = find_signs(rows, rows.transpose() * z, 1e-9, 100);
    EXPECT_TRUE(found.complete);
    EXPECT_TRUE(std::count(found.signs.begin(), found.signs.end(), as_list(z)) == 1) << inputs << " " << units;
  }
}

TEST(FindSigns, ListsExactlyWhatTryingAllLists) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    RandomStream random(seed, purpose::study);
    Matrix rows = random.normal_matrix(12, 4);
    for (Index i = 0; i < 4; ++i) rows.row(3 * i + 2) = rows.row(3 * i) + rows.row(3 * i + 1);  // many coincidences
    const Vector target = rows.transpose() * signs_of(random, 12);
    for (const double tolerance : {1e-9, 0.8}) {
      auto found = find_signs(rows, target, tolerance, 5000);
      EXPECT_TRUE(found.complete);
      std::sort(found.signs.begin(), found.signs.end());
      EXPECT_EQ(found.signs, by_trying_all(rows, target, tolerance));
    }
  }
}

TEST(FindSigns, SaysSoWhenThereAreNoneOrTooMany) {
  RandomStream random(9, purpose::study);
  const Matrix rows = random.normal_matrix(8, 3);
  const auto none = find_signs(rows, Vector::Constant(3, 0.1234), 1e-9, 10);
  EXPECT_TRUE(none.signs.empty());
  EXPECT_TRUE(none.complete);
  EXPECT_GT(none.worst_mismatch, 1e-9);
  const auto many = find_signs(Matrix::Ones(10, 2), Vector::Zero(2), 1e-9, 10);
  EXPECT_EQ(many.signs.size(), 10u);
  EXPECT_FALSE(many.complete);
  const auto all = find_signs(Matrix::Ones(10, 2), Vector::Zero(2), 1e-9, 1000);
  EXPECT_EQ(all.signs.size(), 252u);
  EXPECT_TRUE(all.complete);
}

TEST(FindSigns, GivesUpHonestlyBeyondReach) {
  RandomStream random(10, purpose::study);
  const Matrix rows = random.normal_matrix(70, 3);
  EXPECT_FALSE(find_signs(rows, rows.transpose() * signs_of(random, 70), 1e-9, 10).complete);
}

}  // namespace
}  // namespace relucover
