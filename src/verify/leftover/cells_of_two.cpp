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

constexpr std::array<Index, 5> sides = {2, 4, 8, 14, 24};

/// Σ_c (Σ_{i in c} r_i)² / count_c, and its mean and variance under flips of signs.
class SumOverCells {
 public:
  /// The parts must outlive this.
  SumOverCells(const Cells& one, const Cells& other, Index side, const Matrix& residual)
      : one_(one), other_(other), side_(side), count_(Vector::Zero(side * side)) {
    for (Index i = 0; i < residual.rows(); ++i) ++count_[cell_of(i)];
    count_ = count_.cwiseMax(1).cwiseInverse();
    for (const auto& output : residual.colwise()) {
      Vector square = Vector::Zero(count_.size()), fourth = square;
      for (Index i = 0; i < output.size(); ++i) {
        const double r2 = output[i] * output[i];
        square[cell_of(i)] += r2;
        fourth[cell_of(i)] += r2 * r2;
      }
      mean_ += square.dot(count_);
      variance_ += 2 * (square.cwiseAbs2() - fourth).dot(count_.cwiseAbs2());
    }
  }
  /// Chance of so large a sum.
  double chance(const Matrix& residual) const {
    if (!(variance_ > 0)) return 1;
    double sum = 0;
    for (const auto& output : residual.colwise()) {
      Vector total = Vector::Zero(count_.size());
      for (Index i = 0; i < output.size(); ++i) total[cell_of(i)] += output[i];
      sum += total.cwiseAbs2().dot(count_);
    }
    return gamma_tail(mean_, variance_, sum);
  }

 private:
  Index cell_of(Index row) const { return one_[static_cast<std::size_t>(row)] * side_ + other_[static_cast<std::size_t>(row)]; }
  const Cells& one_;
  const Cells& other_;
  Index side_;
  Vector count_;  // one over it
  double mean_ = 0, variance_ = 0;
};

}  // namespace

double cells_of_two(const Matrix& variables, const Matrix& residual, RandomStream& random) {
  constexpr Index most_pairs = 120, flips = 60, rows_a_cell = 4;
  constexpr double work = 4e7, could_matter = 1e-3, least_chance = 1e-290;
  const Index n = residual.rows();
  if (variables.cols() < 2 || n < 20) return 1;
  const auto affordable = static_cast<Index>(work / static_cast<double>(n * residual.cols()) / static_cast<double>(sides.size()));
  const auto pairs = some_pairs(variables.cols(), std::clamp<Index>(affordable, 20, most_pairs), random);
  const Matrix sorted = sorted_columns(variables);
  Vector best = Vector::Zero(flips);  // of -log chance
  double largest = 0;
  std::vector<SumOverCells> sums;
  std::array<std::vector<Cells>, sides.size()> parts_at;
  for (std::size_t scale = 0; scale < sides.size(); ++scale) {
    const Index side = sides[scale];
    if (side * side * rows_a_cell > n && scale > 0) break;
    auto& parts = parts_at[scale];
    for (Index j = 0; j < variables.cols(); ++j) parts.push_back(parts_of(variables.col(j), sorted.col(j), side));
    for (const auto& [one, other] : pairs) {
      sums.emplace_back(parts[static_cast<std::size_t>(one)], parts[static_cast<std::size_t>(other)], side, residual);
      largest = std::max(largest, -std::log(std::max(sums.back().chance(residual), least_chance)));
    }
  }
  const double at_most = std::exp(-largest) * static_cast<double>(sums.size());  // never too small, and enough where it can't matter
  if (at_most > could_matter) return std::min(1.0, at_most);
  const Matrix signs = random_signs(n, flips, random);
  for (Index k = 0; k < flips; ++k) {
    const Matrix flipped = signs.col(k).asDiagonal() * residual;
    for (const SumOverCells& sum : sums) best[k] = std::max(best[k], -std::log(std::max(sum.chance(flipped), least_chance)));
  }
  return tail_of_maxima(best, largest);
}

}  // namespace relucover
