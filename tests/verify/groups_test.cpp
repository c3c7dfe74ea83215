// What differs from group to group, and what repeats along a variable.
#include "verify/leftover/groups_left.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "verify/leftover/features.hpp"
#include "verify/leftover/judged.hpp"
#include "verify/leftover/near_rows.hpp"
#include "verify/leftover/periods_in_units.hpp"
#include "verify/leftover/periods_left.hpp"

namespace relucover {
namespace {

constexpr Index rows = 1500, times = 200;

/// A whole number, a column of 30 levels, two plain ones.
Matrix columns(RandomStream& random) {
  Matrix x = random.normal_matrix(rows, 4);
  for (Index i = 0; i < rows; ++i) {
    x(i, 0) = static_cast<double>(random.below(1400));
    x(i, 1) = static_cast<double>(random.below(30)) / 4;
  }
  return x;
}

double chance_of(const Matrix& x, const Vector& term, double deviations, RandomStream& random) {
  const Vector centred = term.array() - term.mean();
  const Matrix residual = random.normal_matrix(rows, 1) + deviations / centred.norm() * centred;
  return std::min(groups_left(groupings_of(x), x.rightCols(2), nullptr, residual, Chance::flips, random),
                  periods_left(x, sorted_columns(x), residual));
}

TEST(Groups, WhatPeopleMakeOfColumnsIsSeen) {
  RandomStream random(1, purpose::study);
  const Matrix x = columns(random);
  const auto term = [&](const auto& of) {
    Vector values(rows);
    for (Index i = 0; i < rows; ++i) values[i] = of(i);
    return values;
  };
  const Vector level = random.normal_vector(30);
  const std::pair<const char*, Vector> terms[] = {
      {"weekend", term([&](Index i) { return std::fmod(x(i, 0), 7) >= 5 ? 1.0 : 0.0; })},
      {"level", term([&](Index i) { return level[static_cast<Index>(4 * x(i, 1))]; })},
      {"slope in a group", term([&](Index i) { return std::fmod(x(i, 0), 4) >= 2 ? x(i, 2) : -x(i, 2); })},
      {"order", term([&](Index i) { return x(i, 2) < x(i, 3) ? 1.0 : 0.0; })},
      {"saw tooth", term([&](Index i) { return 23 * x(i, 3) - std::floor(23 * x(i, 3)); })},
      {"daily cycle", term([&](Index i) { return std::sin(77 * x(i, 2)); })}};
  for (const auto& [name, values] : terms) EXPECT_LT(chance_of(x, values, 12, random), 1e-4) << name;
}

// What is one where both units are on goes with the units' own functions for the most part: the residual has the rest alone.
TEST(Groups, WhatTheAnswerHidesIsSeen) {
  RandomStream random(7, purpose::study);
  Index seen = 0, low = 0;
  for (Index k = 0; k < 20; ++k) {
    const Matrix x = random.normal_matrix(rows, 4), t = x.rightCols(2), basis = spanning_basis(tangent_of(x, t));
    Vector both(rows);
    for (Index i = 0; i < rows; ++i) both[i] = t(i, 0) > 0 && t(i, 1) > 0 ? 1 : 0;
    const Vector noise = orthogonal_to(basis, random.normal_matrix(rows, 1)), hidden = orthogonal_to(basis, both);
    const auto groupings = patterns_of(t);
    const RoughBasis rough(basis);
    const auto chance = [&](const Matrix& residual) { return groups_left(groupings, x, &rough, residual, Chance::flips, random); };
    seen += chance(noise + 8 / hidden.norm() * hidden) < 1e-4 ? 1 : 0;
    low += chance(noise) < 0.01 ? 1 : 0;
  }
  EXPECT_GE(seen, 18);
  EXPECT_LE(low, 1);
}

// A saw tooth of a unit that is on for a part of the samples.
TEST(Periods, StairsInAUnitAreSeen) {
  RandomStream random(8, purpose::study);
  const Matrix x = random.normal_matrix(4000, 3);
  const Vector t = x.col(0).array() + 0.3, on = (t.array() > 0).cast<double>();
  const Vector stairs = (5 * t.array() - (5 * t.array()).floor() - 0.5) * on.array();
  const Matrix residual = random.normal_matrix(x.rows(), 1) + 10 / stairs.norm() * stairs;
  Matrix variables(x.rows(), 4);
  variables << x, (t.array() > 0).select(t, INFINITY);
  EXPECT_LT(periods_left(variables, sorted_columns(variables), residual), 1e-4);
}

/// Stairs of a unit worth `deviations`, and an answer whose direction is off by what noise of 1 and a slope of `size` leave.
double chance_of_stairs(double deviations, RandomStream& random) {
  constexpr Index inputs = 5;
  constexpr double size = 5;
  const Matrix z = random.normal_matrix(3000, inputs);
  const Vector truth = random.normal_vector(inputs).normalized(),
               error = random.normal_vector(inputs) / (size * std::sqrt(0.5 * static_cast<double>(z.rows())));
  const Eigen::RowVectorXd answer = (truth + error).transpose();
  const Vector t = z * truth, on = (t.array() > 0).cast<double>();
  const Vector stairs = (6 * t.array() - (6 * t.array()).floor() - 0.5) * on.array();
  const Matrix residual = random.normal_matrix(z.rows(), 1) + deviations / stairs.norm() * stairs;
  return periods_in_units(z, z * answer.transpose(), answer, Vector::Constant(1, size), residual, random);
}

TEST(Periods, StairsInAUnitWhoseDirectionIsOffAreSeen) {
  RandomStream random(9, purpose::study);
  Index seen = 0, low = 0;
  for (Index k = 0; k < 20; ++k) seen += chance_of_stairs(10, random) < 3e-4 ? 1 : 0;
  for (Index k = 0; k < times; ++k) low += chance_of_stairs(0, random) < 0.01 ? 1 : 0;
  EXPECT_GE(seen, 19);
  EXPECT_LE(low, 5);
}

TEST(Groups, NoiseIsNothing) {
  RandomStream random(2, purpose::study);
  Index low[3] = {0, 0, 0};
  for (Index k = 0; k < times; ++k) {
    const Matrix x = columns(random);
    Matrix residual = random.normal_matrix(rows, 1);
    if (k % 2 == 1) residual = residual.array().cube();  // heavy tails
    const auto groupings = groupings_of(x);
    ASSERT_GT(groupings.size(), 20U);
    low[0] += groups_left(groupings, x.rightCols(2), nullptr, residual, Chance::flips, random) < 0.01 ? 1 : 0;
    low[1] += periods_left(x, sorted_columns(x), residual) < 0.01 ? 1 : 0;
    Matrix mask(rows, 1);
    for (Index i = 0; i < rows; ++i) mask(i, 0) = random.uniform() < 0.05 ? 1 : 0;
    mask.array() -= mask.mean();
    low[2] += std::min(groups_left(groupings, Matrix(rows, 0), nullptr, mask, Chance::places, random),
                       periods_left(x, sorted_columns(x), mask)) < 0.01
                  ? 1
                  : 0;
  }
  for (const Index count : low) EXPECT_LE(count, 8);  // 2 expected of each, 4 of the last
}

// Nine rows of a pattern that are off by 2.5 deviations: their signs come together once in 256 times.
TEST(Groups, AFewRowsOfAPatternAreSeenWhereNoiseIsEven) {
  RandomStream random(11, purpose::study);
  Index seen = 0, low = 0;
  for (Index k = 0; k < times; ++k) {
    const Matrix x = random.normal_matrix(rows, 4);
    Matrix t = x.leftCols(2), residual = random.normal_matrix(rows, 1);
    for (Index i = 0; i < rows; ++i) {
      if (i >= 9 && t(i, 0) > 0) t(i, 1) = -1;
      if (i < 9) t(i, 0) = t(i, 1) = 1;
    }
    const RoughBasis basis = RoughBasis::spanning(with_ones(x));
    residual = basis.without(residual);
    low += groups_left(patterns_of(t), even_noise(residual, basis, Vector::Ones(rows))) < 0.01 ? 1 : 0;
    residual.topRows(9).array() += 2.5;
    seen += groups_left(patterns_of(t), even_noise(residual, basis, Vector::Ones(rows))) < 3e-4 ? 1 : 0;
  }
  EXPECT_GE(seen, times - 4);
  EXPECT_LE(low, 7);
}

TEST(Groups, RowsThatARuleLeavesOutAreSeen) {
  RandomStream random(3, purpose::study);
  const Matrix x = columns(random);
  Matrix weekend(rows, 1), teeth(rows, 1);
  for (Index i = 0; i < rows; ++i) {
    weekend(i, 0) = std::fmod(x(i, 0), 7) >= 5 ? 1 : 0;
    teeth(i, 0) = 30 * x(i, 2) - std::floor(30 * x(i, 2)) < 0.15 ? 1 : 0;
  }
  for (Matrix* mask : {&weekend, &teeth}) mask->array() -= mask->mean();
  EXPECT_LT(groups_left(groupings_of(x), Matrix(rows, 0), nullptr, weekend, Chance::places, random), 1e-9);
  EXPECT_LT(periods_left(x, sorted_columns(x), teeth), 1e-9);
}

TEST(NearRows, ShellsOfThreeColumnsAreSeen) {
  RandomStream random(5, purpose::study);
  const Matrix x = random.normal_matrix(2000, 7);
  Vector mask(x.rows());
  for (Index i = 0; i < x.rows(); ++i) mask[i] = std::abs(std::fmod(x.row(i).head(3).norm(), 0.7) - 0.3) < 0.06 ? 1 : 0;
  mask.array() -= mask.mean();
  EXPECT_LT(near_rows_alike(x, mask, random), 1e-4);
}

TEST(NearRows, AccidentsAreNothing) {
  RandomStream random(6, purpose::study);
  Index low = 0;
  for (Index k = 0; k < times; ++k) {
    Matrix x = random.normal_matrix(500, 4);
    if (k % 3 == 1) x.col(1) = x.col(1).array().round();
    if (k % 3 == 2) x = x.array().cube();
    Vector mask(x.rows());
    const double share = k % 2 == 0 ? 0.02 : 0.2;
    for (Index i = 0; i < x.rows(); ++i) mask[i] = random.uniform() < share ? 1 : 0;
    mask.array() -= mask.mean();
    low += near_rows_alike(x, mask, random) < 0.01 ? 1 : 0;
  }
  EXPECT_LE(low, 8);  // 2 expected
}

TEST(Groups, FewRowsAndConstantColumnsAreNothing) {
  RandomStream random(4, purpose::study);
  const Matrix x = Matrix::Ones(30, 2), residual = random.normal_matrix(30, 1);
  EXPECT_EQ(groups_left(groupings_of(x), x, nullptr, residual, Chance::flips, random), 1.0);
  EXPECT_EQ(periods_left(x, sorted_columns(x), residual), 1.0);
  EXPECT_TRUE(groupings_of(Matrix(3, 1)).empty());
}

}  // namespace
}  // namespace relucover
