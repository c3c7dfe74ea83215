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

Matrix likely_ones(const Matrix& rest, const Matrix& features) {
  constexpr Index fewest = 16;
  const Vector size = features.colwise().squaredNorm().transpose().cwiseMax(1e-300);
  const Vector explained = (features.transpose() * rest).rowwise().squaredNorm().cwiseQuotient(size);
  auto order = order_of(-explained);
  order.resize(std::min(order.size(), std::max<std::size_t>(fewest, order.size() / 8)));
  return features(Eigen::all, order);
}

double chance_of_best(const Matrix& residual, const Matrix& basis, Index blocks, const std::function<Matrix(Index)>& features, Index flips,
                      RandomStream& random) {
  constexpr double could_matter = 1e-3, alike = 50;  // ten times the budget of a test; so many features may say the same
  FlippedScores as_is(residual, 0, random);
  const Matrix rest = orthogonal_to(basis, residual);
  double count = 0;
  for (Index block = 0; block < blocks; ++block) {
    const Matrix some = features(block);
    if (some.cols() == 0) continue;
    as_is.add(beyond(basis, likely_ones(rest, some)));
    count += static_cast<double>(some.cols());
  }
  if (count == 0) return 1;
  const auto outputs = static_cast<double>(residual.cols());
  const double alone = outputs > 1 ? gamma_tail(outputs, 2 * outputs, as_is.largest()) : 2 * normal_tail(std::sqrt(as_is.largest()));
  if (alone * std::max(1.0, count / alike) > could_matter) return std::min(1.0, alone * count);
  FlippedScores scores(residual, flips, random);
  for (Index block = 0; block < blocks; ++block) scores.add(beyond(basis, features(block)));
  return scores.chance();
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
