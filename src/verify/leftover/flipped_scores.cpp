#include "verify/leftover/flipped_scores.hpp"

#include <algorithm>
#include <cmath>

#include "verify/leftover/features.hpp"
#include "verify/leftover/tails.hpp"

namespace relucover {

FlippedScores::FlippedScores(const Matrix& residual, Index times, RandomStream& random)
    : residual_(residual), flips_(times), signs_(random_signs(residual.rows(), times, random)) {
  signs_.conservativeResize(Eigen::NoChange, times + 1);
  signs_.col(times).setOnes();
  best_ = Vector::Zero(times + 1);
}

void FlippedScores::add(const Matrix& features) {
  if (features.cols() == 0) return;
  Matrix scores = Matrix::Zero(flips_ + 1, features.cols());
  const Matrix squares = features.cwiseAbs2();
  for (const auto& output : residual_.colwise()) {
    const double rounding = 1e-12 * output.squaredNorm() / static_cast<double>(output.size());
    const Eigen::RowVectorXd chance = (output.cwiseAbs2().transpose() * squares).array() + rounding;
    const Matrix flipped = output.asDiagonal() * signs_;
    scores.noalias() += (flipped.transpose() * features).cwiseAbs2() * chance.cwiseMax(1e-300).cwiseInverse().asDiagonal();
  }
  best_ = best_.cwiseMax(scores.rowwise().maxCoeff());
}

double FlippedScores::chance() const { return tail_of_maxima(best_.head(flips_), best_[flips_]); }

namespace {

/// Of each block those features that go with the residual best, one in sixteen; what the basis takes of each can't change that much.
/// Handed on many at once: products with the basis are the dearest part.
class LikelyFeatures {
 public:
  /// `rest` is orthogonal to the basis.
  LikelyFeatures(const Matrix& rest, std::function<void(const Matrix&)> look)
      : rest_(rest), look_(std::move(look)), some_(rest.rows(), at_once) {}
  void add(const Matrix& features) {
    constexpr std::size_t fewest = 8, one_in = 16;
    const Vector size = features.colwise().squaredNorm().transpose().cwiseMax(1e-300);
    const Vector explained = (features.transpose() * rest_).rowwise().squaredNorm().cwiseQuotient(size);
    auto order = order_of(-explained);
    order.resize(std::min(order.size(), std::max(fewest, order.size() / one_in)));
    for (const Index j : order) {
      some_.col(count_++) = features.col(j);
      if (count_ == at_once) look();
    }
  }
  void look() {
    if (count_ > 0) look_(some_.leftCols(count_));
    count_ = 0;
  }

 private:
  static constexpr Index at_once = 64;
  const Matrix& rest_;
  std::function<void(const Matrix&)> look_;
  Matrix some_;
  Index count_ = 0;
};

}  // namespace

TermChance chances_of_best(const Matrix& residual, const Matrix& basis, const EvenNoise* even, Index blocks,
                           const std::function<Matrix(Index)>& features, Index flips, RandomStream& random, const Control& control) {
  constexpr double could_matter = 1e-3, alike = 10;  // ten times the budget of a test; so many features may say the same
  constexpr double alike_where_even = 2;
  FlippedScores as_is(residual, 0, random);
  const Matrix rest = orthogonal_to(basis, residual);
  double count = 0, largest_where_even = 0;
  LikelyFeatures likely_ones(rest, [&](const Matrix& likely) {
    const Matrix beyond_answer = beyond(basis, likely);
    as_is.add(beyond_answer);
    if (even != nullptr && even->normal)
      largest_where_even =
          std::max(largest_where_even,
                   even->weighted ? even->largest(beyond(even->basis, even->weights.asDiagonal() * likely)) : even->largest(beyond_answer));
  });
  for (Index block = 0; block < blocks; ++block) {
    control.check();
    const Matrix some = features(block);
    if (some.cols() > 0) likely_ones.add(some);
    count += static_cast<double>(some.cols());
  }
  likely_ones.look();
  TermChance chances;
  if (count == 0) return chances;
  if (even != nullptr && even->normal)
    chances.even = std::min(1.0, chance_of_score(residual.cols(), largest_where_even) * count / alike_where_even);
  const double alone = chance_of_score(residual.cols(), as_is.largest());
  chances.flipped = std::min(1.0, alone * count);
  if (alone * std::max(1.0, count / alike) > could_matter) return chances;
  FlippedScores scores(residual, flips, random);
  for (Index block = 0; block < blocks; ++block) {
    control.check();
    scores.add(beyond(basis, features(block)));
  }
  chances.flipped = scores.chance();
  return chances;
}

double chance_of_best(const Matrix& residual, const Matrix& basis, Index blocks, const std::function<Matrix(Index)>& features, Index flips,
                      RandomStream& random, const Control& control) {
  return chances_of_best(residual, basis, nullptr, blocks, features, flips, random, control).flipped;
}

Matrix beyond(const Matrix& basis, Matrix features) {
  constexpr double nothing = 1e-6;
  const Vector before = features.colwise().norm();
  features = orthogonal_to(basis, std::move(features));
  const Vector after = features.colwise().norm();
  std::vector<Index> some;
  for (Index j = 0; j < after.size(); ++j)
    if (after[j] > nothing * before[j] && after[j] > 0) some.push_back(j);
  return features(Eigen::all, some) * after(some).cwiseInverse().asDiagonal();
}

}  // namespace relucover
