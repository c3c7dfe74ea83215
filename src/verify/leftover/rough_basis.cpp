#include "verify/leftover/rough_basis.hpp"

#include <algorithm>

#include "core/linear_algebra.hpp"

namespace relucover {

namespace {

/// The columns are not far from orthonormal: rows were left out of such, or got weights.
RoughBasis basis_of_nearly_orthogonal(RoughMatrix columns) {
  constexpr double clearly_regular = 1e-3;
  const RoughVector sizes = columns.colwise().norm();
  if (columns.cols() > 0 && sizes.minCoeff() > 0) {
    columns *= sizes.cwiseInverse().asDiagonal();
    RoughMatrix gram = RoughMatrix::Zero(columns.cols(), columns.cols());
    gram.selfadjointView<Eigen::Lower>().rankUpdate(columns.transpose());
    const Cholesky factor(gram.cast<double>());
    if (factor.definite() && factor.least_pivot() > clearly_regular) return RoughBasis(over_lower(columns, factor.lower()));
  }
  return spanning_basis(columns.cast<double>());
}

}  // namespace

RoughBasis RoughBasis::spanning(const Matrix& features) {
  constexpr double well_conditioned = 1e-4;
  Matrix gram = Matrix::Zero(features.cols(), features.cols());
  gram.selfadjointView<Eigen::Lower>().rankUpdate(features.transpose());
  if (gram.size() > 0 && gram.diagonal().minCoeff() > 0) {
    const Vector scale = gram.diagonal().cwiseSqrt().cwiseInverse();
    const Cholesky factor(scale.asDiagonal() * gram * scale.asDiagonal());
    if (factor.definite() && factor.least_pivot() > well_conditioned)
      return RoughBasis(over_lower(RoughMatrix((features * scale.asDiagonal()).cast<float>()), factor.lower()));
  }
  return spanning_basis(features, Orthogonal::to_nine_digits);
}

RoughMatrix RoughBasis::without(RoughMatrix features) const {
  if (size() > 0) features.noalias() -= columns_ * (columns_.transpose() * features);
  return features;
}

RoughMatrix RoughBasis::beyond(RoughMatrix features) const {
  constexpr float nothing = 1e-4F;  // of a feature: less can't be told from rounding
  const RoughVector before = features.colwise().norm();
  features = without(std::move(features));
  const RoughVector after = features.colwise().norm();
  std::vector<Index> some;
  for (Index j = 0; j < after.size(); ++j)
    if (after[j] > nothing * before[j] && after[j] > 0) some.push_back(j);
  return features(Eigen::all, some) * after(some).cwiseInverse().asDiagonal();
}

const RoughBasis::Sample& RoughBasis::sample() const {
  constexpr Index fewest = 1500, for_each = 5;
  if (sample_) return *sample_;
  sample_ = Sample{};
  const Index n = columns_.rows(), count = std::max(fewest, for_each * size());
  if (2 * count > n || size() == 0) return *sample_;
  for (Index i = 0; i < count; ++i) sample_->rows.push_back(i * n / count);
  sample_->columns = at(sample_->rows).columns_;
  // A fit to few rows follows them further.
  sample_->times = static_cast<float>(static_cast<double>(n) / static_cast<double>(count - sample_->columns.cols()));
  return *sample_;
}

RoughVector RoughBasis::share_beyond(const Eigen::Ref<const RoughMatrix>& features, bool all_rows_may_tell) const {
  constexpr float least = 1e-7F, alike = 1.4F;
  const RoughVector whole = features.colwise().squaredNorm().transpose().cwiseMax(1e-30F);
  RoughVector share = RoughVector::Ones(whole.size());
  if (size() == 0) return share;
  std::vector<Index> untold;
  if (const Sample& told = sample(); !told.rows.empty()) {
    const RoughMatrix there = features(told.rows, Eigen::all);
    const RoughVector square = there.colwise().squaredNorm(), taken = (told.columns.transpose() * there).colwise().squaredNorm();
    const auto times = static_cast<float>(columns_.rows()) / static_cast<float>(told.rows.size());
    for (Index j = 0; j < whole.size(); ++j) {
      if (times * square[j] > alike * whole[j] || alike * times * square[j] < whole[j])
        untold.push_back(j);
      else
        share[j] = std::clamp(told.times * (square[j] - taken[j]) / (times * square[j]), least, 1.0F);
    }
    if (untold.empty() || !all_rows_may_tell) return share;
  } else {
    for (Index j = 0; j < whole.size(); ++j) untold.push_back(j);
  }
  const RoughVector taken = (columns_.transpose() * features(Eigen::all, untold)).colwise().squaredNorm();
  for (Index k = 0; k < taken.size(); ++k) {
    const Index j = untold[static_cast<std::size_t>(k)];
    share[j] = std::max(least, 1 - taken[k] / whole[j]);
  }
  return share;
}

RoughMatrix RoughBasis::products_beyond(const RoughMatrix& features) const {
  const bool all = features.rows() == columns_.rows();
  const RoughMatrix along = (all ? columns_ : sample().columns).transpose() * features;
  return (all ? 1.0F : sample().times) * (features.transpose() * features - along.transpose() * along);
}

RoughBasis RoughBasis::at(const std::vector<Index>& rows) const { return basis_of_nearly_orthogonal(columns_(rows, Eigen::all)); }

RoughBasis RoughBasis::weighted(const Vector& weights) const {
  const double largest = std::max(weights.cwiseAbs().maxCoeff(), 1e-300);
  return basis_of_nearly_orthogonal((weights / largest).cast<float>().asDiagonal() * columns_);
}

Halves halves_of(const RoughBasis& basis, RandomStream& random) {
  const Index n = basis.columns().rows();
  const auto order = random_rows(n, n, random);
  std::vector<Index> first(order.begin(), order.begin() + n / 2), second(order.begin() + n / 2, order.end());
  std::sort(first.begin(), first.end());  // read in the order in which they lie
  std::sort(second.begin(), second.end());
  const RoughBasis bases[] = {basis.at(first), basis.at(second)};
  return {{std::move(first), std::move(second)}, {bases[0], bases[1]}};
}

}  // namespace relucover
