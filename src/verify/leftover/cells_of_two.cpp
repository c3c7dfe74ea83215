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

/// Of each row, and of the rows of a cell: how many, Σ r² over outputs and its square, and r of each output.
using Moments = RowMajor<float>;
constexpr Index first_output = 3;

Moments moments_of(const Matrix& residual) {
  constexpr Index at_once = 4;  // numbers that are added as one
  const Index outputs = residual.cols();
  Moments moments = Moments::Zero(residual.rows(), (first_output + outputs + at_once - 1) / at_once * at_once);
  moments.col(0).setOnes();
  moments.col(1) = residual.rowwise().squaredNorm().cast<float>();
  moments.col(2) = moments.col(1).cwiseAbs2();
  moments.middleCols(first_output, outputs) = residual.cast<float>();
  return moments;
}

/// -log of the chance of so large a Σ_c (Σ_{i in c} r_i)² / count_c under flips of signs, as if outputs were alike.
double surprise(const Moments& cells, Index outputs) {
  constexpr double least_chance = 1e-290;
  double sum = 0, mean = 0, variance = 0;
  for (Index c = 0; c < cells.rows(); ++c) {
    if (cells(c, 0) == 0) continue;
    const double count = cells(c, 0), square = cells(c, 1);
    sum += cells.row(c).segment(first_output, outputs).squaredNorm() / count;
    mean += square / count;
    variance += 2 * (square * square - cells(c, 2)) / (count * count);
  }
  return variance > 0 ? -std::log(std::max(gamma_tail(mean, variance / static_cast<double>(outputs), sum), least_chance)) : 0.0;
}

/// Cells of two variables, `from` parts of each, joined to `to` parts.
Moments joined(const Moments& cells, Index from, Index to) {
  Moments fewer = Moments::Zero(to * to, cells.cols());
  for (Index a = 0; a < from; ++a)
    for (Index b = 0; b < from; ++b) fewer.row(a * to / from * to + b * to / from) += cells.row(a * from + b);
  return fewer;
}

/// The sums of all cells; `width`: how many moments there are, where this is known.
template <Index width>
void add_rows(Moments& cells, const Moments& rows, const Cells& one, const Cells& other) {
  using Row = Eigen::Array<float, 1, width>;
  const Index columns = rows.cols();
  for (Index i = 0; i < rows.rows(); ++i) {
    const Index cell = Index{one[static_cast<std::size_t>(i)]} * sides.front() + other[static_cast<std::size_t>(i)];
    Eigen::Map<Row>(cells.data() + cell * columns, columns) += Eigen::Map<const Row>(rows.data() + i * columns, columns);
  }
}

/// The largest surprise over all sizes of cells of two variables.
double most_surprising(const Cells& one, const Cells& other, Index most_cells, const Moments& rows, Index outputs) {
  constexpr Index finest = sides.front();
  Moments cells = Moments::Zero(finest * finest, rows.cols());
  switch (rows.cols()) {
    case 4: add_rows<4>(cells, rows, one, other); break;
    case 8: add_rows<8>(cells, rows, one, other); break;
    case 16: add_rows<16>(cells, rows, one, other); break;
    default: add_rows<Eigen::Dynamic>(cells, rows, one, other);
  }
  double most = 0;
  for (const Index side : sides)
    if (side == sides.back() || side * side <= most_cells)
      most = std::max(most, surprise(side == finest ? cells : joined(cells, finest, side), outputs));
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
    const Moments rows = moments_of(r);
    double largest = 0;
    for (const auto& [one, other] : pairs)
      largest = std::max(largest, most_surprising(parts[static_cast<std::size_t>(one)], parts[static_cast<std::size_t>(other)],
                                                  n / rows_a_cell, rows, residual.cols()));
    return largest;
  };
  const Matrix unit = of_unit_size(residual);
  const double largest = largest_of(unit);
  // Never too small, and enough where it can't matter.
  const double at_most = std::exp(-largest) * static_cast<double>(pairs.size() * sides.size());
  if (at_most > could_matter) return std::min(1.0, at_most);
  const auto in_noise = [&] { return largest_of(random_signs(n, 1, random).col(0).asDiagonal() * unit); };
  return tail_of_dear_maxima(flips, in_noise, largest);
}

}  // namespace relucover
