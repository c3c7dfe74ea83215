#include "verify/first_layer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/linear_algebra.hpp"
#include "core/median.hpp"
#include "samples/subsample.hpp"
#include "verify/leftover/features.hpp"
#include "verify/leftover/flat_rows.hpp"
#include "verify/leftover/flip_tests.hpp"
#include "verify/leftover/leftover_tests.hpp"
#include "verify/leftover/one_more_unit.hpp"
#include "verify/leftover/row_tests.hpp"
#include "verify/leftover/tails.hpp"

namespace relucover {

namespace {

constexpr Index most_rows = 20000;

struct Gathered {
  Matrix x;
  Vector y;
  Matrix arguments;  // w·x - t
};

Gathered gathered(const SampleSource& source, const Thresholds& units, const Control& control, Index most = most_rows) {
  const auto part = gather(source, spread_rows(source.samples(), std::min(source.samples(), most), 0), control);
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
    for (Index k = 0; k <= j && static_cast<Index>(products.size()) < most_products; ++k)
      products.push_back(x.col(j).cwiseProduct(x.col(k)));
  }
  Matrix features(x.rows(), static_cast<Index>(products.size()));
  for (Index j = 0; j < features.cols(); ++j) features.col(j) = products[static_cast<std::size_t>(j)];
  const Matrix more = spanning_basis(orthogonal_to(basis, std::move(features)));
  const double deviation = std::max(std::sqrt(residual.squaredNorm() / static_cast<double>(residual.rows())), 1e-300);
  return std::min({not_an_optimum(residual, more, random), smooth_leftover(residual, x, basis, random),
                   best_of_many_units(x, residual / deviation, basis, random)});
}

std::vector<Index> gathered_where(const Gathered& all, const auto& holds) {
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
    auto rows = gathered_where(all, [&](Index i) {
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
  const auto wrong =
      gathered_where(all, [&](Index i) { return all.arguments.row(i).maxCoeff() < -distance && std::abs(all.y[i] - rest) > tolerance; });
  if (static_cast<Index>(wrong.size()) <= few) return {};
  return fmt::format("{} of {} samples are active far from where any unit is: a unit is missing", wrong.size(), all.x.rows());
}

namespace {

/// Least absolute deviations of y by the columns of `own`, by weighted least squares; the residual.
Vector robust_residual(const Matrix& own, const Vector& y) {
  constexpr int rounds = 15;
  Vector residual = y, weights = Vector::Ones(y.size());
  for (int round = 0; round < rounds; ++round) {
    const Matrix weighted = weights.asDiagonal() * own;
    Matrix gram = weighted.transpose() * own;
    gram.diagonal().array() += 1e-13 * gram.diagonal().maxCoeff() + 1e-300;
    residual = y - own * solve_semidefinite(std::move(gram), weighted.transpose() * y);
    const double smallest = 1e-12 * std::max(y.cwiseAbs().maxCoeff(), 1e-300);
    weights = residual.cwiseAbs().cwiseMax(smallest).cwiseInverse();
    weights /= weights.maxCoeff();
  }
  return residual.cwiseAbs();
}

/// Rows, in the order of the unit's value, that a line in that value and the inputs leaves far off while most come out. Runs at either end
/// don't count: the unit's own curve may bend there.
Index rows_off(const Vector& residual, double least) {
  const double cut = std::max(20 * median_of(std::vector<double>(residual.begin(), residual.end())), least);
  Index begin = 0, end = residual.size();
  while (begin < end && residual[begin] > cut) ++begin;
  while (begin < end && residual[end - 1] > cut) --end;
  return (residual.segment(begin, end - begin).array() > cut).count();
}

}  // namespace

std::string cells_follow_their_unit(const SampleSource& source, const Thresholds& units, double rest, double distance,
                                    const Control& control) {
  constexpr Index looked_at = 100'000, few = 2;
  constexpr double nothing = 1e-3;  // of the labels' size in the cell: bends of the unit's own curve within a window
  const Gathered all = gathered(source, units, control, looked_at);
  const Index window = 3 * (units.W.cols() + 2);
  for (Index unit = 0; unit < units.W.rows(); ++unit) {
    auto rows = gathered_where(all, [&](Index i) {
      for (Index u = 0; u < units.W.rows(); ++u)
        if (u == unit ? all.arguments(i, u) < distance : all.arguments(i, u) > -distance) return false;
      return all.y[i] != rest;  // those are counted elsewhere
    });
    std::sort(rows.begin(), rows.end(), [&](Index a, Index b) { return all.arguments(a, unit) < all.arguments(b, unit); });
    const auto count = static_cast<Index>(rows.size());
    Index off = 0;
    for (Index begin = 0; begin + window <= count; begin += window) {
      control.check();
      const std::vector<Index> part(rows.begin() + begin, rows.begin() + begin + window);
      Matrix own(window, units.W.cols() + 1);
      own.col(0).setOnes();
      own.rightCols(units.W.cols()) = all.x(part, Eigen::all);
      const Vector y = all.y(part).array() - rest;
      off += rows_off(robust_residual(own, y), nothing * y.cwiseAbs().maxCoeff());
    }
    if (off > few)
      return fmt::format("where unit {} alone is active, {} of {} labels depend on more than its value: a unit is hidden behind it", unit,
                         off, count);
  }
  return {};
}

std::string flips_are_accidents(const SampleSource& source, const Thresholds& units, double active, double distance, std::uint64_t seed,
                                const Control& control) {
  const Gathered all = gathered(source, units, control);
  RandomStream random(seed, purpose::judge, 2);
  for (const bool above : {false, true}) {
    const auto far = gathered_where(all, [&](Index i) {
      return all.arguments.row(i).cwiseAbs().minCoeff() > distance && (all.arguments.row(i).maxCoeff() > 0) == above;
    });
    std::vector<Index> order, right;
    for (std::size_t k = 0; k < far.size(); ++k) ((all.y[far[k]] == active) == above ? right : order).push_back(static_cast<Index>(k));
    const auto wrong = static_cast<Index>(order.size());
    if (wrong < 2 || right.empty()) continue;
    control.check();
    order.insert(order.end(), right.begin(), right.end());
    const Matrix z = whitened(all.x(far, Eigen::all));
    const RowPlaces places = places_of_rows(z, {}, order, {wrong}, random);
    const double flat = rows_lie_flat(z, order, wrong, Vector::Ones(z.rows()), random);
    const double chance = std::min({places.mean, places.neighbours, flat});
    if (chance < false_alarms::left_out)
      return fmt::format("{} labels are wrong far from every boundary, and lie together (chance {:.1e}): something is missing", wrong,
                         chance);
  }
  return {};
}

namespace {

/// Rows on both sides of one boundary.
struct Sides {
  Vector value;   // of the unit
  Matrix places;  // along the boundary, and 1
  Vector side;    // 1: active by its label, else -1
  Index wrong(const Vector& values) const { return (values.array() * side.array() <= 0).count(); }
};

Sides sides_of(const Gathered& all, const Thresholds& units, Index unit, double active, const std::vector<Index>& rows) {
  const Vector normal = units.W.row(unit).transpose().normalized();
  Sides near{all.arguments(rows, unit), Matrix(std::ssize(rows), units.W.cols() + 1), Vector(std::ssize(rows))};
  const Matrix x = all.x(rows, Eigen::all);
  near.places.leftCols(x.cols()) = x - (x * normal) * normal.transpose();
  near.places.rightCols(1).setOnes();
  for (Index i = 0; i < near.side.size(); ++i) near.side[i] = all.y[rows[static_cast<std::size_t>(i)]] == active ? 1 : -1;
  return near;
}

/// Values of the unit by the plane near its own that leaves fewest rows wrong: the sum of how far these are off is least (which is 0
/// where a plane leaves none), its bend rounded less and less.
Vector by_the_best_plane(const Sides& near, const Control& control) {
  constexpr double widest = 1e-2, narrowest = 1e-6, narrower = 0.5;
  constexpr int steps = 12, halvings = 8;
  Vector best = near.value, moved = Vector::Zero(near.places.cols());
  const auto values_at = [&](const Vector& by) { return Vector(near.value + near.places * by); };
  const auto loss = [&](const Vector& values, double width) {
    const Eigen::ArrayXd off = -near.side.array() * values.array() / width;
    return (off.max(0) + (-off.abs()).exp().log1p()).sum();
  };
  double width = widest;
  while (width >= narrowest) {
    control.check();
    for (int step = 0; step < steps; ++step) {
      const Vector values = values_at(moved);
      const Eigen::ArrayXd off = (near.side.array() * values.array() / width).max(-40).min(40);
      const Eigen::ArrayXd share = 1 / (1 + off.exp());
      const Vector gradient = near.places.transpose() * (near.side.array() * share).matrix();
      Matrix bend = near.places.transpose() * (share * (1 - share)).matrix().asDiagonal() * near.places;
      bend.diagonal().array() += 1e-6 * bend.trace() / static_cast<double>(bend.rows()) + 1e-12;
      Vector move = width * solve_semidefinite(std::move(bend), gradient);
      if (!move.allFinite()) break;
      const double before = loss(values, width);
      int halved = 0;
      while (halved < halvings && !(loss(values_at(moved + move), width) < before)) {
        move *= 0.5;
        ++halved;
      }
      if (halved == halvings) break;
      moved += move;
      const Vector now = values_at(moved);
      if (near.wrong(now) < near.wrong(best)) best = now;
      if (near.wrong(best) == 0) return best;
    }
    width *= narrower;
  }
  return best;
}

/// Chance of so many or more, where `expected` are: a Poisson number.
double so_many(Index count, double expected) { return count > 0 ? std::max(0.0, 1 - erlang_tail(count, expected)) : 1; }

}  // namespace

std::string boundaries_are_planes(const SampleSource& source, const Thresholds& units, double active, double distance, std::uint64_t seed,
                                  const Control& control) {
  constexpr Index looked_at = 200'000, most_near = 8000, enough_to_judge = 24;
  constexpr double near_by = 0.3;
  const Gathered all = gathered(source, units, control, looked_at);
  Index far = 0, flipped = 0;
  for (Index i = 0; i < all.x.rows(); ++i) {
    if (all.arguments.row(i).cwiseAbs().minCoeff() < std::max(distance, near_by)) continue;
    ++far;
    flipped += (all.y[i] == active) != (all.arguments.row(i).maxCoeff() > 0);
  }
  const double flips = static_cast<double>(flipped + 1) / static_cast<double>(std::max<Index>(far, 1));
  RandomStream random(seed, purpose::judge, 3);
  for (Index unit = 0; unit < units.W.rows(); ++unit) {
    auto rows = gathered_where(all, [&](Index i) {
      for (Index u = 0; u < units.W.rows(); ++u)
        if (u == unit ? std::abs(all.arguments(i, u)) > near_by : all.arguments(i, u) > -distance) return false;
      return true;
    });
    if (static_cast<Index>(rows.size()) > most_near) {
      std::nth_element(rows.begin(), rows.begin() + most_near, rows.end(),
                       [&](Index a, Index b) { return std::abs(all.arguments(a, unit)) < std::abs(all.arguments(b, unit)); });
      rows.resize(static_cast<std::size_t>(most_near));
    }
    const Sides near = sides_of(all, units, unit, active, rows);
    if (near.wrong(near.value) == 0) continue;
    const Vector values = by_the_best_plane(near, control);
    const Index wrong = near.wrong(values);
    // Among flipped labels the plane is not quite the best.
    const Index allowance = flipped > 0 ? units.W.cols() + 1 : 0;
    const double chance = so_many(wrong - allowance, flips * static_cast<double>(rows.size()));
    if (chance >= false_alarms::each) continue;
    std::vector<Index> off;
    for (Index i = 0; i < near.side.size(); ++i)
      if (values[i] * near.side[i] <= 0) off.push_back(i);
    std::string found =
        fmt::format("no plane separates the labels near boundary {}: the best leaves {} of {} wrong, where flips leave {:.2g}", unit, wrong,
                    rows.size(), flips * static_cast<double>(rows.size()));
    if (wrong < enough_to_judge) return found;
    const double together =
        something_left(near.places(off, Eigen::all).leftCols(units.W.cols()), near.places(off, Eigen::all), near.side(off), random);
    if (together < false_alarms::each_of(wrong))
      return fmt::format("{}, and these lie together (chance {:.1e}): it bends, or is two", found, together);
  }
  return {};
}

}  // namespace relucover
