#include "verify/leftover/ridge_scan.hpp"

#include <algorithm>
#include <cmath>

#include "core/linear_algebra.hpp"
#include "verify/leftover/features.hpp"
#include "verify/leftover/tails.hpp"

namespace relucover {

namespace {

/// Half of the directions at random, the others across planes through rows with large residuals: flips do not change which these are, so
/// that these must not be looked at where rows change places.
Matrix directions_of(const Matrix& z, const Matrix& residual, const Matrix& units, Index count, bool even, RandomStream& random) {
  const Index d = z.cols();
  if (d == 1) return Matrix::Ones(1, 1);
  Matrix directions = random.normal_matrix(d, count);
  const auto order = order_of(-residual.rowwise().norm());
  const Index large = std::min<Index>(z.rows(), std::max<Index>(3 * d, 20));
  Index j = 0;
  for (; j < std::min(units.cols(), count / 4); ++j) directions.col(j) = units.col(j);
  for (; j < count / 2 && !even; ++j) {
    Matrix some(d, d);
    const auto chosen = random_rows(large, d, random);
    for (Index k = 0; k < d; ++k) some.row(k) = z.row(order[static_cast<std::size_t>(chosen[static_cast<std::size_t>(k)])]);
    some.rowwise() -= some.colwise().mean().eval();
    directions.col(j) = symmetric_eigen(some.transpose() * some).vectors.col(0);
  }
  return directions;
}

/// Sums of residuals between two planes across a direction, plain and with the weights of a hat, over all places and widths.
class Scan {
 public:
  /// Columns of `values`: one set of signs each, output by output; what a fit would take away of them is taken away.
  Scan(std::vector<RoughMatrix> values, std::vector<Index> widths)
      : values_(std::move(values)), widths_(std::move(widths)), sums_(values_.front().rows() + 1, static_cast<Index>(values_.size())),
        sums_of_sums_(sums_.rows() + 1, sums_.cols()) {}

  /// The largest square over what chance gives it, for column k.
  double largest(const std::vector<std::uint32_t>& order, Index k) {
    const Index n = values_.front().rows();
    for (Index output = 0; output < sums_.cols(); ++output) {
      const auto values = values_[static_cast<std::size_t>(output)].col(k);
      auto sums = sums_.col(output);
      auto sums_of_sums = sums_of_sums_.col(output);
      sums[0] = 0;
      sums_of_sums[0] = 0;
      for (Index i = 0; i < n; ++i) {
        sums[i + 1] = sums[i] + values[order[static_cast<std::size_t>(i)]];
        sums_of_sums[i + 1] = sums_of_sums[i] + static_cast<double>(sums[i]);
      }
      sums_of_sums[n + 1] = sums_of_sums[n] + static_cast<double>(sums[n]);
    }
    double best = 0;
    for (const Index width : widths_) {
      const Index places = n + 1 - width;
      const auto slab = [&](Index output) {
        return (sums_.col(output).segment(width, places) - sums_.col(output).head(places)).array().square();
      };
      best = std::max(best, best_over_outputs(slab, squares_) / static_cast<double>(width));
      // Rows weighted by 1, 2, ..., half, ..., 2, 1: slabs of half the width, all that lie within this one.
      const Index half = width / 2, peaks = n + 2 - 2 * half;
      const auto hat = [&](Index output) {
        const auto sums = sums_of_sums_.col(output);
        return (sums.segment(2 * half, peaks) - 2 * sums.segment(half, peaks) + sums.head(peaks)).array().square();
      };
      best = std::max(best, best_over_outputs(hat, hat_squares_) * 3 / static_cast<double>(half * (2 * half * half + 1)));
    }
    return best;
  }

