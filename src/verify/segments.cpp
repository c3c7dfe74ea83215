#include "verify/segments.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/random.hpp"

namespace relucover {

namespace {

constexpr std::uint32_t purpose_of_segments = purpose::queries + 2;

/// Numbers of 24 bits (of 46 where these are too coarse): multiples of these, up to twice as far as queries go.
Vector grid_of(const QueryLaw& law) {
  constexpr double deviations = 8;
  constexpr int bits = 22, finer = 44;
  Vector grid = law.center().cwiseAbs() + deviations * law.spread();
  for (Index j = 0; j < grid.size(); ++j)
    grid[j] = grid[j] > 0 ? std::exp2(std::ceil(std::log2(grid[j])) - (law.coarse(j) ? finer : bits)) : 1.0;
  return grid;
}

RowMatrix on_grid(const RowMatrix& x, const QueryLaw& law, const Vector& grid) {
  RowMatrix rounded = x;
  for (Index j = 0; j < x.cols(); ++j)
    if (law.moves(j)) rounded.col(j) = (x.col(j) / grid[j]).array().round() * grid[j];
  return rounded;
}

}  // namespace

Segments ask_along_segments(Asking& asking, const QueryLaw& law, std::uint64_t seed, const Control& control) {
  const Vector grid = grid_of(law);
  const RowMatrix x = on_grid(law.draw(seed, purpose_of_segments, 0, Segments::count), law, grid);
  RowMatrix towards = law.draw(seed, purpose_of_segments, Segments::count, Segments::count) - x;
  for (Index j = 0; j < x.cols(); ++j)
    if (!law.moves(j)) towards.col(j).setZero();
  Segments found;
  found.moved = !towards.isZero(0);
  constexpr std::size_t most_values = 100;
  std::set<double> values;
  std::set<std::vector<double>> rows;
  const auto ask = [&](const RowMatrix& queries) {
    for (Index i = 0; i < queries.rows() && rows.size() < most_values; ++i) {
      const Vector row = queries.row(i);
      rows.emplace(row.begin(), row.end());
    }
    RowMatrix answers = asking.all(queries, control);
    found.float32 = found.float32 && answers.cast<float>().cast<double>() == answers;
    found.largest = std::max(found.largest, answers.cwiseAbs().maxCoeff());
    for (Index i = 0; i < answers.size() && values.size() < most_values; ++i) values.insert(answers.data()[i]);
    return answers;
  };
  found.middle = ask(x);
  double h = 1;
  for (Index k = 0; k < Segments::lengths; ++k) {
    h /= 4;
    const RowMatrix step = on_grid(h * towards, law, grid);
    found.one.push_back(ask(x + step));
    found.other.push_back(ask(x - step));
  }
  found.distinct_values = std::ssize(values);
  found.distinct_queries = std::ssize(rows);
  return found;
}

Segments before_link(const Segments& segments, const Unlink& unlink) {
  std::vector<Index> kept;
  const auto carries = [&](const RowMatrix& answers, Index i) { return unlink.carries(answers.row(i).transpose()); };
  for (Index i = 0; i < segments.middle.rows(); ++i) {
    bool all = carries(segments.middle, i);
    // The longest ones may leave the place where answers carry.
    for (std::size_t k = 1; k < segments.one.size(); ++k) all = all && carries(segments.one[k], i) && carries(segments.other[k], i);
    if (all) kept.push_back(i);
  }
  Segments before;
  before.float32 = segments.float32;
  const auto taken_back = [&](const RowMatrix& answers) {
    RowMatrix rows(std::ssize(kept), unlink.outputs());
    for (Index i = 0; i < rows.rows(); ++i)
      rows.row(i) = unlink.before(answers.row(kept[static_cast<std::size_t>(i)]).transpose()).transpose();
    if (rows.size() > 0) before.largest = std::max(before.largest, rows.cwiseAbs().maxCoeff());
    return rows;
  };
  before.middle = taken_back(segments.middle);
  for (std::size_t k = 1; k < segments.one.size(); ++k) {
    before.one.push_back(taken_back(segments.one[k]));
    before.other.push_back(taken_back(segments.other[k]));
  }
  before.distinct_values = segments.distinct_values;
  constexpr double lost_digits = 64;  // probabilities that are subtracted from 1
  before.largest *= lost_digits;
  return before;
}

Matrix second_differences(const Segments& segments) {
  Matrix differences(segments.middle.rows(), std::ssize(segments.one));
  for (std::size_t k = 0; k < segments.one.size(); ++k)
    if (differences.rows() > 0)
      differences.col(static_cast<Index>(k)) = (segments.one[k] + segments.other[k] - 2 * segments.middle).cwiseAbs().rowwise().maxCoeff();
  return differences;
}

double rounding_of(const Segments& segments) {
  constexpr double roundings = 64;
  const double epsilon = segments.float32 ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
  return roundings * epsilon * std::max(segments.largest, 1e-300);
}

double straight_share(const Segments& segments) {
  const Matrix all = second_differences(segments);
  if (all.size() == 0) return 0;
  const auto differences = all.rightCols(std::min(all.cols(), Segments::lengths - 1)).array();
  return static_cast<double>((differences <= rounding_of(segments)).count()) / static_cast<double>(differences.size());
}

double smooth_share(const Matrix& differences, double rounding, double visible) {
  constexpr Index least_segments = 8;
  constexpr double shrinks = 16, tolerance = 1.5;
  for (Index k = differences.cols() - 1; k > 0; --k) {
    Index bent = 0, smooth = 0;
    for (Index i = 0; i < differences.rows(); ++i) {
      const double longer = differences(i, k - 1), shorter = differences(i, k);
      if (!(longer > visible * shrinks * rounding)) continue;
      ++bent;
      smooth += shorter * shrinks > longer / tolerance && shorter * shrinks < longer * tolerance;
    }
    if (bent >= least_segments) return static_cast<double>(smooth) / static_cast<double>(bent);
  }
  return -1;
}

}  // namespace relucover
