#include "learners/deep/bent_planes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/linear_algebra.hpp"
#include "core/median.hpp"

namespace relucover {

namespace {

constexpr Index points_on_segment = 512, segments_at_once = 8, looks_on_plane = 32;

/// A place on a segment where a piecewise linear function bends, and the output that bends most.
struct LoneBend {
  Vector at, along;
  Index output = 0;
};

class PlaneSearch {
 public:
  PlaneSearch(const AskAt& ask, const BentPlanesOptions& options, RandomStream& random, const Control& control)
      : ask_(ask), options_(options), random_(random), control_(control), inputs_(options.domain.cols()) {}

  BentPlanes run() {
    constexpr int most_rounds = 16, patience = 2, patience_where_some_miss = 6;
    int without = 0;
    const auto enough = [&] { return without >= (std::ssize(planes_) < options_.wanted ? patience_where_some_miss : patience); };
    for (int round = 0; round < most_rounds && !enough(); ++round) {
      control_.check();
      control_.progress("ask for layers", -1, fmt::format("{} planes on which the model bends", std::ssize(planes_)));
      const Index before = std::ssize(planes_);
      const auto bends = new_bends();
      if (!bends) break;
      confirm(planes_through(*bends));
      without = std::ssize(planes_) > before ? 0 : without + 1;
      if (options_.wanted > 0 && std::ssize(planes_) == options_.wanted && without > 0) break;
    }
    drop_repeated();
    BentPlanes found;
    found.queries = queries_;
    found.forms.resize(std::ssize(planes_), inputs_ + 1);
    for (Index i = 0; i < found.forms.rows(); ++i) found.forms.row(i) = planes_[static_cast<std::size_t>(i)];
    return found;
  }

 private:
  bool affordable(Index rows) const { return queries_ + rows <= options_.most_queries; }

  RowMatrix answers_at(RowMatrix& rows) {
    queries_ += rows.rows();
    return ask_(rows);
  }

  Vector some_row() { return options_.domain.row(random_.below(options_.domain.rows())); }

  /// Bends on a few more segments that lie on no plane seen before; none: there are no queries left.
  std::optional<std::vector<LoneBend>> new_bends() {
    const Index rows = segments_at_once * points_on_segment;
    if (!affordable(rows)) return std::nullopt;
    RowMatrix queries(rows, inputs_), from(segments_at_once, inputs_), step(segments_at_once, inputs_);
    for (Index s = 0; s < segments_at_once; ++s) {
      from.row(s) = some_row();
      step.row(s) = (some_row().transpose() - from.row(s)) / static_cast<double>(points_on_segment - 1);
      for (Index k = 0; k < points_on_segment; ++k)
        queries.row(s * points_on_segment + k) = from.row(s) + static_cast<double>(k) * step.row(s);
    }
    const RowMatrix answers = answers_at(queries);
    rounding_ = rounding_of(answers);
    unevenness_ = rounding_ + unevenness_of(answers);
    std::vector<LoneBend> bends;
    for (Index s = 0; s < segments_at_once; ++s) {
      const Index at = s * points_on_segment;
      for (LoneBend& bend : alone(queries.middleRows(at, points_on_segment), answers.middleRows(at, points_on_segment))) {
        places_.push_back(bend.at);
        if (!on_a_plane(planes_, bend.at) && !on_a_plane(rejected_, bend.at)) bends.push_back(std::move(bend));
      }
    }
    return bends;
  }

  /// What answers are off by.
  static double rounding_of(const RowMatrix& answers) {
    constexpr double whole = 1e-13, single = 1e-6;
    return (answers.cast<float>().cast<double>() == answers ? single : whole) * answers.cwiseAbs().maxCoeff();
  }

