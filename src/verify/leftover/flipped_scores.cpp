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

/// Of each block those features that go with the residual best, one in sixteen: what the basis takes of each can't change that much. Of
/// these, whose size beyond the basis is told without taking it out, the few that may have the largest score.
class LikelyFeatures {
 public:
  LikelyFeatures(const Matrix& residual, const Matrix& basis, const EvenNoise* even)
      : residual_(residual), basis_(basis), rest_(orthogonal_to(basis, residual)), squares_(residual.cwiseAbs2()),
        even_(even != nullptr && even->normal && even->weighted ? even : nullptr), some_(residual.rows(), at_once) {}

  void add(const Matrix& features) {
    constexpr std::size_t fewest = 8, one_in = 16;
    const Vector size = features.colwise().squaredNorm().transpose().cwiseMax(1e-300);
    const Vector explained = (features.transpose() * rest_).rowwise().squaredNorm().cwiseQuotient(size);
    auto order = order_of(-explained);
    order.resize(std::min(order.size(), std::max(fewest, order.size() / one_in)));
    for (const Index j : order) {
      some_.col(count_++) = features.col(j);
      if (count_ == at_once) rate();
    }
  }
  Matrix best() {
    rate();
    Matrix features(residual_.rows(), static_cast<Index>(best_.size()));
    for (Index j = 0; j < features.cols(); ++j) features.col(j) = best_[static_cast<std::size_t>(j)].values;
    return features;
  }

 private:
  static constexpr Index at_once = 64;
  struct Rated {
    double score;
    Vector values;
  };

  /// Scores, of residuals as they are and over their noise, as if what is left of a feature lay where the feature lies.
  void rate() {
    constexpr double spanned = 1e-10;
    if (count_ == 0) return;
    const auto some = some_.leftCols(count_);
    const Matrix square = some.cwiseAbs2();
    const Vector whole = square.colwise().sum().transpose().cwiseMax(1e-300);
    const Vector share = (1 - (basis_.transpose() * some).colwise().squaredNorm().transpose().cwiseQuotient(whole).array()).max(spanned);
    const Matrix explained = (some.transpose() * rest_).cwiseAbs2();
    const Vector by_size = (explained * squares_.colwise().mean().cwiseMax(1e-300).cwiseInverse().transpose()).cwiseQuotient(whole),
                 by_rows = explained.cwiseQuotient((square.transpose() * squares_).cwiseMax(1e-300)).rowwise().sum();
    Vector score = by_size.cwiseMax(by_rows).cwiseQuotient(share);
    if (even_ != nullptr) {
      const Matrix weighted = even_->weights.asDiagonal() * some;
      const Vector size = weighted.colwise().squaredNorm().transpose().cwiseMax(1e-300).cwiseProduct(share);
      score = score.cwiseMax((weighted.transpose() * even_->residual).rowwise().squaredNorm().cwiseQuotient(size));
    }
    for (Index j = 0; j < count_; ++j) keep(score[j], j);
    count_ = 0;
  }
  void keep(double score, Index j) {
    constexpr std::size_t most = 16;
    const auto larger = [](const Rated& a, const Rated& b) { return a.score > b.score; };
    if (best_.size() == most && score <= best_.back().score) return;
    if (best_.size() == most) best_.pop_back();
    Rated rated{score, some_.col(j)};
    best_.insert(std::upper_bound(best_.begin(), best_.end(), rated, larger), std::move(rated));
  }

  const Matrix &residual_, &basis_;
  const Matrix rest_, squares_;
  const EvenNoise* even_;
  Matrix some_;
  Index count_ = 0;
  std::vector<Rated> best_;  // by falling score
};

}  // namespace

TermChance chances_of_best(const Matrix& residual, const Matrix& basis, const EvenNoise* even, Index blocks,
                           const std::function<Matrix(Index)>& features, Index flips, RandomStream& random, const Control& control,
                           double could_matter) {
  constexpr double alike = 10;  // so many features may say the same
  constexpr double alike_where_even = 2;
  double count = 0;
  LikelyFeatures likely_ones(residual, basis, even);
  for (Index block = 0; block < blocks; ++block) {
    control.check();
    const Matrix some = features(block);
    if (some.cols() > 0) likely_ones.add(some);
    count += static_cast<double>(some.cols());
  }
  const Matrix likely = likely_ones.best(), beyond_answer = beyond(basis, likely);
  FlippedScores as_is(residual, 0, random);
  as_is.add(beyond_answer);
  double largest_where_even = 0;
  if (even != nullptr && even->normal)
    largest_where_even =
        even->weighted ? even->largest(beyond(even->basis(), even->weights.asDiagonal() * likely)) : even->largest(beyond_answer);
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
