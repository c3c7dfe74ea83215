#pragma once
// How well single functions of the inputs explain a residual, and the best of many against flipped signs.
#include <functional>

#include "core/random.hpp"
#include "relucover/progress.hpp"
#include "relucover/types.hpp"
#include "verify/leftover/even_noise.hpp"

namespace relucover {

/// Scores of features: (fᵀ r)² / Σ f² r², summed over outputs; the first row as it is, the others with flipped signs.
class FlippedScores {
 public:
  FlippedScores(const Matrix& residual, Index times, RandomStream& random);
  void add(const Matrix& features);
  double largest() const { return best_[flips_]; }
  /// Of so large a score, against flips.
  double chance() const;

 private:
  const Matrix& residual_;
  Index flips_;
  Matrix signs_;  // rows by flips, and the truth last
  Vector best_;
};

/// Chance of the largest score among all features beyond `basis`. They come in blocks, the same ones each time they are asked for. Of each
/// block those are looked at that go with the residual best. Signs are flipped only where the chance of the best of all could be less than
/// `could_matter`: otherwise the sum of their chances is told, which is never too small.
double chance_of_best(const Matrix& residual, const Matrix& basis, Index blocks, const std::function<Matrix(Index)>& features, Index flips,
                      RandomStream& random, const Control& control = {});

/// The same, and where noise is even.
struct TermChance {
  double flipped = 1, even = 1;
};
TermChance chances_of_best(const Matrix& residual, const Matrix& basis, const EvenNoise* even, Index blocks,
                           const std::function<Matrix(Index)>& features, Index flips, RandomStream& random, const Control& control = {},
                           double could_matter = 1e-3);

/// Columns of unit size, orthogonal to the basis; those that it spans are left out.
Matrix beyond(const Matrix& basis, Matrix features);

}  // namespace relucover
