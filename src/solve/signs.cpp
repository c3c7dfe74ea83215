#include "solve/signs.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>

#include "core/check.hpp"
#include "core/extrema.hpp"
#include "core/linear_algebra.hpp"
#include "core/random.hpp"

namespace relucover {

namespace {

constexpr Index max_free_signs = 22;  // 4 million combinations of the free signs
constexpr Index max_half = 22;        // the same number of sums per half
constexpr Index max_inspected = Index{1} << 31;

/// Solutions as they are found, each verified on all coordinates.
class Collector {
 public:
  Collector(const Matrix& rows, const Vector& target, double tolerance, Index limit)
      : rows_(rows), target_(target), tolerance_(tolerance), limit_(limit) {}

  double mismatch(const Vector& z) const { return z.size() == 0 ? target_.norm() : (rows_.transpose() * z - target_).norm(); }
  /// False once there is no room.
  bool offer(const Vector& z) {
    const double distance = mismatch(z);
    if (!(distance <= tolerance_)) return true;
    if (static_cast<Index>(found.signs.size()) >= limit_) {
      overflow = true;
      return false;
    }
    std::vector<int> signs(static_cast<std::size_t>(z.size()));
    for (Index i = 0; i < z.size(); ++i) signs[static_cast<std::size_t>(i)] = z[i] > 0 ? 1 : -1;
    found.signs.push_back(std::move(signs));
    found.worst_mismatch = std::max(found.worst_mismatch, distance);
    return true;
  }
  SignSolution found;
  bool overflow = false;

