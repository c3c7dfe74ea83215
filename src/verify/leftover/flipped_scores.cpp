#include "verify/leftover/flipped_scores.hpp"

#include <algorithm>
#include <cmath>

#include "verify/leftover/features.hpp"
#include "verify/leftover/tails.hpp"

namespace relucover {

namespace {

constexpr Index features_at_once = 128;

/// Scores of features: of the residual with flipped signs, and in the last row as it is.
class FlippedScores {
 public:
  FlippedScores(const Matrix& residual, Index times, RandomStream& random)
      : squares_(residual.cwiseAbs2().cast<float>()), rounding_(1e-12F * squares_.colwise().mean()), best_(Vector::Zero(times + 1)) {
    Matrix signs = random_signs(residual.rows(), times, random);
    signs.conservativeResize(Eigen::NoChange, times + 1);
    signs.col(times).setOnes();
    for (const auto& output : residual.colwise()) flipped_.push_back((output.asDiagonal() * signs).cast<float>());
  }
  void add(const RoughMatrix& features) {
    if (features.cols() == 0) return;
    RoughMatrix scores = RoughMatrix::Zero(best_.size(), features.cols());
    const RoughMatrix chance = squares_.transpose() * features.cwiseAbs2();
    for (std::size_t output = 0; output < flipped_.size(); ++output) {
      const auto row = static_cast<Index>(output);
      const Eigen::RowVectorXf by_chance = (chance.row(row).array() + rounding_[row]).max(1e-30F);
      scores.noalias() += (flipped_[output].transpose() * features).cwiseAbs2() * by_chance.cwiseInverse().asDiagonal();
    }
    best_ = best_.cwiseMax(scores.rowwise().maxCoeff().cast<double>());
  }
  double largest() const { return best_[best_.size() - 1]; }
  /// Of so large a score, against flips.
  double chance() const { return tail_of_maxima(best_.head(best_.size() - 1), largest()); }

 private:
  const RoughMatrix squares_;
  const Eigen::RowVectorXf rounding_;
  std::vector<RoughMatrix> flipped_;  // of each output
  Vector best_;
};

/// Of each block those features that go with the residual best, one in sixteen: what the basis takes of each can't change that much. Of
/// these, whose size beyond the basis is told without taking it out, the few that may have the largest score.
class LikelyFeatures {
 public:
  LikelyFeatures(const Matrix& residual, const RoughBasis& basis, const EvenNoise* even)
      : basis_(basis), rest_(basis.without(RoughMatrix(residual.cast<float>()))), squares_(residual.cwiseAbs2().cast<float>()),
        by_mean_square_(squares_.colwise().mean().cwiseMax(1e-30F).cwiseInverse().transpose()),
        even_(even != nullptr && even->normal && even->weighted ? even : nullptr), some_(residual.rows(), features_at_once) {}

  Index count() const { return all_; }
  void add(const Eigen::Ref<const RoughMatrix>& features) {
    constexpr Index fewest = 8, one_in = 16;
    all_ += features.cols();
    RoughVector explained(features.cols());
    for (Index j = 0; j < features.cols(); ++j)
      explained[j] = (rest_.transpose() * features.col(j)).squaredNorm() / std::max(features.col(j).squaredNorm(), 1e-30F);
    auto order = order_of(-explained.cast<double>());
    order.resize(static_cast<std::size_t>(std::min(features.cols(), std::max(fewest, features.cols() / one_in))));
    for (const Index j : order) {
      some_.col(count_++) = features.col(j);
      if (count_ == some_.cols()) rate();
    }
  }
  RoughMatrix best() {
    rate();
    RoughMatrix features(some_.rows(), static_cast<Index>(best_.size()));
    for (Index j = 0; j < features.cols(); ++j) features.col(j) = best_[static_cast<std::size_t>(j)].values;
    return features;
  }

 private:
  struct Rated {
    float score;
    RoughVector values;
  };

