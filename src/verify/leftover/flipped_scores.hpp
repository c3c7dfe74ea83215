#pragma once
// How well single functions of the inputs explain a residual, and the best of many against flipped signs.
#include <functional>

#include "core/random.hpp"
#include "relucover/types.hpp"

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
/// block those are looked at that go with the residual best. Signs are flipped only where the best of all could matter: otherwise the sum
/// of their chances is told, which is never too small.
double chance_of_best(const Matrix& residual, const Matrix& basis, Index blocks, const std::function<Matrix(Index)>& features, Index flips,
                      RandomStream& random);

/// The eighth of the features that goes with the residual best; what the basis takes of each can't change that much. `rest` is orthogonal
/// to it.
Matrix likely_ones(const Matrix& rest, const Matrix& features);

/// Columns of unit size, orthogonal to the basis; those that it spans are left out.
Matrix beyond(const Matrix& basis, Matrix features);

}  // namespace relucover
