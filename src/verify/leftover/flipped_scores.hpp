#pragma once
// How well single functions of the inputs explain a residual, and the best of many against flipped signs.
#include <functional>

#include "core/random.hpp"
#include "relucover/progress.hpp"
#include "relucover/types.hpp"
#include "verify/leftover/even_noise.hpp"
#include "verify/leftover/rough_basis.hpp"

namespace relucover {

/// Takes features one by one, a few at once where they fit into the fastest memory.
class FeatureBlocks {
 public:
  using Take = std::function<void(const Eigen::Ref<const RoughMatrix>&)>;
  FeatureBlocks(Index rows, Index at_once, Take take) : some_(rows, at_once), take_(std::move(take)) {}
  /// Where the next feature is to be written.
  RoughMatrix::ColXpr next() {
    if (used_ == some_.cols()) end();
    return some_.col(used_++);
  }
  void end() {
    if (used_ > 0) take_(some_.leftCols(used_));
    used_ = 0;
  }

 private:
  RoughMatrix some_;
  Take take_;
  Index used_ = 0;
};

/// Writes features, the same ones each time.
using WriteFeatures = std::function<void(FeatureBlocks&)>;

/// Chance of the largest score among all features beyond `basis`. Of each block those are looked at that go with the residual best. Signs
/// are flipped only where the chance of the best of all could be less than `could_matter`: otherwise the sum of their chances is told,
/// which is never too small. The score of a feature f: (fᵀ r)² / Σ f² r², summed over outputs.
double chance_of_best(const Matrix& residual, const RoughBasis& basis, const WriteFeatures& features, Index flips, RandomStream& random,
                      const Control& control = {});
/// The same of features that come in blocks.
double chance_of_best(const Matrix& residual, const RoughBasis& basis, Index blocks, const std::function<Matrix(Index)>& features,
                      Index flips, RandomStream& random, const Control& control = {});

/// The same, and where noise is even.
struct TermChance {
  double flipped = 1, even = 1;
};
TermChance chances_of_best(const Matrix& residual, const RoughBasis& basis, const EvenNoise* even, const WriteFeatures& features,
                           Index flips, RandomStream& random, const Control& control = {}, double could_matter = 1e-3);

/// Columns of unit size, orthogonal to the basis; those that it spans are left out.
Matrix beyond(const Matrix& basis, Matrix features);

}  // namespace relucover
