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

/// So many columns go through all places side by side, each by a direction of its own.
constexpr Index lanes = 16;
using Lanes = Eigen::Array<float, lanes, 1>;
using Strip = Eigen::Array<float, lanes, Eigen::Dynamic>;

/// Sums of residuals between two planes across a direction, plain and with the weights of a hat, over all places and widths; of wide ones
/// at places that are a twelfth of their width apart or less.
class Scan {
 public:
  /// Columns of `values`: one set of signs each, output by output; what a fit would take away of them is taken away.
  Scan(const std::vector<RoughMatrix>& values, std::vector<Index> widths)
      : values_(values), widths_(std::move(widths)), sums_(values.size(), Strip(lanes, values.front().rows() + 1)),
        hats_(values.size(), Strip(lanes, 0)) {
    const Index columns = values.front().cols();
    for (const RoughMatrix& of_output : values)
      for (Index first = 0; first < columns; first += lanes) {
        const Index some = std::min(lanes, columns - first);
        groups_.emplace_back(Strip::Zero(lanes, of_output.rows()));
        groups_.back().topRows(some) = of_output.middleCols(first, some).transpose();
      }
    groups_of_output_ = groups_.size() / values.size();
  }

  /// The largest squares over what chance gives them, for as many columns as there are lanes.
  Lanes largest(const std::vector<std::uint32_t>& order, std::size_t group) {
    constexpr std::size_t ahead = 24;
    for (std::size_t output = 0; output < sums_.size(); ++output) {
      const Strip& values = groups_[output * groups_of_output_ + group];
      Strip& sums = sums_[output];
      sums.col(0).setZero();
      Lanes total = Lanes::Zero();
      for (std::size_t i = 0; i < order.size(); ++i) {
        __builtin_prefetch(values.col(order[std::min(i + ahead, order.size() - 1)]).data());
        total += values.col(order[i]);
        sums.col(static_cast<Index>(i) + 1) = total;
      }
    }
    return largest();
  }
  /// For `columns`, each in an order of its own.
  Lanes largest(const std::vector<std::vector<std::uint32_t>>& orders, const std::vector<Index>& columns) {
    constexpr Index at_once = 64;  // rows that stay in the fastest memory while the lanes are filled
    const Index n = values_.front().rows();
    for (std::size_t output = 0; output < sums_.size(); ++output) {
      Strip& sums = sums_[output];
      sums.col(0).setZero();
      Strip some = Strip::Zero(lanes, at_once);
      Lanes total = Lanes::Zero();
      for (Index first = 0; first < n; first += at_once) {
        const Index count = std::min(at_once, n - first);
        for (std::size_t lane = 0; lane < columns.size(); ++lane) {
          const float* values = values_[output].col(columns[lane]).data();
          const std::uint32_t* order = orders[lane].data() + first;
          for (Index i = 0; i < count; ++i) some(static_cast<Index>(lane), i) = values[order[i]];
        }
        for (Index i = 0; i < count; ++i) {
          total += some.col(i);
          sums.col(first + i + 1) = total;
        }
      }
    }
    return largest();
  }