  /// What second differences along a segment are where nothing bends: its points are rounded too. Most belong to no bend, or this is not
  /// piecewise linear; pieces on which the model is constant say nothing.
  static double unevenness_of(const RowMatrix& answers) {
    std::vector<double> sizes;
    for (Index i = 1; i + 1 < answers.rows(); ++i) {
      if (i % points_on_segment == 0 || (i + 1) % points_on_segment == 0 || answers.row(i + 1) == answers.row(i)) continue;
      sizes.push_back((answers.row(i + 1) - 2 * answers.row(i) + answers.row(i - 1)).cwiseAbs().maxCoeff());
    }
    constexpr double beyond = 64;
    return sizes.empty() ? 0 : beyond * median_of(std::move(sizes));
  }

  /// Between two neighbouring points, with straight pieces on both sides that meet there.
  std::vector<LoneBend> alone(const Eigen::Ref<const RowMatrix>& points, const Eigen::Ref<const RowMatrix>& values) const {
    const Index count = points.rows();
    std::vector<char> bent(static_cast<std::size_t>(count), 1);
    const Vector along = (points.row(count - 1) - points.row(0)).transpose();
    const Vector t = points * along / along.squaredNorm();  // what was asked is rounded
    const auto slope = [&](Index k) -> Eigen::RowVectorXd { return (values.row(k + 1) - values.row(k)) / (t[k + 1] - t[k]); };
    const double spacing = 1.0 / static_cast<double>(count - 1);
    for (Index k = 1; k + 1 < count; ++k)
      bent[static_cast<std::size_t>(k)] = (slope(k) - slope(k - 1)).cwiseAbs().maxCoeff() * spacing > unevenness_;
    const auto is_bent = [&](Index k) { return bent[static_cast<std::size_t>(k)] != 0; };
    std::vector<LoneBend> found;
    for (Index k = 2; k + 3 < count; ++k) {
      if (!is_bent(k) || is_bent(k - 1) || is_bent(k + 2)) continue;
      const Eigen::RowVectorXd left = slope(k - 1), right = slope(k + 1), jump = right - left;
      LoneBend bend;
      const double size = jump.cwiseAbs().maxCoeff(&bend.output);
      if (!(size * spacing > 4 * unevenness_)) continue;
      const Index o = bend.output;
      const double meet = (values(k, o) - values(k + 1, o) + right[o] * t[k + 1] - left[o] * t[k]) / jump[o];
      if (!(meet > t[k] - 0.01 * spacing && meet < t[k + 1] + 0.01 * spacing)) continue;
      bend.at = points.row(k).transpose() + (meet - t[k]) * along;
      bend.along = along.normalized();
      found.push_back(std::move(bend));
    }
    return found;
  }

  /// How far gradients look: as near as the rounding of the answers allows.
  double reach() const {
    constexpr double near = 1e-3, far = 0.03;
    return std::clamp(std::pow(rounding_, 0.25), near, far);
  }

  bool on_a_plane(const std::vector<Eigen::RowVectorXd>& planes, const Vector& at) const {
    const double tolerance = std::clamp(1e3 * unevenness_, 1e-7, 1e-4);
    return std::any_of(planes.begin(), planes.end(), [&](const auto& plane) { return height(plane, at) < tolerance; });
  }

  double height(const Eigen::RowVectorXd& plane, const Vector& at) const {
    return std::abs(plane.head(inputs_).dot(at.transpose()) + plane[inputs_]);
  }

  static double apart(const Eigen::RowVectorXd& one, const Eigen::RowVectorXd& other) {
    return std::min((one - other).cwiseAbs().maxCoeff(), (one + other).cwiseAbs().maxCoeff());
  }

