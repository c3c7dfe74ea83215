#include "verify/leftover/row_order.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "verify/leftover/features.hpp"
#include "verify/leftover/periods_left.hpp"
#include "verify/leftover/tails.hpp"

namespace relucover {

namespace {

/// The least of chances, and how many there were.
struct LeastChance {
  double chance = 1;
  Index count = 0;
  void see(double one) {
    chance = std::min(chance, one);
    ++count;
  }
  /// Of all together.
  double of_all() const { return std::min(1.0, chance * static_cast<double>(std::max<Index>(1, count))); }
};

/// Σ over outputs of (fᵀ r)² / Σ f² r², for each feature.
Vector scores_of(const RoughMatrix& features, const RoughMatrix& residual) {
  const RoughMatrix along = (features.transpose() * residual).cwiseAbs2(), size = features.cwiseAbs2().transpose() * residual.cwiseAbs2();
  return along.cwiseQuotient(size.cwiseMax(1e-30F)).rowwise().sum().cast<double>();
}

void see_features(const RoughMatrix& features, const RoughMatrix& residual, LeastChance& least) {
  for (const double one : scores_of(features, residual)) least.see(chance_of_score(residual.cols(), one));
}

RoughVector cosine_of_rows(Index rows, Index half_periods) {
  const RoughVector place = RoughVector::LinSpaced(rows, 0.5F, static_cast<float>(rows) - 0.5F) / static_cast<float>(rows);
  return (std::numbers::pi_v<float> * static_cast<float>(half_periods) * place).array().cos();
}

void see_drift(const RoughMatrix& functions, const RoughMatrix& residual, LeastChance& least) {
  constexpr Index slow = 12, slow_of_functions = 4;
  for (Index j = 1; j <= slow; ++j) {
    const RoughVector cosine = cosine_of_rows(residual.rows(), j);
    see_features(cosine, residual, least);
    if (j <= slow_of_functions) see_features(functions, cosine.asDiagonal() * residual, least);
  }
}

/// Functions of rows before and after. Where inputs are a series, the answer's own functions take most of each: the best ones are looked at
/// beyond these.
void see_lags(const RoughMatrix& functions, const RoughMatrix& residual, const RoughBasis& basis, LeastChance& least) {
  constexpr Index most = 3;
  constexpr float little = 0.01F;  // of a feature: what is left of it is not told by some rows
  const Index n = residual.rows();
  double best = 0;
  RoughMatrix feature(n, 1), late(n, functions.cols());
  for (Index lag = -most; lag <= most; ++lag) {
    if (lag == 0) continue;
    late.setZero();
    const Index rows = n - std::abs(lag);
    (lag > 0 ? late.bottomRows(rows) : late.topRows(rows)) = lag > 0 ? functions.topRows(rows) : functions.bottomRows(rows);
    const Vector share = basis.share_beyond(late).cwiseMax(little).cast<double>(), score = scores_of(late, residual).cwiseQuotient(share);
    least.count += score.size();
    Index largest = 0;
    if (const double here = score.maxCoeff(&largest); here > best) {
      best = here;
      feature.col(0) = late.col(largest);
    }
  }
  const RoughMatrix beyond_answer = basis.beyond(std::move(feature));
  if (beyond_answer.cols() > 0) see_features(beyond_answer, residual, least);
}

/// Residuals of rows that are so far from each other.
void see_likeness(const RoughMatrix& residual, LeastChance& least) {
  const Index n = residual.rows();
  for (Index lag = 1; lag <= n / 8 && lag <= 365; lag += lag < 31 ? 1 : lag < 60 ? 4 : 12) {
    double score = 0;
    for (const auto& output : residual.colwise()) {
      const RoughVector products = output.head(n - lag).cwiseProduct(output.tail(n - lag));
      score += std::pow(products.sum(), 2) / std::max(products.squaredNorm(), 1e-30F);
    }
    least.see(chance_of_score(residual.cols(), score));
  }
}

/// Every m-th row, and m pieces of the data.
void see_groups_of_rows(const RoughMatrix& residual, LeastChance& least) {
  constexpr Index most = 40, fewest_rows = 10;
  const Index n = residual.rows();
  const RoughMatrix square = residual.cwiseAbs2();
  const auto see = [&](Index groups, const auto& group_of) {
    Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(groups, residual.cols()), size = sum;
    for (Index i = 0; i < n; ++i) {
      sum.row(group_of(i)) += residual.row(i).cast<double>();
      size.row(group_of(i)) += square.row(i).cast<double>();
    }
    const double freedom = static_cast<double>(groups * residual.cols());
    least.see(gamma_tail(freedom, 2 * freedom, (sum.cwiseAbs2().array() / size.array().max(1e-300)).sum()));
  };
  for (Index m = 2; m <= most && fewest_rows * m <= n; ++m) see(m, [m](Index i) { return i % m; });
  for (Index m = 2; m <= 2 * most && fewest_rows * m <= n; m *= 2) see(m, [m, n](Index i) { return i * m / n; });
}

/// Where few rows have a label below the one before, or few above, somebody has sorted them.
bool sorted_by_labels(const Matrix& labels) {
  constexpr Index one_in = 8;
  const Index n = labels.rows();
  for (const auto& output : labels.colwise()) {
    const auto step = output.tail(n - 1) - output.head(n - 1);
    const Index falls = (step.array() < 0).count(), rises = (step.array() > 0).count();
    if (one_in * std::min(falls, rises) < n) return true;
  }
  return false;
}

}  // namespace

double row_order_left(const Matrix& functions, const Matrix& labels, const Matrix& of, const RoughBasis& basis) {
  constexpr Index fewest = 40;
  const Index n = of.rows();
  if (n < fewest || sorted_by_labels(labels)) return 1;
  const RoughMatrix residual = of_unit_size(of).cast<float>();
  Matrix seen(n, functions.cols() + labels.cols());
  seen << functions, labels;
  const RoughMatrix varying = standardised(seen).cast<float>();
  LeastChance least;
  see_drift(varying, residual, least);
  see_lags(varying, residual, basis, least);
  see_likeness(residual, least);
  see_groups_of_rows(residual, least);
  const Matrix number = Vector::LinSpaced(n, 0, static_cast<double>(n - 1));
  const double periods = periods_left(number, number, of);
  return std::min(1.0, 2 * std::min(least.of_all(), periods));
}

}  // namespace relucover
