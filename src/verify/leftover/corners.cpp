#include "verify/leftover/corners.hpp"

#include <algorithm>
#include <vector>

#include "verify/leftover/features.hpp"
#include "verify/leftover/parts.hpp"
#include "verify/leftover/tails.hpp"

namespace relucover {

namespace {

constexpr Index sides_of_corners = 12;

/// For all thresholds of pairs of variables, over the rows beyond both: sums of what the score of a step there is made of.
class CornerSums {
 public:
  CornerSums(const EvenNoise& rows, Index pairs)
      : outputs_(rows.residual.cols()), terms_(rows.weights.size(), rows.basis.size() + outputs_ + 1),
        sums_(RowMajor<float>::Zero(pairs * cells, terms_.cols())) {
    terms_ << rows.basis.columns(), rows.residual, rows.weights;
    terms_.array().colwise() *= rows.weights.array();
  }
  void add(Index pair, const Cells& one, const Cells& other, Index first, Index last) {
    for (Index i = first; i < last; ++i)
      sums_.row(place(pair, one[static_cast<std::size_t>(i)], other[static_cast<std::size_t>(i)])) += terms_.row(i);
  }
  /// Score of the best corner, when all rows were added.
  double largest(Index pair) {
    const auto sums = [&](Index a, Index b) { return sums_.row(place(pair, a, b)); };
    for (Index a = side - 1; a >= 0; --a)
      for (Index b = side - 1; b >= 0; --b) {
        if (a + 1 < side) sums(a, b) += sums(a + 1, b);
        if (b + 1 < side) sums(a, b) += sums(a, b + 1);
        if (a + 1 < side && b + 1 < side) sums(a, b) -= sums(a + 1, b + 1);
      }
    double best = 0;
    for (Index a = 1; a < side; ++a) {
      best = std::max({best, score(sums(a, 0)), score(sums(0, a))});
      for (Index b = 1; b < side; ++b) {
        const auto both = sums(a, b), first = sums(a, 0), second = sums(0, b), all = sums(0, 0);
        best = std::max({best, score(both), score(first - both), score(second - both), score(all - first - second + both)});
      }
    }
    return best;
  }

 private:
  static constexpr Index side = sides_of_corners, cells = side * side;
  static Index place(Index pair, Index a, Index b) { return pair * cells + a * side + b; }
  double score(const Eigen::RowVectorXf& sums) const {
    constexpr float nothing = 1e-3F;
    const Index functions = sums.size() - outputs_ - 1;
    const float whole = sums[sums.size() - 1], square = whole - sums.head(functions).squaredNorm();
    return square > nothing * whole && square > 0 ? static_cast<double>(sums.segment(functions, outputs_).squaredNorm() / square) : 0.0;
  }
  Index outputs_;
  RowMajor<float> terms_, sums_;
};

}  // namespace

double corners_left(const Matrix& columns, const EvenNoise& rows, RandomStream& random) {
  constexpr Index most_pairs = 120, corners_of_pair = 4 * (sides_of_corners - 1) * (sides_of_corners - 1);
  constexpr double work = 1e8, alike = 2;  // corners that are so near say the same
  const Index n = columns.rows();
  if (columns.cols() < 2 || n < 20) return 1;
  const auto affordable = static_cast<Index>(work / static_cast<double>(n * (rows.basis.size() + rows.residual.cols() + 1)));
  const auto pairs = some_pairs(columns.cols(), std::clamp<Index>(affordable, 10, most_pairs), random);
  const Matrix sorted = sorted_columns(columns);
  std::vector<Cells> parts;
  for (Index j = 0; j < columns.cols(); ++j) parts.push_back(parts_of(columns.col(j), sorted.col(j), sides_of_corners));
  const auto count = static_cast<Index>(pairs.size());
  CornerSums sums(rows, count);
  constexpr Index at_once = 512;  // rows that fit into the fastest memory: all pairs look at them there
  for (Index first = 0; first < n; first += at_once)
    for (Index pair = 0; pair < count; ++pair) {
      const auto& [one, other] = pairs[static_cast<std::size_t>(pair)];
      sums.add(pair, parts[static_cast<std::size_t>(one)], parts[static_cast<std::size_t>(other)], first, std::min(n, first + at_once));
    }
  double largest = 0;
  for (Index pair = 0; pair < count; ++pair) largest = std::max(largest, sums.largest(pair));
  return std::min(1.0, chance_of_score(rows.residual.cols(), largest) * static_cast<double>(corners_of_pair * count) / alike);
}

}  // namespace relucover