  /// Planes (w, b) of bends, each once. Of many inputs the gradients of few bends are asked for at a time, and bends on planes that these
  /// have shown need none.
  std::vector<Eigen::RowVectorXd> planes_through(const std::vector<LoneBend>& bends) {
    constexpr Index numbers_at_once = 4'000'000;
    const Index each = 2 * (inputs_ + 1), at_once = std::max<Index>(1, numbers_at_once / (each * inputs_));
    std::vector<Eigen::RowVectorXd> planes;
    std::vector<LoneBend> some;
    for (auto bend = bends.begin(); bend != bends.end(); ++bend) {
      if (planes.empty() || !on_a_plane(planes, bend->at)) some.push_back(*bend);
      if (std::ssize(some) < at_once && bend + 1 != bends.end()) continue;
      control_.check();
      add_planes_through(some, planes);
      some.clear();
    }
    return planes;
  }

  /// w is the jump of the gradient, and the affine functions of both sides meet on the plane.
  void add_planes_through(const std::vector<LoneBend>& bends, std::vector<Eigen::RowVectorXd>& planes) {
    constexpr double aside = 0.1, same = 1e-6;
    const Index each = 2 * (inputs_ + 1);
    const double step = reach();
    const Index count = std::min<Index>(std::ssize(bends), (options_.most_queries - queries_) / each);
    if (count == 0) return;
    RowMatrix queries(count * each, inputs_);
    for (Index i = 0; i < count; ++i) {
      const LoneBend& bend = bends[static_cast<std::size_t>(i)];
      for (Index side = 0; side < 2; ++side)
        for (Index j = 0; j <= inputs_; ++j) {
          Vector away = bend.along;
          if (j < inputs_) away[j] += aside;
          queries.row(i * each + side * (inputs_ + 1) + j) = (bend.at + (side == 0 ? step : -step) * away).transpose();
        }
    }
    const RowMatrix answers = answers_at(queries);
    for (Index i = 0; i < count; ++i) {
      const Index at = i * each, output = bends[static_cast<std::size_t>(i)].output;
      const Eigen::RowVectorXd plane =
          affine_at(queries.middleRows(at, inputs_ + 1), answers.col(output).segment(at, inputs_ + 1)) -
          affine_at(queries.middleRows(at + inputs_ + 1, inputs_ + 1), answers.col(output).segment(at + inputs_ + 1, inputs_ + 1));
      const double size = plane.head(inputs_).norm();
      if (!(size > 0) || !plane.allFinite()) continue;
      const Eigen::RowVectorXd unit = plane / size;
      if (std::none_of(planes.begin(), planes.end(), [&](const auto& other) { return apart(unit, other) < same; })) planes.push_back(unit);
    }
  }

  /// The affine function (g, c) through one value more than there are inputs.
  Eigen::RowVectorXd affine_at(const Eigen::Ref<const RowMatrix>& points, const Eigen::Ref<const Vector>& values) const {
    const Eigen::RowVectorXd origin = points.row(inputs_);
    const Matrix steps = points.topRows(inputs_).rowwise() - origin;
    const Vector rises = values.head(inputs_).array() - values[inputs_], gradient = solve_square(steps, rises);
    Eigen::RowVectorXd affine(inputs_ + 1);
    affine << gradient.transpose(), values[inputs_] - origin.dot(gradient.transpose());
    return affine;
  }

