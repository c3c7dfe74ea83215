#include "verify/leftover/flip_tests.hpp"

#include <algorithm>
#include <cmath>

#include "verify/leftover/features.hpp"
#include "verify/leftover/tails.hpp"

namespace relucover {

namespace {

constexpr Index flips = 200;

/// Scores of features: (fᵀ r)² / Σ f² r², summed over outputs; the first row as it is, the others with flipped signs.
class FlippedScores {
 public:
  FlippedScores(const Matrix& residual, RandomStream& random) : residual_(residual), signs_(random_signs(residual.rows(), flips, random)) {
    signs_.conservativeResize(Eigen::NoChange, flips + 1);
    signs_.col(flips).setOnes();
    best_ = Vector::Zero(flips + 1);
  }

  void add(const Matrix& features) {
    Matrix scores = Matrix::Zero(flips + 1, features.cols());
    const Matrix squares = features.cwiseAbs2();
    for (const auto& output : residual_.colwise()) {
      const double rounding = 1e-12 * output.squaredNorm() / static_cast<double>(output.size());
      const Eigen::RowVectorXd chance = (output.cwiseAbs2().transpose() * squares).array() + rounding;
      const Matrix flipped = output.asDiagonal() * signs_;
      scores.noalias() += (flipped.transpose() * features).cwiseAbs2() * chance.cwiseMax(1e-300).cwiseInverse().asDiagonal();
    }
    best_ = best_.cwiseMax(scores.rowwise().maxCoeff());
  }

  double chance() const { return tail_of_maxima(best_.head(flips), best_[flips]); }

 private:
  const Matrix& residual_;
  Matrix signs_;  // rows by flips, and the truth last
  Vector best_;
};

/// Directions that hats are tilted along: the inputs' own, or where these are many a few random ones.
Matrix tilts(const Matrix& z, RandomStream& random) {
  constexpr Index most = 10;
  if (z.cols() <= most) return z;
  return z * random_orthonormal(z.cols(), most, random);
}

/// Columns of unit size, orthogonal to the basis; those that it spans are left out.
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

}  // namespace

double not_an_optimum(const Matrix& residual, const Matrix& basis, RandomStream& random) {
  const Matrix signs = random_signs(residual.rows(), flips, random);
  Vector chance = Vector::Zero(flips);
  for (const auto& output : residual.colwise()) {
    const Matrix flipped = output.asDiagonal() * signs;
    chance += (basis.transpose() * flipped).colwise().squaredNorm().transpose();
  }
  return tail_of_draws(chance, (basis.transpose() * residual).squaredNorm());
}

double shapes_at_kinks(const Matrix& residual, const Matrix& t, const Matrix& z, const Matrix& basis, RandomStream& random) {
  constexpr Index fewest = 6, enough_to_tilt = 25;
  const Index n = t.rows();
  const Matrix tilt = tilts(z, random);
  FlippedScores scores(residual, random);
  bool any = false;
  for (const auto& unit : t.colwise()) {
    const Vector distance = unit.cwiseAbs();
    Vector sorted = distance;
    std::sort(sorted.begin(), sorted.end());
    std::vector<Vector> columns;
    for (const Index m : growing_counts(fewest, n / 3, 1.8)) {
      const double width = sorted[std::min(m, n - 1)];
      if (!(width > 0)) continue;
      const Vector hat = (1 - distance.array() / width).cwiseMax(0);
      columns.push_back(hat);
      columns.push_back(hat.cwiseProduct(unit.cwiseSign()));
      for (Index j = 0; j < tilt.cols() && m >= enough_to_tilt; ++j) columns.push_back(hat.cwiseProduct(tilt.col(j)));
    }
    Matrix features(n, static_cast<Index>(columns.size()));
    for (Index j = 0; j < features.cols(); ++j) features.col(j) = columns[static_cast<std::size_t>(j)];
    features = beyond(basis, std::move(features));
    if (features.cols() == 0) continue;
    scores.add(features);
    any = true;
  }
  return any ? scores.chance() : 1;
}

double equal_inputs_err_together(const Matrix& residual, const std::vector<std::vector<Index>>& groups, RandomStream& random) {
  if (groups.empty()) return 1;
  const auto together = [&](const Matrix& r) {
    double sum = 0;
    for (const auto& group : groups) sum += r(group, Eigen::all).colwise().sum().squaredNorm() / static_cast<double>(group.size());
    return sum;
  };
  const Matrix signs = random_signs(residual.rows(), flips, random);
  Vector chance(flips);
  for (Index k = 0; k < flips; ++k) chance[k] = together(signs.col(k).asDiagonal() * residual);
  return tail_of_draws(chance, together(residual));
}

}  // namespace relucover
