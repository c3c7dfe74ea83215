#include "verify/kink_planes.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/random.hpp"

namespace relucover {

namespace {

constexpr std::uint32_t purpose_of_kinks = purpose::queries + 3;

/// A function of the columns that can be moved, in units of their spreads, the others as they were drawn.
class Local {
 public:
  Local(const std::function<RowMatrix(const RowMatrix&)>& answers, const QueryLaw& law) : answers_(answers), law_(law) {
    for (Index j = 0; j < law.inputs(); ++j)
      if (law.moves(j)) columns_.push_back(j);
  }
  Index dimension() const { return std::ssize(columns_); }
  void stand_at(const Vector& drawn) { base_ = drawn; }
  Vector coordinates(const Vector& drawn) const {
    Vector z(dimension());
    for (Index m = 0; m < dimension(); ++m) z[m] = (drawn[column(m)] - law_.center()[column(m)]) / law_.spread()[column(m)];
    return z;
  }
  /// How far a place may be from where it was meant, over all columns, in units of spreads: columns far from zero are rounded by more.
  double rounding_of_place() const {
    constexpr double single = 1.2e-7;
    double squares = 0;
    for (Index m = 0; m < dimension(); ++m) {
      const double far = std::max(1.0, std::abs(base_[column(m)]) / law_.spread()[column(m)]);
      squares += far * far;
    }
    return single * std::sqrt(squares);
  }
  /// Rounds the places to queries that float32 models see unchanged, and answers there.
  RowMatrix operator()(RowMatrix& places) const {
    RowMatrix queries = base_.transpose().replicate(places.rows(), 1);
    for (Index m = 0; m < dimension(); ++m) {
      const Index j = column(m);
      queries.col(j) =
          (law_.center()[j] + law_.spread()[j] * places.col(m).array()).unaryExpr([&](double v) { return law_.as_asked(v, j); });
      places.col(m) = (queries.col(j).array() - law_.center()[j]) / law_.spread()[j];
    }
    return answers_(queries);
  }

 private:
  Index column(Index m) const { return columns_[static_cast<std::size_t>(m)]; }
  const std::function<RowMatrix(const RowMatrix&)>& answers_;
  const QueryLaw& law_;
  std::vector<Index> columns_;
  Vector base_;
};

struct Plane {
  Vector normal;  // of length 1, in units of spreads
  double at = 0;
  double bend = 0;  // second difference along the normal, for steps of length 1
  Index output = 0;
};

class KinkFinder {
 public:
  KinkFinder(Local& local, double rounding, int closer, KinkPlanes& found)
      : local_(local), rounding_(rounding), closer_(closer), found_(found) {}

  /// The plane of a kink between two places, if there is one that can be told from others.
  std::optional<Plane> between(Vector a, Vector b) {
    constexpr int halvings = 9;
    Index output = -1;
    RowMatrix known = answers_at(a, b, {0, 0.5, 1});  // at both ends and in the middle
    if (known.allFinite()) steepest_ = std::max(steepest_, (known.row(2) - known.row(0)).cwiseAbs().maxCoeff() / (b - a).norm());
    std::vector<double> bends;
    for (int step = 0; step < halvings; ++step) {
      bends.push_back(halve(a, b, known, output));
      if (!(bends.back() > 1e3 * rounding_)) return std::nullopt;
    }
    look_closely(a, b, known, output, std::move(bends));
    return plane_between(a, b, output);
  }

 private:
  /// Goes to the half with the largest bend, which is returned; negative where answers are missing.
  double halve(Vector& a, Vector& b, RowMatrix& known, Index& output) {
    const RowMatrix quarters = answers_at(a, b, {0.25, 0.75});
    RowMatrix f(5, known.cols());
    f << known.row(0), quarters.row(0), known.row(1), quarters.row(1), known.row(2);
    if (!f.allFinite()) return -1;
    const auto bend = [&](Index i) -> Vector { return (f.row(i) + f.row(i + 2) - 2 * f.row(i + 1)).cwiseAbs().transpose(); };
    const Vector left = bend(0), middle = bend(1), right = bend(2);
    if (output < 0) (left + middle + right).maxCoeff(&output);
    const double most = std::max({left[output], middle[output], right[output]});
    const Vector from = a, length = b - a;
    const Index first = left[output] == most ? 0 : right[output] == most ? 2 : 1;  // the half with the largest bend, by quarters
    a = from + 0.25 * static_cast<double>(first) * length;
    b = a + 0.5 * length;
    known = f.middleRows(first, 3).eval();
    return most;
  }