  /// Sorts planes into those on which the model bends in many places, and others.
  void confirm(const std::vector<Eigen::RowVectorXd>& candidates) {
    // Measured: units of the layer bend in .93 to 1 of the places, units above in 0 to .76.
    constexpr double share_of_looks = 0.85;
    constexpr Index least_told = 6;  // where the model is constant (all units above are off) nothing can be told
    const Index each = 3 * looks_on_plane, count = std::min<Index>(std::ssize(candidates), (options_.most_queries - queries_) / each);
    if (count == 0) return;
    // Nearer than the gradients looked: a plane that is off by more is one more of a unit that others show better.
    const double step = 0.3 * reach();
    RowMatrix queries(count * each, inputs_);
    for (Index i = 0; i < count; ++i) {
      const Eigen::RowVectorXd across = step * candidates[static_cast<std::size_t>(i)].head(inputs_);
      const RowMatrix points = points_on_plane(candidates[static_cast<std::size_t>(i)], options_.domain, looks_on_plane, random_);
      for (Index k = -1; k <= 1; ++k)
        queries.middleRows(i * each + (k + 1) * looks_on_plane, looks_on_plane) = points.rowwise() + static_cast<double>(k) * across;
    }
    const RowMatrix answers = answers_at(queries);
    for (Index i = 0; i < count; ++i) {
      const auto part = [&](Index k) { return answers.middleRows(i * each + k * looks_on_plane, looks_on_plane); };
      const Vector bent = (part(0) - 2 * part(1) + part(2)).cwiseAbs().rowwise().maxCoeff();
      const Vector change =
          (part(0) - part(1)).cwiseAbs().rowwise().maxCoeff().cwiseMax((part(2) - part(1)).cwiseAbs().rowwise().maxCoeff());
      constexpr double of_change = 2e-3;  // points are rounded
      const Index seen = (bent.array() > rounding_ + of_change * change.array()).count(), told = (change.array() > rounding_).count();
      const bool everywhere = told >= least_told && static_cast<double>(seen) >= share_of_looks * static_cast<double>(told);
      (everywhere ? planes_ : rejected_).push_back(candidates[static_cast<std::size_t>(i)]);
    }
  }

  /// Of planes that nearly agree the one with most bends on it: gradients are off where something else bends beside. Of more than are
  /// wanted those with most.
  void drop_repeated() {
    constexpr double near = 0.05, on = 1e-6;
    std::vector<std::pair<Index, Eigen::RowVectorXd>> ranked;
    for (const Eigen::RowVectorXd& plane : planes_)
      ranked.emplace_back(std::count_if(places_.begin(), places_.end(), [&](const Vector& at) { return height(plane, at) < on; }), plane);
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& one, const auto& other) { return one.first > other.first; });
    planes_.clear();
    Index least = 0;
    for (const auto& ranked_plane : ranked) {
      const Eigen::RowVectorXd& plane = ranked_plane.second;
      // A unit above that bends nearly everywhere on a plane of its own has few bends there: its plane changes with the units below.
      if (options_.wanted > 0 && std::ssize(planes_) >= options_.wanted && ranked_plane.first < least) break;
      if (std::any_of(planes_.begin(), planes_.end(), [&](const auto& other) { return apart(plane, other) < near; })) continue;
      planes_.push_back(plane);
      least = ranked_plane.first;
    }
  }

  const AskAt& ask_;
  const BentPlanesOptions& options_;
  RandomStream& random_;
  const Control& control_;
  Index inputs_, queries_ = 0;
  double rounding_ = 0, unevenness_ = 0;
  std::vector<Eigen::RowVectorXd> planes_, rejected_;
  std::vector<Vector> places_;  // of all bends
};

}  // namespace

RowMatrix points_on_plane(const Eigen::RowVectorXd& plane, const RowMatrix& domain, Index count, RandomStream& random) {
  const Index inputs = domain.cols();
  const auto some_row = [&] { return domain.row(random.below(domain.rows())); };
  const auto height = [&](const auto& row) { return plane.head(inputs).dot(row) + plane[inputs]; };
  RowMatrix points(count, inputs);
  Index found = 0;
  for (Index tries = 0; found < count && tries < 40 * count; ++tries) {
    const auto one = some_row(), other = some_row();
    const double a = height(one), b = height(other);
    if ((a < 0) != (b < 0)) points.row(found++) = one + a / (a - b) * (other - one);
  }
  for (; found < count; ++found) {
    const auto one = some_row();
    points.row(found) = one - height(one) * plane.head(inputs) / plane.head(inputs).squaredNorm();
  }
  return points;
}

BentPlanes bent_planes(const AskAt& ask, const BentPlanesOptions& options, RandomStream& random, const Control& control) {
  if (options.domain.rows() < 2 || options.domain.cols() == 0) return {};
  return PlaneSearch(ask, options, random, control).run();
}

}  // namespace relucover
