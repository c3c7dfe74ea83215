#include "verify/leftover/corners.hpp"

#include <algorithm>
#include <vector>

#include "verify/leftover/features.hpp"
#include "verify/leftover/parts.hpp"
#include "verify/leftover/tails.hpp"

namespace relucover {

namespace {

constexpr Index sides_of_corners = 12;

/// Over the rows beyond two thresholds, for all of these: sums of what the score of a step there is made of.
class CornerSums {
 public:
  CornerSums(const EvenNoise& rows) : outputs_(rows.residual.cols()), terms_(rows.basis().rows(), rows.basis().cols() + outputs_ + 1) {
    terms_ << rows.basis(), rows.residual, rows.weights;
    terms_.array().colwise() *= rows.weights.array();
  }
  /// Of the best corner of two variables.
  double largest(const Cells& one, const Cells& other) {
    constexpr Index side = sides_of_corners;
    sums_.setZero(side * side, terms_.cols());
    const auto cell = [](Index a, Index b) { return a * side + b; };
    for (Index i = 0; i < terms_.rows(); ++i)
      sums_.row(cell(one[static_cast<std::size_t>(i)], other[static_cast<std::size_t>(i)])) += terms_.row(i);
    for (Index a = side - 1; a >= 0; --a)
      for (Index b = side - 1; b >= 0; --b) {
        if (a + 1 < side) sums_.row(cell(a, b)) += sums_.row(cell(a + 1, b));
        if (b + 1 < side) sums_.row(cell(a, b)) += sums_.row(cell(a, b + 1));
        if (a + 1 < side && b + 1 < side) sums_.row(cell(a, b)) -= sums_.row(cell(a + 1, b + 1));
      }
    double best = 0;
    for (Index a = 1; a < side; ++a) {
      best = std::max({best, score(sums_.row(cell(a, 0))), score(sums_.row(cell(0, a)))});
      for (Index b = 1; b < side; ++b) {
        const auto both = sums_.row(cell(a, b)), first = sums_.row(cell(a, 0)), second = sums_.row(cell(0, b)), all = sums_.row(0);
        best = std::max({best, score(both), score(first - both), score(second - both), score(all - first - second + both)});
      }
    }
    return best;
  }

 private:
  double score(const Eigen::RowVectorXd& sums) const {
    constexpr double nothing = 1e-3;
    const Index functions = sums.size() - outputs_ - 1;
    const double whole = sums[sums.size() - 1], square = whole - sums.head(functions).squaredNorm();
    return square > nothing * whole && square > 0 ? sums.segment(functions, outputs_).squaredNorm() / square : 0.0;
  }
  Index outputs_;
  RowMatrix terms_, sums_;
};

}  // namespace

double corners_left(const Matrix& columns, const EvenNoise& rows, RandomStream& random) {
  constexpr Index most_pairs = 120, corners_of_pair = 4 * (sides_of_corners - 1) * (sides_of_corners - 1);
  constexpr double work = 1e8, alike = 2;  // corners that are so near say the same
  const Index n = columns.rows();
  if (columns.cols() < 2 || n < 20) return 1;
  const auto affordable = static_cast<Index>(work / static_cast<double>(n * (rows.basis().cols() + rows.residual.cols() + 1)));
  const auto pairs = some_pairs(columns.cols(), std::clamp<Index>(affordable, 10, most_pairs), random);
  const Matrix sorted = sorted_columns(columns);
  std::vector<Cells> parts;
  for (Index j = 0; j < columns.cols(); ++j) parts.push_back(parts_of(columns.col(j), sorted.col(j), sides_of_corners));
  CornerSums sums(rows);
  double largest = 0;
  for (const auto& [one, other] : pairs)
    largest = std::max(largest, sums.largest(parts[static_cast<std::size_t>(one)], parts[static_cast<std::size_t>(other)]));
  return std::min(1.0, chance_of_score(rows.residual.cols(), largest) *
                           static_cast<double>(corners_of_pair * static_cast<Index>(pairs.size())) / alike);
}

}  // namespace relucover
