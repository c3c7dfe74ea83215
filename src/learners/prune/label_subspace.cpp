#include "learners/prune/label_subspace.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include "reduce/reduce.hpp"

namespace relucover {

namespace {

struct CurvatureOfLabels {
  using Scalar = double;
  const Whitening* whitening;
  const Matrix* slope;    // outputs by whitened inputs
  const Vector* offset;   // mean of the labels
  std::vector<Matrix> sums;
  Vector totals;
  Index samples = 0;
  void add(const Block<double>& block) {
    const RowMatrix z = whitening->whiten(block.x);
    RowMatrix residual = block.y - z * slope->transpose();
    residual.rowwise() -= offset->transpose();
    for (std::size_t o = 0; o < sums.size(); ++o) {
      const auto weight = residual.col(static_cast<Index>(o));
      sums[o].noalias() += z.transpose() * (weight.asDiagonal() * z);
    }
    totals += residual.colwise().sum().transpose();
    samples += block.rows();
  }
  void merge(const CurvatureOfLabels& other) {
    for (std::size_t o = 0; o < sums.size(); ++o) sums[o] += other.sums[o];
    totals += other.totals;
    samples += other.samples;
  }
  template <class Visit>
  void fields(Visit& visit) {
    visit(sums, totals, samples);
  }
};

}  // namespace

LabelSubspace label_subspace(const SampleSource& source, const InputMoments& moments, const Whitening& whitening, Index size,
                             const Control& control) {
  const Index inputs = whitening.size();
  const Matrix cross = moments.cross_covariance(whitening.kept, Eigen::all);
  // cov(z, y) = L^{-1} cov(x, y) is the slope of the affine fit on whitened inputs
  const Matrix slope = whitening.factor.triangularView<Eigen::Lower>().solve(cross).transpose();
  CurvatureOfLabels empty{&whitening, &slope, &moments.label_mean, {}, Vector::Zero(source.outputs())};
  empty.sums.assign(static_cast<std::size_t>(source.outputs()), Matrix::Zero(inputs, inputs));
  const auto sums = reduce(source, empty, control);
  Matrix energy = Matrix::Zero(inputs, inputs);
  const double samples = static_cast<double>(sums.samples);
  for (std::size_t o = 0; o < sums.sums.size(); ++o) {
    const double scale = std::max(moments.label_covariance(static_cast<Index>(o), static_cast<Index>(o)), 1e-300);
    const Matrix curvature = (sums.sums[o] - sums.totals[static_cast<Index>(o)] * Matrix::Identity(inputs, inputs)) / samples;
    energy += curvature * curvature / scale;
  }
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(energy);
  LabelSubspace result;
  result.basis = eigen.eigenvectors().rightCols(size).rowwise().reverse();
  result.spectrum = eigen.eigenvalues().cwiseMax(0).cwiseSqrt().reverse();
  return result;
}

}  // namespace relucover
