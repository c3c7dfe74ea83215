// What goes with the order of the rows, with rows nearby, and rows that were chosen by their labels.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "verify/leftover/features.hpp"
#include "verify/leftover/left_out_labels.hpp"
#include "verify/leftover/nests.hpp"
#include "verify/leftover/row_order.hpp"
#include "verify/leftover/selected_rows.hpp"

namespace relucover {
namespace {

constexpr Index rows_given = 2000, repeated = 200;

Vector of_size(const Vector& term, double size) {
  const Vector centred = term.array() - term.mean();
  return size / centred.norm() * centred;
}

RoughBasis of_columns(const Matrix& x) { return RoughBasis::spanning(with_ones(x)); }

TEST(RowOrder, DriftSeasonsLagsAndRegimesAreSeen) {
  RandomStream random(1, purpose::study);
  const Matrix x = random.normal_matrix(rows_given, 3);
  const Vector fit = x.col(0).cwiseMax(0) - x.col(1);
  const auto term = [&](const std::function<double(Index)>& of) {
    Vector values(rows_given);
    for (Index i = 0; i < rows_given; ++i) values[i] = of(i);
    return values;
  };
  double walk = 0;
  const std::pair<const char*, Vector> terms[] = {
      {"drift", term([](Index i) { return static_cast<double>(i); })},
      {"season", term([](Index i) { return std::sin(0.13 * static_cast<double>(i)); })},
      {"regime", term([](Index i) { return i > 700 ? 1.0 : 0.0; })},
      {"calibration", term([&](Index i) { return static_cast<double>(i - rows_given / 2) * x(i, 1); })},
      {"every seventh", term([](Index i) { return i % 7 == 3 ? 1.0 : 0.0; })},
      {"the row before", term([&](Index i) { return i > 0 ? x(i - 1, 2) : 0.0; })},
      {"walk", term([&](Index) { return walk += random.normal(); })}};
  for (const auto& [name, values] : terms) {
    const Matrix residual = random.normal_matrix(rows_given, 1) + of_size(values, 8);
    EXPECT_LT(row_order_left(x, fit + residual, residual, of_columns(x)), 1e-4) << name;
  }
  Matrix late = random.normal_matrix(rows_given, 1);
  for (Index i = 1; i < rows_given; ++i) late(i, 0) += 0.3 * late(i - 1, 0);
  EXPECT_LT(row_order_left(x, fit + late, late, of_columns(x)), 1e-4);
}

// Of the row before, this row's own inputs tell nine tenths.
TEST(RowOrder, ASeriesThatComesLateIsSeen) {
  RandomStream random(6, purpose::study);
  Matrix x = random.normal_matrix(rows_given, 3);
  for (Index i = 1; i < rows_given; ++i) x.row(i) = 0.9 * x.row(i - 1) + std::sqrt(0.19) * x.row(i);
  Vector late = Vector::Zero(rows_given);
  late.tail(rows_given - 1) = x.col(1).head(rows_given - 1);
  const RoughBasis basis = of_columns(x);
  const Matrix term = basis.without(Matrix(late)), residual = basis.without(Matrix(random.normal_matrix(rows_given, 1) + of_size(term, 8)));
  EXPECT_LT(row_order_left(x, x.leftCols(1) + residual, residual, basis), 1e-4);
}

TEST(RowOrder, NoiseAndRowsSortedByTheirLabelsAreNothing) {
  RandomStream random(2, purpose::study);
  Index low = 0;
  for (Index k = 0; k < repeated; ++k) {
    Matrix x = random.normal_matrix(rows_given, 3), residual = random.normal_matrix(rows_given, 1 + k % 2);
    if (k % 3 == 1) residual = residual.array().cube();
    if (k % 3 == 2)
      for (auto column : x.colwise()) std::sort(column.begin(), column.end());
    low += row_order_left(x, x.leftCols(residual.cols()) + residual, residual, of_columns(x)) < 0.01 ? 1 : 0;
  }
  EXPECT_LE(low, 7);  // 2 expected
  const Matrix x = random.normal_matrix(rows_given, 3), residual = random.normal_matrix(rows_given, 1);
  const std::vector<Index> order = order_of(x.col(0) + residual);
  const Matrix sorted_x = x(order, Eigen::all), sorted = residual(order, Eigen::all);
  EXPECT_EQ(row_order_left(sorted_x, sorted_x.col(0) + sorted, sorted, of_columns(sorted_x)), 1.0);
}

TEST(Nests, RingsSlabsAndCornersInNoColumnsAreSeen) {
  RandomStream random(3, purpose::study);
  const Matrix z = random.normal_matrix(4000, 3);
  const Vector along = z * Vector::Constant(3, 0.6), across = z.col(0) - 0.7 * z.col(1);
  const Vector distance = (z.rowwise() - Eigen::RowVector3d(0.5, -0.3, 0.2)).rowwise().norm();
  const std::pair<const char*, Vector> terms[] = {{"rings", (5 * distance.array()).sin()},
                                                  {"slab", (along.array().abs() < 0.3).cast<double>() * across.array().sign()},
                                                  {"corner", ((along.array() > 0.3) && (across.array() > 0.2)).cast<double>()}};
  for (const auto& [name, values] : terms) {
    const Matrix residual = random.normal_matrix(z.rows(), 1) + of_size(values, 20);
    EXPECT_LT(groups_left(nests_of(z, random), Matrix(z.rows(), 0), nullptr, residual, Chance::flips, random), 1e-4) << name;
  }
}

TEST(Nests, NoiseIsNothing) {
  RandomStream random(4, purpose::study);
  Index low = 0;
  for (Index k = 0; k < repeated; ++k) {
    const Matrix z = random.normal_matrix(600, 2 + k % 4);
    Matrix residual = random.normal_matrix(z.rows(), 1 + k % 2);
    if (k % 3 == 1) residual = residual.array().cube();
    low += groups_left(nests_of(z, random), Matrix(z.rows(), 0), nullptr, residual, Chance::flips, random) < 0.01 ? 1 : 0;
  }
  EXPECT_LE(low, 7);
}

/// Rows left out of 1000: which are further off, where their labels are of this kind.
double chance_of_order(int kind, RandomStream& random) {
  constexpr Index all = 1000, out = 40;
  Judged answer;
  answer.x = answer.z = random.normal_matrix(all, 4);
  answer.fit = answer.x.col(0).cwiseMax(0) - 0.3 * answer.x.col(1);
  answer.residual = Matrix::Zero(all, 1);
  answer.kept.resize(all, true);
  for (Index i = 0; i < out; ++i) {
    answer.kept[static_cast<std::size_t>(i)] = false;
    const double kinds[] = {std::exp(answer.x(i, 2) + answer.x(i, 3)), random.normal(), 2 * random.normal() - answer.fit(i, 0),
                            -2 * answer.fit(i, 0), 5 - answer.fit(i, 0)};
    answer.residual(i, 0) = kinds[kind];
  }
  answer.y = answer.fit + answer.residual;
  return left_out_order_depends_on_inputs(answer);
}

TEST(LeftOut, OrderOfDeviationsGoesWithNoDirection) {
  RandomStream random(7, purpose::study);
  Index low = 0;
  for (Index k = 0; k < repeated; ++k) {
    EXPECT_LT(chance_of_order(0, random), 1e-9);
    low += chance_of_order(1 + static_cast<int>(k % 4), random) < 0.01 ? 1 : 0;
  }
  EXPECT_LE(low, 7);
}

/// Labels and noise; rows with labels at or below `limit` are left out.
/// `parameters`: of a fit whose errors are added to it.
double chance_of_selection(double limit, const std::function<double(double, double)>& noise_of, double (*spread)(double),
                           RandomStream& random) {
  constexpr Index parameters = 30;
  std::vector<double> fit, label, size;
  while (fit.size() < 1500) {
    const double f = std::max(random.normal(), -1.0), e = spread(f) * noise_of(random.uniform(), random.normal());
    if (f + e <= limit) continue;
    fit.push_back(f + spread(f) * std::sqrt(parameters / 1500.0) * random.normal());
    label.push_back(f + e);
    size.push_back(spread(f));
  }
  const auto as_column = [](const std::vector<double>& values) { return Matrix(Eigen::Map<const Vector>(values.data(), 1500)); };
  return no_labels_beyond(as_column(fit), as_column(label), as_column(size), parameters);
}

TEST(SelectedRows, LabelsAboveALimitAreSeenAndNoiseIsNothing) {
  RandomStream random(5, purpose::study);
  const auto normal = [](double, double e) { return e; };
  const auto uniform = [](double u, double) { return 3.4 * (u - 0.5); };
  const auto even = [](double) { return 0.3; };
  const auto growing = [](double f) { return 0.05 + 0.2 * std::abs(f + 1); };
  Index low = 0;
  for (Index k = 0; k < repeated; ++k) {
    EXPECT_LT(chance_of_selection(-0.5, normal, even, random), 1e-4);
    const auto spread = k % 2 == 0 ? +even : +growing;
    low += (k % 4 < 2 ? chance_of_selection(-INFINITY, normal, spread, random) : chance_of_selection(-INFINITY, uniform, spread, random)) <
                   0.01
               ? 1
               : 0;
  }
  EXPECT_LE(low, 7);
}

}  // namespace
}  // namespace relucover