 private:
  double best_over_outputs(const auto& squares_of, auto& squares) {
    if (sums_.cols() == 1) return squares_of(0).maxCoeff();
    squares = squares_of(0);
    for (Index output = 1; output < sums_.cols(); ++output) squares += squares_of(output);
    return squares.maxCoeff();
  }
  std::vector<RoughMatrix> values_;  // eight at once, and fine enough
  std::vector<Index> widths_;
  RoughMatrix sums_;  // of each output
  Matrix sums_of_sums_;
  Eigen::ArrayXf squares_;
  Eigen::ArrayXd hat_squares_;
};

/// The largest value for column k along directions near the one that has it so far.
double turned(const Matrix& z, Vector direction, Scan& scan, Index k, double value, RandomStream& random) {
  constexpr Index turns = 50;
  constexpr double widest = 0.3, narrowest = 0.01;
  direction.normalize();
  std::vector<std::uint32_t> order;
  for (Index turn = 0; turn < turns; ++turn) {
    const double angle = widest * std::pow(narrowest / widest, static_cast<double>(turn) / static_cast<double>(turns - 1));
    const Vector next = (direction + angle / std::sqrt(static_cast<double>(z.cols())) * random.normal_vector(z.cols())).normalized();
    rough_order_of(z * next, order);
    if (const double there = scan.largest(order, k); there > value) {
      value = there;
      direction = next;
    }
  }
  return value;
}

}  // namespace

double ridges_left(const Matrix& z, const Matrix& studentised, const RoughBasis& basis, const Matrix& units, bool even,
                   RandomStream& random, const Control& control) {
  constexpr Index flips = 60, few_flips = 30, first_flips = 10, fewest = 8, most_inputs = 40, times_more = 16;
  constexpr double bound = 5, work = 4e7, widen = 1.8, suspicious = 2.5, ordinary = 0.04;
  const Index n = z.rows(), outputs = studentised.cols();
  if (z.cols() == 0 || z.cols() > most_inputs || n < 6 * fewest) return 1;
  const std::vector<Index> widths = growing_counts(fewest, n / 6, widen);
  const auto affordable = static_cast<Index>(work / static_cast<double>(n * (flips + 1) * outputs * static_cast<Index>(widths.size() + 2)));
  const Index few = z.cols() == 1 ? 1 : std::clamp<Index>(affordable, 8, 200);
  const Matrix residual = studentised.cwiseMin(bound).cwiseMax(-bound);
  const Matrix directions = directions_of(z, residual, units, z.cols() == 1 ? 1 : times_more * few, even, random);
  Matrix signs = random_signs(n, flips + 1, random);
  signs.col(flips).setOnes();
  std::vector<RoughMatrix> flipped;
  std::vector<std::vector<Index>> places(static_cast<std::size_t>(even ? flips : 0));
  for (auto& place : places) place = random_rows(n, n, random);
  for (const auto& output : residual.colwise()) {
    Matrix drawn = output.asDiagonal() * signs;
    for (std::size_t k = 0; k < places.size(); ++k) drawn.col(static_cast<Index>(k)) = drawn.col(static_cast<Index>(k))(places[k]).eval();
    flipped.push_back(basis.without(RoughMatrix(drawn.cast<float>())));
  }
  Scan scan(std::move(flipped), widths);
  Vector best = Vector::Zero(flips + 1);
  std::vector<Index> best_at(static_cast<std::size_t>(flips + 1), 0);
  std::vector<std::uint32_t> order;
  const auto look_along = [&](Index j, Index first, Index last) {
    rough_order_of(z * directions.col(j), order);
    for (Index k = first; k < last; ++k)
      if (const double value = scan.largest(order, k); value > best[k]) {
        best[k] = value;
        best_at[static_cast<std::size_t>(k)] = j;
      }
  };
  // The residual as it is along all directions; what chance makes of it along a few of them, and of more flips along all where that
  // matters.
  for (Index j = 0; j < directions.cols(); ++j) look_along(j, flips, flips + 1);
  const Index step = directions.cols() / few;
  for (Index j = 0; j < directions.cols(); j += step) {
    control.check();
    look_along(j, 0, few_flips);
  }
  const Gumbel few_maxima = gumbel_of(best.head(few_flips));
  const Gumbel all_maxima{few_maxima.place + few_maxima.scale * std::log(static_cast<double>(step)), few_maxima.scale};
  if (best[flips] < all_maxima.place + suspicious * all_maxima.scale) return all_maxima.tail(best[flips]);
  const auto look_along_all = [&](Index first, Index last) {
    for (Index j = 0; j < directions.cols(); ++j) {
      control.check();
      const Index from = j % step == 0 ? std::max(first, few_flips) : first;  // the others have been looked at
      if (from < last) look_along(j, from, last);
    }
  };
  if (z.cols() == 1) {
    look_along_all(0, flips);
    return tail_of_maxima(best.head(flips), best[flips]);
  }
  // A thin slab is seen along few directions: from one that cuts some of it to the best.
  const auto turn = [&](Index k) {
    control.check();
    best[k] = turned(z, directions.col(best_at[static_cast<std::size_t>(k)]), scan, k, best[k], random);
  };
  turn(flips);
  Index done = 0;
  for (const Index drawn : {first_flips, few_flips}) {
    look_along_all(done, drawn);
    for (Index k = done; k < drawn; ++k) turn(k);
    done = drawn;
    if (const double chance = tail_of_maxima(best.head(done), best[flips]); chance > ordinary || done == few_flips) return chance;
  }
  return 1;
}

}  // namespace relucover