 private:
  const Matrix& rows_;
  const Vector& target_;
  double tolerance_;
  Index limit_;
};

Vector rounded(const Vector& z) {
  return z.unaryExpr([](double value) { return value < 0 ? -1.0 : 1.0; });
}

/// The rank r and a choice of r rows that span the others: z on these follows from z on the rest.
struct Echelon {
  Index rank = 0;
  std::vector<Index> order;  // first the r basic rows, then the free ones
  Matrix dependence;         // z_basic = constant - dependence * z_free
  Vector constant;
  double slack = 0;  // how far |z_basic| may be from 1 within the tolerance
};

Echelon eliminate(const Matrix& rows, const Vector& target, double tolerance) {
  const PivotedQr qr(rows.transpose(), 1e-9);
  Echelon e;
  e.rank = qr.rank();
  const Index count = rows.rows();
  e.order = qr.order();
  const Matrix r = qr.triangle().topRows(e.rank);
  const Matrix basic = r.leftCols(e.rank);
  const Vector rotated = qr.rotated(target).topRows(e.rank);
  e.constant = solve_upper(basic, rotated);
  e.dependence = solve_upper(basic, r.rightCols(count - e.rank));
  const double smallest = e.rank > 0 ? singular_values(basic).tail(1)[0] : 1;
  e.slack = tolerance / std::max(smallest, 1e-300) + 1e-9;
  return e;
}

/// Tries every choice of the free signs in Gray-code order and reads the others off.
bool enumerate_free(const Echelon& e, const Control& control, Collector& collector) {
  const Index count = static_cast<Index>(e.order.size()), free_count = count - e.rank;
  Vector free_signs = Vector::Constant(free_count, -1.0);
  Vector basic = e.constant - e.dependence * free_signs;
  const auto total = std::uint64_t{1} << free_count;
  for (std::uint64_t step = 1;; ++step) {
    if (largest_of((basic.cwiseAbs().array() - 1).abs()) <= e.slack) {  // rank 0: every choice of the free signs
      Vector z(count);
      for (Index i = 0; i < count; ++i)
        z[e.order[static_cast<std::size_t>(i)]] = i < e.rank ? (basic[i] < 0 ? -1.0 : 1.0) : free_signs[i - e.rank];
      if (!collector.offer(z)) return false;
    }
    if (step == total) return true;
    const Index flipped = std::countr_zero(step);
    basic += e.dependence.col(flipped) * (2 * free_signs[flipped]);
    free_signs[flipped] *= -1;
    if ((step & 1023) == 0) {
      control.check();
      basic = e.constant - e.dependence * free_signs;  // no drift
    }
  }
}

/// Projections of all sums Σ ±row_i of a half on two fixed directions; bit i of the place is 1 where the sign is +.
std::pair<Vector, Vector> half_sums(const Matrix& projected) {
  const Index count = projected.rows();
  const Index size = Index{1} << count;
  Vector first(size), second(size);
  first[0] = -projected.col(0).sum();
  second[0] = -projected.col(1).sum();
  for (Index i = 0; i < count; ++i)
    for (Index place = 0; place < (Index{1} << i); ++place) {
      first[place | Index{1} << i] = first[place] + 2 * projected(i, 0);
      second[place | Index{1} << i] = second[place] + 2 * projected(i, 1);
    }
  return {std::move(first), std::move(second)};
}

/// Sorts the sums of one half along a direction and looks up what the other half leaves (Horowitz and Sahni 1974).
/// False if not all of it could be looked at.
bool meet_in_the_middle(const Matrix& rows, const Vector& target, double tolerance, const Control& control, Collector& collector) {
  const Index count = rows.rows(), left_count = count / 2, right_count = count - left_count;
  RandomStream random(0, purpose::sketch, 1);
  Matrix directions = random.normal_matrix(rows.cols(), 2);
  directions.colwise().normalize();
  const Matrix projected = rows * directions;
  const Vector goal = directions.transpose() * target;
  const auto left = half_sums(projected.topRows(left_count)), right = half_sums(projected.bottomRows(right_count));
  std::vector<Index> order(static_cast<std::size_t>(left.first.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(),
            [&](Index a, Index b) { return left.first[a] != left.first[b] ? left.first[a] < left.first[b] : a < b; });
  Vector sorted(left.first.size());
  for (Index i = 0; i < left.first.size(); ++i) sorted[i] = left.first[order[static_cast<std::size_t>(i)]];
  const double width = tolerance + 1e-13 * projected.cwiseAbs().sum();  // rounding of the sums
  Index inspected = 0;
  for (Index place = 0; place < right.first.size(); ++place) {
    if ((place & 0xffff) == 0) control.check();
    const double wanted = goal[0] - right.first[place], wanted2 = goal[1] - right.second[place];
    const double* const begin = sorted.data();
    const double* const end = begin + sorted.size();
    for (const double* at = std::lower_bound(begin, end, wanted - width); at != end && *at <= wanted + width; ++at) {
      if (++inspected > max_inspected) return false;
      if ((inspected & 0xffff) == 0) control.check();
      const Index other = order[static_cast<std::size_t>(at - begin)];
      if (std::abs(left.second[other] - wanted2) > width) continue;
      Vector z(count);
      for (Index i = 0; i < left_count; ++i) z[i] = other >> i & 1 ? 1 : -1;
      for (Index i = 0; i < right_count; ++i) z[left_count + i] = place >> i & 1 ? 1 : -1;
      if (!collector.offer(z)) return false;
    }
  }
  return true;
}

}  // namespace

SignSolution find_signs(const Matrix& weighted, const Vector& target, double tolerance, Index limit, const Control& control) {
  check_equal("length of the target", target.size(), weighted.cols());
  check_positive("limit", limit);
  check_all_finite("rows", weighted);
  check_all_finite("target", target);
  Collector collector(weighted, target, tolerance, limit);
  const Index count = weighted.rows();
  if (count == 0) {
    collector.offer(Vector());
    collector.found.complete = true;
    return collector.found;
  }
  const Echelon e = eliminate(weighted, target, tolerance);
  const Index free_count = count - e.rank, half = (count + 1) / 2;
  const bool can_eliminate = free_count <= max_free_signs && e.slack < 0.9;
  const bool can_meet = half <= max_half;
  if (can_eliminate && (!can_meet || free_count <= half + 2))
    collector.found.complete = enumerate_free(e, control, collector);
  else if (can_meet)
    collector.found.complete = meet_in_the_middle(weighted, target, tolerance, control, collector);
  else
    collector.offer(rounded(minimum_norm_solution(weighted.transpose(), target)));
  if (collector.found.signs.empty())
    collector.found.worst_mismatch = collector.mismatch(rounded(minimum_norm_solution(weighted.transpose(), target)));
  return collector.found;
}

}  // namespace relucover