  /// How the bend shrinks with the distance: by half each time where it is a kink.
  void look_closely(Vector a, Vector b, RowMatrix known, Index output, std::vector<double> bends) {
    constexpr int compared = 3;
    constexpr double jumps = 0.3, kinks = 1.45;  // exponents of the distance
    const double visible = 10 * (3 * rounding_ + local_.rounding_of_place() * steepest_);
    while (std::ssize(bends) > compared && bends.back() < visible) bends.pop_back();
    for (int step = 0; step < closer_; ++step) {
      const double bend = halve(a, b, known, output);
      if (!(bend > visible)) break;
      bends.push_back(bend);
    }
    if (!(bends.back() > visible)) return;
    const double exponent = std::log2(bends[bends.size() - 1 - compared] / bends.back()) / compared;
    ++found_.bends;
    found_.jumps += exponent < jumps;
    found_.round += exponent > kinks;
  }

  RowMatrix answers_at(const Vector& a, const Vector& b, const std::vector<double>& fractions) {
    RowMatrix places(std::ssize(fractions), a.size());
    for (Index i = 0; i < places.rows(); ++i) places.row(i) = (a + fractions[static_cast<std::size_t>(i)] * (b - a)).transpose();
    return local_(places);
  }
  struct Tangent {
    Vector place, slope;
    double value = 0;
  };
  std::optional<Tangent> tangent(const Vector& place, double step, Index output) {
    const Index d = place.size();
    RowMatrix places = place.transpose().replicate(d + 1, 1);
    for (Index m = 0; m < d; ++m) places(m + 1, m) += step;
    const RowMatrix f = local_(places);
    if (!f.allFinite()) return std::nullopt;
    Tangent found{places.row(0).transpose(), Vector(d), f(0, output)};
    for (Index m = 0; m < d; ++m) {
      const double moved = places(m + 1, m) - places(0, m);
      if (!(moved > 0)) return std::nullopt;
      found.slope[m] = (f(m + 1, output) - f(0, output)) / moved;
    }
    return found;
  }
  std::optional<Plane> plane_between(const Vector& a, const Vector& b, Index output) {
    const double width = (b - a).norm();
    // A step further out: the kink may be at an end.
    const auto one = tangent(a - (b - a), width / 8, output), other = tangent(b + (b - a), width / 8, output);
    if (!one || !other) return std::nullopt;
    const Vector jump = other->slope - one->slope;
    const double bend = jump.norm();
    if (!(bend * width > 100 * rounding_)) return std::nullopt;
    const double at = (one->value - one->slope.dot(one->place) - other->value + other->slope.dot(other->place)) / bend;
    const Vector normal = jump / bend;
    const double low = normal.dot(a), high = normal.dot(b), slack = 0.1 * std::abs(high - low);
    if (at < std::min(low, high) - slack || at > std::max(low, high) + slack) return std::nullopt;  // two kinks, not one
    return Plane{normal, at, high > low ? bend : -bend, output};
  }

  Local& local_;
  double rounding_;
  int closer_;
  KinkPlanes& found_;
  double steepest_ = 0;  // of all segments so far
};

}  // namespace

KinkPlanes follow_kinks(const std::function<RowMatrix(const RowMatrix&)>& answers, const QueryLaw& law, double rounding, std::uint64_t seed,
                        int closer) {
  constexpr Index wanted = 12, tries = 160, most_bends = 40, places = 6, most_inputs = 256;
  KinkPlanes found;
  Local local(answers, law);
  if (local.dimension() < 2 || local.dimension() > most_inputs) return found;
  KinkFinder finder(local, rounding, closer, found);
  for (Index t = 0; t < tries && found.kinks < wanted && found.bends < most_bends; ++t) {
    const RowMatrix ends = law.draw(seed, purpose_of_kinks, 8 * t, 2 + places);
    local.stand_at(ends.row(0).transpose());
    const Vector a = local.coordinates(ends.row(0).transpose()), towards = local.coordinates(ends.row(1).transpose());
    const auto plane = finder.between(a, a + 0.25 * (towards - a));
    if (!plane) continue;
    // Wide enough for the bend to stand above rounding, and not much wider: other kinks are near.
    const double step = std::max(1e-3, 200 * rounding / std::abs(plane->bend));
    if (step > 0.05) continue;
    found.longest_step = std::max(found.longest_step, step);
    RowMatrix around(3 * places, local.dimension());
    for (Index p = 0; p < places; ++p) {
      Vector z = local.coordinates(ends.row(2 + p).transpose());
      z -= (plane->normal.dot(z) - plane->at) * plane->normal;
      for (Index side = 0; side < 3; ++side)
        around.row(3 * p + side) = (z + static_cast<double>(side - 1) * step * plane->normal).transpose();
    }
    const RowMatrix f = local(around);
    ++found.kinks;
    for (Index p = 0; p < places; ++p) {
      const double bend = f(3 * p, plane->output) + f(3 * p + 2, plane->output) - 2 * f(3 * p + 1, plane->output);
      if (!std::isfinite(bend)) continue;
      ++found.places;
      constexpr double tolerance = 0.3;
      found.elsewhere += std::abs(bend - plane->bend * step) > tolerance * std::abs(plane->bend) * step;
    }
  }
  return found;
}

}  // namespace relucover
