#include "moments/whitening.hpp"

#include <algorithm>
#include <cmath>

#include "core/check.hpp"
#include "core/linear_algebra.hpp"
#include "moments/measured_source.hpp"

namespace relucover {

namespace {

/// Sums of (x, y) - shift and of its outer products. A shift near the mean keeps large offsets from cancelling digits.
struct ShiftedSums {
  using Scalar = double;
  Eigen::RowVectorXd shift;
  Index samples = 0;
  Eigen::RowVectorXd sum;
  Matrix gram;  // lower triangle
  RowMatrix joint;

  explicit ShiftedSums(Eigen::RowVectorXd shift_)
      : shift(std::move(shift_)), sum(Eigen::RowVectorXd::Zero(shift.size())), gram(Matrix::Zero(shift.size(), shift.size())) {}
  void add(const Block<double>& block) {
    joint.resize(block.rows(), shift.size());
    joint.leftCols(block.x.cols()) = block.x.rowwise() - shift.head(block.x.cols());
    joint.rightCols(block.y.cols()) = block.y.rowwise() - shift.tail(block.y.cols());
    samples += block.rows();
    sum += joint.colwise().sum();
    gram.selfadjointView<Eigen::Lower>().rankUpdate(joint.transpose());
  }
  void fields(auto& visit) { visit(samples, sum, gram); }
};

/// Indices of columns in the order of a pivoted Cholesky factorisation of the correlation matrix, stopped at the
/// tolerance: what comes later is a combination of what came before.
std::vector<Index> independent_columns(const Matrix& covariance, const std::vector<Index>& candidates, double tolerance) {
  const Index n = static_cast<Index>(candidates.size());
  if (n == 0) return {};
  Matrix correlation(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      const Index p = candidates[static_cast<std::size_t>(i)], q = candidates[static_cast<std::size_t>(j)];
      correlation(i, j) = covariance(p, q) / std::sqrt(covariance(p, p) * covariance(q, q));
    }
  // In nearly all data no column is near to a combination of others, and a factorisation without pivots shows it.
  constexpr double clearly = 1e-6;
  if (Cholesky(correlation).least_pivot() > std::max(clearly, tolerance)) return candidates;
  Vector left = Vector::Ones(n);
  Matrix factor = Matrix::Zero(n, n);
  std::vector<Index> chosen;
  for (Index step = 0; step < n; ++step) {
    Index pivot = 0;
    if (left.maxCoeff(&pivot) <= tolerance) break;
    const double root = std::sqrt(left[pivot]);
    Vector column = (correlation.col(pivot) - factor.leftCols(step) * factor.row(pivot).head(step).transpose()) / root;
    for (const Index done : chosen) column[done] = 0;
    column[pivot] = root;
    factor.col(step) = column;
    left -= column.cwiseAbs2();
    left[pivot] = -1;
    chosen.push_back(pivot);
  }
  std::vector<Index> kept;
  for (const Index i : chosen) kept.push_back(candidates[static_cast<std::size_t>(i)]);
  std::sort(kept.begin(), kept.end());
  return kept;
}

}  // namespace

InputMoments input_moments(const SampleSource& source, const Control& control, Index begin, Index end) {
  check_range("samples", begin, end - begin, source.samples());
  const Index d = source.inputs(), l = source.outputs();
  InputMoments moments{0, Vector::Zero(d), Matrix::Zero(d, d), Matrix::Zero(d, l), Vector::Zero(l), Matrix::Zero(l, l)};
  if (begin == end) return moments;
  BlockBuffer<double> buffer;
  const auto first = source.read(begin, 1, buffer);
  Eigen::RowVectorXd shift(d + l);
  shift << first.x.row(0), first.y.row(0);

  const ShiftedSums sums = reduce(source, ShiftedSums(shift), control, begin, end);
  const double n = static_cast<double>(sums.samples);
  const Vector mean = sums.sum.transpose() / n;
  Matrix covariance = Matrix(sums.gram.selfadjointView<Eigen::Lower>()) / n - mean * mean.transpose();
  covariance.diagonal() = covariance.diagonal().cwiseMax(0.0);
  moments.samples = sums.samples;
  moments.mean = mean.head(d) + shift.head(d).transpose();
  moments.label_mean = mean.tail(l) + shift.tail(l).transpose();
  moments.covariance = covariance.topLeftCorner(d, d);
  moments.cross_covariance = covariance.topRightCorner(d, l);
  moments.label_covariance = covariance.bottomRightCorner(l, l);
  return moments;
}

InputMoments input_moments(const SampleSource& source, const Control& control) {
  if (const auto* measured = dynamic_cast<const MeasuredSource*>(&source)) return measured->moments();
  return input_moments(source, control, 0, source.samples());
}

Whitening whitening_of(const InputMoments& moments, const WhiteningOptions& options) {
  Whitening whitening;
  whitening.inputs = moments.mean.size();
  std::vector<Index> varying;
  for (Index i = 0; i < whitening.inputs; ++i) {
    const bool moves = std::sqrt(moments.covariance(i, i)) > options.constant_tolerance * std::abs(moments.mean[i]);
    (moves ? varying : whitening.constant).push_back(i);
  }
  whitening.kept = independent_columns(moments.covariance, varying, options.dependence_tolerance);
  std::set_difference(varying.begin(), varying.end(), whitening.kept.begin(), whitening.kept.end(),
                      std::back_inserter(whitening.dependent));
  if (whitening.kept.empty()) return whitening;
  const Matrix covariance = moments.covariance(whitening.kept, whitening.kept);
  whitening.mean = moments.mean(whitening.kept);
  whitening.factor = Cholesky(covariance).lower();
  return whitening;
}

Matrix affine_slopes(const InputMoments& moments, const Whitening& whitening) {
  const Matrix cross = moments.cross_covariance(whitening.kept, Eigen::all);
  return solve_lower_transposed(whitening.factor, solve_lower(whitening.factor, cross));
}

double Whitening::condition() const {
  if (kept.empty()) return 1;
  const Vector spectrum = symmetric_eigenvalues(factor * factor.transpose());
  return spectrum.maxCoeff() / std::max(spectrum.minCoeff(), 1e-300);
}

Matrix Whitening::whiten(const Eigen::Ref<const RowMatrix>& x) const {
  check_equal("columns of x", x.cols(), inputs);
  Matrix centred(size(), x.rows());
  for (Index i = 0; i < size(); ++i) centred.row(i) = (x.col(kept[static_cast<std::size_t>(i)]).array() - mean[i]).transpose();
  return solve_lower(factor, std::move(centred)).transpose();
}

Matrix Whitening::forms_to_inputs(const Matrix& forms) const {
  check_equal("columns of forms", forms.cols(), size() + 1);
  // w·L⁻¹(x − μ) + b = (L⁻ᵀw)·x + b − (L⁻ᵀw)·μ
  const Matrix w = solve_lower_transposed(factor, forms.leftCols(size()).transpose()).transpose();
  Matrix mapped = Matrix::Zero(forms.rows(), inputs + 1);
  for (Index i = 0; i < size(); ++i) mapped.col(kept[static_cast<std::size_t>(i)]) = w.col(i);
  mapped.col(inputs) = forms.col(size()) - w * mean;
  return mapped;
}

Matrix Whitening::forms_to_whitened(const Matrix& forms, const Vector& all_means) const {
  check_equal("columns of forms", forms.cols(), inputs + 1);
  check_equal("means", all_means.size(), inputs);
  Matrix mapped(forms.rows(), size() + 1);
  mapped.leftCols(size()) = forms(Eigen::all, kept) * factor;
  mapped.col(size()) = forms.col(inputs) + forms.leftCols(inputs) * all_means;
  return mapped;
}

}  // namespace relucover