 private:
  /// Uses up the sums: wide slabs are looked at in cells of two rows, four, and so on.
  Lanes largest() {
    constexpr Index fewest_cells = 12;
    Lanes best = Lanes::Zero();
    Index cells = values_.front().rows(), size = 1;
    for (std::size_t next = 0; next < widths_.size(); cells /= 2, size *= 2) {
      if (size > 1)
        for (Strip& sums : sums_)
          for (Index i = 0; i <= cells; ++i) sums.col(i) = sums.col(2 * i).eval();
      std::vector<Index> widths;
      for (; next < widths_.size() && (widths_[next] < 2 * fewest_cells * size); ++next)
        widths.push_back((widths_[next] + size / 2) / size);
      if (!widths.empty()) look(cells, static_cast<float>(size), widths, best);
    }
    return best;
  }
  void look(Index cells, float size, const std::vector<Index>& widths, Lanes& best) {
    constexpr Index at_once = 128;  // places whose sums fit into fast memory
    for (Index first = 0; first <= cells; first += at_once) {
      const Index end = std::min(cells + 1, first + at_once + widths.back());
      // Sums of sums from here on: what lies before would be a line, of which a hat has nothing.
      for (std::size_t output = 0; output < sums_.size(); ++output) {
        Strip& hats = hats_[output];
        if (hats.cols() < end - first + 1) hats.resize(lanes, end - first + 1);
        sum_of_sums(sums_[output], first, end, hats);
      }
      for (const Index width : widths) {
        best = best.max(slabs(first, std::min(first + at_once, cells + 1 - width), width) / (size * static_cast<float>(width)));
        // Cells weighted by 1, 2, ..., half, ..., 2, 1: slabs of half the width, all that lie within this one.
        const Index half = width / 2;
        best = best.max(hats(std::min(at_once, cells + 2 - 2 * half - first), half) * 3 /
                        (size * static_cast<float>(half * (2 * half * half + 1))));
      }
    }
  }
  static void sum_of_sums(const Strip& sums, Index first, Index end, Strip& to) {
    const Lanes before = sums.col(first);
    Lanes total = Lanes::Zero();
    for (Index i = first; i < end; ++i) {
      to.col(i - first) = total;
      total += sums.col(i) - before;
    }
    to.col(end - first) = total;
  }
  Lanes slabs(Index first, Index last, Index width) const {
    Lanes most = Lanes::Zero();
    for (Index i = first; i < last; ++i) {
      Lanes square = (sums_.front().col(i + width) - sums_.front().col(i)).square();
      for (std::size_t output = 1; output < sums_.size(); ++output)
        square += (sums_[output].col(i + width) - sums_[output].col(i)).square();
      most = most.max(square);
    }
    return most;
  }
  Lanes hats(Index count, Index half) const {
    const auto square_of = [&](const Strip& of, Index i) { return (of.col(i + 2 * half) - 2 * of.col(i + half) + of.col(i)).square(); };
    Lanes most = Lanes::Zero();
    for (Index i = 0; i < count; ++i) {
      Lanes square = square_of(hats_.front(), i);
      for (std::size_t output = 1; output < sums_.size(); ++output) square += square_of(hats_[output], i);
      most = most.max(square);
    }
    return most;
  }

  const std::vector<RoughMatrix>& values_;
  std::vector<Strip> groups_;  // the same, of each output, for columns that change places together
  std::size_t groups_of_output_ = 0;
  std::vector<Index> widths_;
  std::vector<Strip> sums_, hats_;  // of each output
};

/// The largest values for `columns` along directions near those that have them so far.
void turn(const Matrix& z, Matrix directions, Scan& scan, const std::vector<Index>& columns, Vector& best, RandomStream& random,
          const Control& control) {
  constexpr Index turns = 50;
  constexpr double widest = 0.3, narrowest = 0.01;
  directions.colwise().normalize();
  std::vector<std::vector<std::uint32_t>> orders(columns.size());
  for (Index step = 0; step < turns; ++step) {
    control.check();
    const double angle = widest * std::pow(narrowest / widest, static_cast<double>(step) / static_cast<double>(turns - 1));
    Matrix next = directions + angle / std::sqrt(static_cast<double>(z.cols())) * random.normal_matrix(z.cols(), directions.cols());
    next.colwise().normalize();
    const Matrix along = z * next;
    for (Index j = 0; j < along.cols(); ++j) rough_order_of(along.col(j), orders[static_cast<std::size_t>(j)]);
    const Lanes there = scan.largest(orders, columns);
    for (Index j = 0; j < along.cols(); ++j)
      if (double& value = best[columns[static_cast<std::size_t>(j)]]; static_cast<double>(there[j]) > value) {
        value = static_cast<double>(there[j]);
        directions.col(j) = next.col(j);
      }
  }
}

}  // namespace

