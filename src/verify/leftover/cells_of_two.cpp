#include "verify/leftover/cells_of_two.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "verify/leftover/features.hpp"
#include "verify/leftover/parts.hpp"
#include "verify/leftover/tails.hpp"

namespace relucover {

namespace {

// Equal parts of the finest join to those of the others.
constexpr std::array<Index, 5> sides = {24, 12, 8, 4, 2};

/// Of the rows of a cell: how many they are, and sums of r, r² and r⁴.
using CellMoments = Eigen::Array4d;

/// Σ_c (Σ_{i in c} r_i)² / count_c, and its mean and variance under flips of signs.
struct SumOverCells {
  double sum = 0, mean = 0, variance = 0;
  void add(const std::vector<CellMoments>& cells) {
    for (const CellMoments& cell : cells) {
      if (cell[0] == 0) continue;
      sum += cell[1] * cell[1] / cell[0];
      mean += cell[2] / cell[0];
      variance += 2 * (cell[2] * cell[2] - cell[3]) / (cell[0] * cell[0]);
    }
  }
  /// -log of the chance of so large a sum.
  double surprise() const {
    constexpr double least_chance = 1e-290;
    return variance > 0 ? -std::log(std::max(gamma_tail(mean, variance, sum), least_chance)) : 0.0;
  }
};

/// Cells of two variables, `from` parts of each, joined to `to` parts.
std::vector<CellMoments> joined(const std::vector<CellMoments>& cells, Index from, Index to) {
  std::vector<CellMoments> fewer(static_cast<std::size_t>(to * to), CellMoments::Zero());
  for (Index a = 0; a < from; ++a)
    for (Index b = 0; b < from; ++b)
      fewer[static_cast<std::size_t>(a * to / from * to + b * to / from)] += cells[static_cast<std::size_t>(a * from + b)];
  return fewer;
}

/// The largest surprise over all sizes of cells of two variables.
double most_surprising(const Cells& one, const Cells& other, Index most_cells, const Matrix& residual) {
  constexpr Index finest = sides.front();
  std::array<SumOverCells, sides.size()> sums;
  for (const auto& output : residual.colwise()) {
    std::vector<CellMoments> cells(static_cast<std::size_t>(finest * finest), CellMoments::Zero());
    for (Index i = 0; i < output.size(); ++i) {
      const double r = output[i], square = r * r;
      const auto row = static_cast<std::size_t>(i);
      cells[static_cast<std::size_t>(one[row] * finest + other[row])] += CellMoments(1, r, square, square * square);
    }
    for (std::size_t k = 0; k < sides.size(); ++k)
      if (sides[k] == sides.back() || sides[k] * sides[k] <= most_cells) sums[k].add(k == 0 ? cells : joined(cells, finest, sides[k]));
  }
  double most = 0;
  for (const SumOverCells& sum : sums) most = std::max(most, sum.surprise());
  return most;
}

}  // namespace

double cells_of_two(const Matrix& variables, const Matrix& sorted, const Matrix& residual, RandomStream& random) {
  constexpr Index most_pairs = 120, flips = 60, rows_a_cell = 4;
  constexpr double work = 4e7, could_matter = 1e-3;
  const Index n = residual.rows();
  if (variables.cols() < 2 || n < 20) return 1;
  const auto affordable = static_cast<Index>(work / static_cast<double>(n * residual.cols()) / static_cast<double>(sides.size()));
  const auto pairs = some_pairs(variables.cols(), std::clamp<Index>(affordable, 20, most_pairs), random);
  std::vector<Cells> parts;
  for (Index j = 0; j < variables.cols(); ++j) parts.push_back(parts_of(variables.col(j), sorted.col(j), sides.front()));
  const auto largest_of = [&](const Matrix& r) {
    double largest = 0;
    for (const auto& [one, other] : pairs)
      largest = std::max(largest,
                         most_surprising(parts[static_cast<std::size_t>(one)], parts[static_cast<std::size_t>(other)], n / rows_a_cell, r));
    return largest;
  };
  const Matrix unit = of_unit_size(residual);
  const double largest = largest_of(unit);
  // Never too small, and enough where it can't matter.
  const double at_most = std::exp(-largest) * static_cast<double>(pairs.size() * sides.size());
  if (at_most > could_matter) return std::min(1.0, at_most);
  const Matrix signs = random_signs(n, flips, random);
  Vector best(flips);
  for (Index k = 0; k < flips; ++k) best[k] = largest_of(signs.col(k).asDiagonal() * unit);
  return tail_of_maxima(best, largest);
}

}  // namespace relucover
