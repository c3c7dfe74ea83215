#include "verify/first_layer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "samples/subsample.hpp"
#include "verify/leftover/features.hpp"
#include "verify/leftover/flat_rows.hpp"
#include "verify/leftover/flip_tests.hpp"
#include "verify/leftover/leftover_tests.hpp"
#include "verify/leftover/one_more_unit.hpp"
#include "verify/leftover/row_tests.hpp"

namespace relucover {

namespace {

constexpr Index most_rows = 20000;

struct Gathered {
  Matrix x;
  Vector y;
  Matrix arguments;  // w·x - t
};

Gathered gathered(const SampleSource& source, const Thresholds& units, const Control& control) {
  const auto part = gather(source, spread_rows(source.samples(), std::min(source.samples(), most_rows), 0), control);
  Gathered all{part.x(), part.y().col(0), {}};
  all.arguments = all.x * units.W.transpose();
  all.arguments.rowwise() -= units.t.transpose();
  return all;
}

/// Chance of what is left after `own` functions, by functions of all inputs: linear and quadratic ones, near rows, units and steps.
double something_left(const Matrix& x, const Matrix& own, const Vector& y, RandomStream& random) {
  const Matrix basis = spanning_basis(own);
  const Matrix residual = orthogonal_to(basis, y);
  constexpr Index most_products = 60;
  std::vector<Vector> products;
  for (Index j = 0; j < x.cols(); ++j) {
    products.push_back(x.col(j));
    for (Index k = 0; k <= j && static_cast<Index>(products.size()) < most_products; ++k) products.push_back(x.col(j).cwiseProduct(x.col(k)));
  }
  Matrix features(x.rows(), static_cast<Index>(products.size()));
  for (Index j = 0; j < features.cols(); ++j) features.col(j) = products[static_cast<std::size_t>(j)];
  const Matrix more = spanning_basis(orthogonal_to(basis, std::move(features)));
  const double deviation = std::max(std::sqrt(residual.squaredNorm() / static_cast<double>(residual.rows())), 1e-300);
  return std::min({not_an_optimum(residual, more, random), smooth_leftover(residual, x, basis, random),
                   best_of_many_units(x, residual / deviation, basis, random)});
}

std::vector<Index> rows_where(const Gathered& all, const auto& holds) {
  std::vector<Index> rows;
  for (Index i = 0; i < all.x.rows(); ++i)
    if (holds(i)) rows.push_back(i);
  return rows;
}

}  // namespace

std::string cells_are_lines(const SampleSource& source, const Thresholds& units, std::uint64_t seed, const Control& control) {
  constexpr double margin = 0.1;
  constexpr Index most_in_cell = 3000, fewest = 50;
  const Gathered all = gathered(source, units, control);
  RandomStream random(seed, purpose::judge, 1);
  for (Index unit = -1; unit < units.W.rows(); ++unit) {  // -1: nowhere active
    control.check();
    auto rows = rows_where(all, [&](Index i) {
      for (Index u = 0; u < units.W.rows(); ++u)
        if (u == unit ? all.arguments(i, u) < margin : all.arguments(i, u) > -margin) return false;
      return true;
    });
    if (static_cast<Index>(rows.size()) < fewest) continue;
    if (static_cast<Index>(rows.size()) > most_in_cell) rows.resize(static_cast<std::size_t>(most_in_cell));
    const Matrix x = all.x(rows, Eigen::all);
    Matrix own = Matrix::Ones(x.rows(), unit < 0 ? 1 : 2);
    if (unit >= 0) own.col(1) = all.arguments(rows, unit);
    const double chance = something_left(x, own, all.y(rows), random);
    if (chance < false_alarms::each)
      return unit < 0 ? fmt::format("where no unit is active the labels still go with the inputs (chance {:.1e})", chance)
                      : fmt::format("where unit {} alone is active the labels are no line along it (chance {:.1e})", unit, chance);
  }
  return {};
}

std::string rest_is_at_rest(const SampleSource& source, const Thresholds& units, double rest, double distance, const Control& control) {
  constexpr double rounding = 1e-9;
  constexpr Index few = 2;
  const Gathered all = gathered(source, units, control);
  const double tolerance = rounding * std::max(all.y.cwiseAbs().maxCoeff(), 1e-300);
  const auto wrong = rows_where(all, [&](Index i) { return all.arguments.row(i).maxCoeff() < -distance && std::abs(all.y[i] - rest) > tolerance; });
  if (static_cast<Index>(wrong.size()) <= few) return {};
  return fmt::format("{} of {} samples are active far from where any unit is: a unit is missing", wrong.size(), all.x.rows());
}

std::string flips_are_accidents(const SampleSource& source, const Thresholds& units, double active, double distance, std::uint64_t seed, const Control& control) {
  const Gathered all = gathered(source, units, control);
  RandomStream random(seed, purpose::judge, 2);
  for (const bool above : {false, true}) {
    const auto far = rows_where(all, [&](Index i) {
      return all.arguments.row(i).cwiseAbs().minCoeff() > distance && (all.arguments.row(i).maxCoeff() > 0) == above;
    });
    std::vector<Index> order, right;
    for (std::size_t k = 0; k < far.size(); ++k)
      ((all.y[far[k]] == active) == above ? right : order).push_back(static_cast<Index>(k));
    const auto wrong = static_cast<Index>(order.size());
    if (wrong < 2 || right.empty()) continue;
    control.check();
    order.insert(order.end(), right.begin(), right.end());
    const Matrix z = whitened(all.x(far, Eigen::all));
    const RowPlaces places = places_of_rows(z, {}, order, {wrong}, random);
    const double flat = rows_lie_flat(z, order, wrong, Vector::Ones(z.rows()), random);
    const double chance = std::min({places.mean, places.neighbours, flat});
    if (chance < false_alarms::left_out)
      return fmt::format("{} labels are wrong far from every boundary, and lie together (chance {:.1e}): something is missing", wrong, chance);
  }
  return {};
}

}  // namespace relucover
