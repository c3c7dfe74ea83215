#include "networks/assignment.hpp"

#include <limits>

namespace relucover {

namespace {

// Shortest augmenting paths with potentials, rows <= cols.
std::vector<Index> assign_rows(const Matrix& cost) {
  const Index rows = cost.rows(), cols = cost.cols();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Vector row_potential = Vector::Zero(rows + 1), col_potential = Vector::Zero(cols + 1);
  std::vector<Index> row_of(static_cast<std::size_t>(cols + 1), 0), previous(static_cast<std::size_t>(cols + 1), 0);
  const auto at = [](auto& v, Index i) -> auto& { return v[static_cast<std::size_t>(i)]; };
  for (Index row = 1; row <= rows; ++row) {
    at(row_of, 0) = row;
    Index col = 0;
    Vector shortest = Vector::Constant(cols + 1, infinity);
    std::vector<char> done(static_cast<std::size_t>(cols + 1), 0);
    do {
      at(done, col) = 1;
      const Index from = at(row_of, col);
      double step = infinity;
      Index next = 0;
      for (Index j = 1; j <= cols; ++j) {
        if (at(done, j)) continue;
        const double reduced = cost(from - 1, j - 1) - row_potential[from] - col_potential[j];
        if (reduced < shortest[j]) {
          shortest[j] = reduced;
          at(previous, j) = col;
        }
        if (shortest[j] < step) {
          step = shortest[j];
          next = j;
        }
      }
      for (Index j = 0; j <= cols; ++j) {
        if (at(done, j)) {
          row_potential[at(row_of, j)] += step;
          col_potential[j] -= step;
        } else {
          shortest[j] -= step;
        }
      }
      col = next;
    } while (at(row_of, col) != 0);
    while (col != 0) {
      const Index before = at(previous, col);
      at(row_of, col) = at(row_of, before);
      col = before;
    }
  }
  std::vector<Index> partner(static_cast<std::size_t>(rows), -1);
  for (Index j = 1; j <= cols; ++j)
    if (at(row_of, j) > 0) at(partner, at(row_of, j) - 1) = j - 1;
  return partner;
}

}  // namespace

std::vector<Index> cheapest_assignment(const Matrix& cost) {
  if (cost.rows() == 0 || cost.cols() == 0) return std::vector<Index>(static_cast<std::size_t>(cost.rows()), -1);
  if (cost.rows() <= cost.cols()) return assign_rows(cost);
  const std::vector<Index> row_of = assign_rows(cost.transpose());
  std::vector<Index> partner(static_cast<std::size_t>(cost.rows()), -1);
  for (std::size_t col = 0; col < row_of.size(); ++col) partner[static_cast<std::size_t>(row_of[col])] = static_cast<Index>(col);
  return partner;
}

}  // namespace relucover
