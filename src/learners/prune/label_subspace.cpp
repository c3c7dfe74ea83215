#include "learners/prune/label_subspace.hpp"

#include <cmath>

#include "core/linear_algebra.hpp"
#include "reduce/reduce.hpp"

namespace relucover {

namespace {

/// Σ r (x - mean) (x - mean)^T for what the affine fit leaves of every output. Single precision is far below the error that the
/// samples themselves make, unless inputs nearly depend on each other.
template <class Real>
struct CurvatureOfLabels {
  using Scalar = Real;
  using RowVector = Eigen::Matrix<Real, 1, Eigen::Dynamic>;
  const std::vector<Index>* kept;
  RowVector mean, label_mean;
  Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic> slope;  // inputs by outputs
  std::vector<Matrix> sums;                                   // the lower halves
  Vector totals;
  Index samples = 0;
  void add(const Block<Real>& block) {
    RowMajor<Real> x(block.rows(), mean.size());
    if (mean.size() == block.x.cols())
      x = block.x.rowwise() - mean;
    else
      x = block.x(Eigen::all, *kept).rowwise() - mean;
    const RowMajor<Real> residual = (block.y.rowwise() - label_mean) - x * slope;
    RowMajor<Real> scaled(x.rows(), x.cols());
    Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic> sum(x.cols(), x.cols());
    for (std::size_t o = 0; o < sums.size(); ++o) {
      const auto weight = residual.col(static_cast<Index>(o));
      // Positive weights from above, negative ones from below: two symmetric updates, half the work of a product.
      Index above = 0, below = x.rows();
      for (Index i = 0; i < x.rows(); ++i) scaled.row(weight[i] > 0 ? above++ : --below) = std::sqrt(std::abs(weight[i])) * x.row(i);
      sum.setZero();
      auto half = sum.template selfadjointView<Eigen::Lower>();
      half.rankUpdate(scaled.topRows(above).transpose(), Real{1});
      half.rankUpdate(scaled.bottomRows(x.rows() - above).transpose(), Real{-1});
      sums[o] += sum.template cast<double>();
    }
    totals += residual.colwise().sum().transpose().template cast<double>();
    samples += block.rows();
  }
  void fields(auto& visit) { visit(sums, totals, samples); }
};

/// T_2 of every output in whitened inputs.
template <class Real>
std::vector<Matrix> label_curvatures(const SampleSource& source, const InputMoments& moments, const Whitening& whitening,
                                     const Control& control) {
  const Matrix slope = affine_slopes(moments, whitening);
  const Index inputs = whitening.size();
  CurvatureOfLabels<Real> empty{&whitening.kept,
                                whitening.mean.transpose().cast<Real>(),
                                moments.label_mean.transpose().cast<Real>(),
                                slope.cast<Real>(),
                                std::vector<Matrix>(static_cast<std::size_t>(source.outputs()), Matrix::Zero(inputs, inputs)),
                                Vector::Zero(source.outputs())};
  auto sums = reduce(source, std::move(empty), control);
  std::vector<Matrix> curvatures;
  for (std::size_t o = 0; o < sums.sums.size(); ++o) {
    const Matrix full = sums.sums[o].template selfadjointView<Eigen::Lower>();
    const Matrix half = solve_lower(whitening.factor, full);
    const Matrix white = solve_lower(whitening.factor, half.transpose());
    curvatures.push_back((white - sums.totals[static_cast<Index>(o)] * Matrix::Identity(inputs, inputs)) /
                         static_cast<double>(sums.samples));
  }
  return curvatures;
}

/// How much of its spread every input has of its own, at the least.
double least_own_spread(const InputMoments& moments, const Whitening& whitening) {
  const Vector spread = moments.covariance.diagonal()(whitening.kept).cwiseSqrt();
  return whitening.factor.diagonal().cwiseQuotient(spread).minCoeff();
}

}  // namespace

LabelSubspace label_subspace(const SampleSource& source, const InputMoments& moments, const Whitening& whitening, Index size,
                             const Control& control) {
  const Index inputs = whitening.size();
  constexpr double plenty = 0.05;
  const auto curvatures = least_own_spread(moments, whitening) > plenty ? label_curvatures<float>(source, moments, whitening, control)
                                                                        : label_curvatures<double>(source, moments, whitening, control);
  Matrix energy = Matrix::Zero(inputs, inputs);
  for (std::size_t o = 0; o < curvatures.size(); ++o) {
    const double scale = std::max(moments.label_covariance(static_cast<Index>(o), static_cast<Index>(o)), 1e-300);
    energy.noalias() += curvatures[o] * curvatures[o] / scale;
  }
  const SymmetricEigen eigen = symmetric_eigen(std::move(energy));
  LabelSubspace result;
  result.basis = eigen.vectors.rightCols(size).rowwise().reverse();
  result.spectrum = eigen.values.cwiseMax(0).cwiseSqrt().reverse();
  return result;
}

}  // namespace relucover