  /// Scores, of residuals as they are and over their noise, as if what is left of a feature lay where the feature lies.
  void rate() {
    if (count_ == 0) return;
    const auto some = some_.leftCols(count_);
    const RoughMatrix square = some.cwiseAbs2();
    const RoughVector whole = square.colwise().sum().transpose().cwiseMax(1e-30F), share = basis_.share_beyond(some);
    const RoughMatrix explained = (some.transpose() * rest_).cwiseAbs2();
    const RoughVector by_size = (explained * by_mean_square_).cwiseQuotient(whole),
                      by_rows = explained.cwiseQuotient((square.transpose() * squares_).cwiseMax(1e-30F)).rowwise().sum();
    RoughVector score = by_size.cwiseMax(by_rows).cwiseQuotient(share);
    if (even_ != nullptr) {
      const RoughMatrix weighted = even_->weights.asDiagonal() * some;
      const RoughVector size = weighted.colwise().squaredNorm().transpose().cwiseMax(1e-30F).cwiseProduct(share);
      score = score.cwiseMax((weighted.transpose() * even_->residual).rowwise().squaredNorm().cwiseQuotient(size));
    }
    for (Index j = 0; j < count_; ++j) keep(score[j], j);
    count_ = 0;
  }
  void keep(float score, Index j) {
    constexpr std::size_t most = 16;
    const auto larger = [](const Rated& a, const Rated& b) { return a.score > b.score; };
    if (best_.size() == most && score <= best_.back().score) return;
    if (best_.size() == most) best_.pop_back();
    Rated rated{score, some_.col(j)};
    best_.insert(std::upper_bound(best_.begin(), best_.end(), rated, larger), std::move(rated));
  }

  const RoughBasis& basis_;
  const RoughMatrix rest_, squares_;
  const RoughVector by_mean_square_;
  const EvenNoise* even_;
  RoughMatrix some_;
  Index count_ = 0, all_ = 0;
  std::vector<Rated> best_;  // by falling score
};

}  // namespace

TermChance chances_of_best(const Matrix& of, const RoughBasis& basis, const EvenNoise* even, const WriteFeatures& features, Index flips,
                           RandomStream& random, const Control& control, double could_matter) {
  const Matrix residual = of_unit_size(of);
  constexpr double alike = 10;  // so many features may say the same
  constexpr double alike_where_even = 2;
  const auto for_each_block = [&](const FeatureBlocks::Take& take) {
    FeatureBlocks blocks(residual.rows(), features_at_once, [&](const Eigen::Ref<const RoughMatrix>& some) {
      control.check();
      take(some);
    });
    features(blocks);
    blocks.end();
  };
  LikelyFeatures likely_ones(residual, basis, even);
  for_each_block([&](const Eigen::Ref<const RoughMatrix>& some) { likely_ones.add(some); });
  const auto count = static_cast<double>(likely_ones.count());
  TermChance chances;
  if (likely_ones.count() == 0) return chances;
  const RoughMatrix likely = likely_ones.best(), beyond_answer = basis.beyond(likely);
  FlippedScores as_is(residual, 0, random);
  as_is.add(beyond_answer);
  if (even != nullptr && even->normal) {
    const double largest =
        even->weighted ? even->largest(even->basis.beyond(even->weights.asDiagonal() * likely)) : even->largest(beyond_answer);
    chances.even = std::min(1.0, chance_of_score(residual.cols(), largest) * count / alike_where_even);
  }
  const double alone = chance_of_score(residual.cols(), as_is.largest());
  chances.flipped = std::min(1.0, alone * count);
  if (alone * std::max(1.0, count / alike) > could_matter) return chances;
  FlippedScores scores(residual, flips, random);
  for_each_block([&](const Eigen::Ref<const RoughMatrix>& some) { scores.add(basis.beyond(some)); });
  chances.flipped = scores.chance();
  return chances;
}

double chance_of_best(const Matrix& residual, const RoughBasis& basis, const WriteFeatures& features, Index flips, RandomStream& random,
                      const Control& control) {
  return chances_of_best(residual, basis, nullptr, features, flips, random, control).flipped;
}

double chance_of_best(const Matrix& residual, const RoughBasis& basis, Index blocks, const std::function<Matrix(Index)>& features,
                      Index flips, RandomStream& random, const Control& control) {
  const auto write = [&](FeatureBlocks& to) {
    for (Index block = 0; block < blocks; ++block) {
      control.check();
      const Matrix some = features(block);
      for (const auto& feature : some.colwise()) to.next() = (feature / std::max(feature.cwiseAbs().maxCoeff(), 1e-300)).cast<float>();
      to.end();
    }
  };
  return chance_of_best(residual, basis, write, flips, random, control);
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