double ridges_left(const Matrix& z, const Matrix& studentised, const RoughBasis& basis, const Matrix& units, bool even,
                   RandomStream& random, const Control& control) {
  constexpr Index most_flips = 60, few_flips = 2 * lanes, first_flips = 10, fewest = 8, most_inputs = 40, times_more = 16;
  constexpr double bound = 5, work = 4e7, widen = 1.8, suspicious = 2.5, usual = 1, ordinary = 0.04;
  const Index n = z.rows(), outputs = studentised.cols();
  if (z.cols() == 0 || z.cols() > most_inputs || n < 6 * fewest) return 1;
  const Index flips = z.cols() == 1 ? most_flips : few_flips;
  const std::vector<Index> widths = growing_counts(fewest, n / 6, widen);
  const auto affordable =
      static_cast<Index>(work / static_cast<double>(n * (most_flips + 1) * outputs * static_cast<Index>(widths.size() + 2)));
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
  Scan scan(flipped, widths);
  Vector best = Vector::Zero(flips + 1);
  std::vector<Index> best_at(static_cast<std::size_t>(flips + 1), 0);
  const auto found = [&](Index k, double value, Index j) {
    if (value <= best[k]) return;
    best[k] = value;
    best_at[static_cast<std::size_t>(k)] = j;
  };
  // The residual as it is along all directions; what chance makes of it along a few of them, and of more flips along all where that
  // matters.
  std::vector<std::vector<std::uint32_t>> orders(lanes);
  const Index step = directions.cols() / few;
  for (Index first = 0; first < directions.cols(); first += lanes) {
    control.check();
    const Index some = std::min(lanes, directions.cols() - first);
    const Matrix along = z * directions.middleCols(first, some);
    for (Index j = 0; j < some; ++j) rough_order_of(along.col(j), orders[static_cast<std::size_t>(j)]);
    const Lanes values = scan.largest(orders, std::vector<Index>(static_cast<std::size_t>(some), flips));
    for (Index j = 0; j < some; ++j) found(flips, static_cast<double>(values[j]), first + j);
  }
  std::vector<std::uint32_t> order;
  const auto look_along = [&](Index j, Index from, Index to) {
    rough_order_of(z * directions.col(j), order);
    for (Index group = from / lanes; group * lanes < to; ++group) {
      const Lanes values = scan.largest(order, static_cast<std::size_t>(group));
      for (Index k = std::max(from, group * lanes); k < std::min(to, (group + 1) * lanes); ++k)
        found(k, static_cast<double>(values[k - group * lanes]), j);
    }
  };
  for (const Index drawn : {lanes, few_flips}) {
    for (Index j = 0; j < directions.cols(); j += step) {
      control.check();
      look_along(j, drawn == lanes ? 0 : lanes, drawn);
    }
    const Gumbel few_maxima = gumbel_of(best.head(drawn));
    const Gumbel all_maxima{few_maxima.place + few_maxima.scale * std::log(static_cast<double>(step)), few_maxima.scale};
    if (best[flips] < all_maxima.place + (drawn < few_flips ? usual : suspicious) * all_maxima.scale) return all_maxima.tail(best[flips]);
  }
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
  std::vector<Index> columns = {flips};
  Index done = 0;
  for (const Index drawn : {first_flips, few_flips}) {
    look_along_all(done, drawn);
    for (Index k = done; k < drawn; ++k) columns.push_back(k);
    for (std::size_t first = 0; first < columns.size(); first += lanes) {
      const std::vector<Index> some(columns.begin() + static_cast<std::ptrdiff_t>(first),
                                    columns.begin() + static_cast<std::ptrdiff_t>(std::min(columns.size(), first + lanes)));
      std::vector<Index> from;
      for (const Index k : some) from.push_back(best_at[static_cast<std::size_t>(k)]);
      turn(z, directions(Eigen::all, from), scan, some, best, random, control);
    }
    columns.clear();
    done = drawn;
    if (const double chance = tail_of_maxima(best.head(done), best[flips]); chance > ordinary || done == few_flips) return chance;
  }
  return 1;
}

}  // namespace relucover
