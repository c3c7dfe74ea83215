#include "learners/hermite/refined_forms.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/linear_algebra.hpp"
#include "core/median.hpp"
#include "samples/subsample.hpp"
#include "solve/merging.hpp"
#include "solve/pruning.hpp"

namespace relucover {

namespace {

Vector residuals(const MemorySource<double>& data, const SignFreeModel& model) {
  const Index d = model.inputs();
  RowMatrix t = data.x() * model.theta.leftCols(d).transpose();
  t.rowwise() += model.theta.col(d).transpose();
  const Vector left = data.y().col(0) - t.cwiseAbs() * model.output.row(0).transpose() - data.x() * model.affine.row(0).head(d).transpose();
  return left.array() - model.affine(0, d);
}

double median_size(const Vector& values) { return median_of(values.cwiseAbs()); }

/// What a model leaves on the sample in the middle: kinks that few samples are behind don't count.
struct Fit {
  SolveOutcome solved;
  double median = 0;
};

class Refinement {
 public:
  Refinement(const MemorySource<double>& data, const Control& control) : data_(data), control_(control) {
    solver_.max_iterations = 200;
    solver_.relative_decrease = 1e-7;
    const double rms = std::sqrt(data.y().squaredNorm() / static_cast<double>(data.samples()));
    rounding_ = 1e-10 * rms;
  }

  /// To rounding, on all samples but a few.
  bool explains(const SignFreeModel& model) const { return median_size(residuals(data_, model)) <= rounding_; }

  Fit run(const SignFreeModel& start) {
    Fit best = fitted(start);
    constexpr int repairs = 6;
    for (int i = 0; i < repairs && best.median > rounding_; ++i) {
      Fit other = repaired(best);
      if (!(other.median < 0.5 * best.median)) break;
      best = std::move(other);
    }
    while (simplified(best)) {
    }
    best.solved.iterations = iterations_;
    return best;
  }

 private:
  Fit fitted(const SignFreeModel& start) {
    Fit fit = judged(levenberg_marquardt(data_, start, solver_, control_));
    // The few samples behind a kink that is not among the units pull at all of them: what they are is seen by their
    // residuals, more clearly the better the rest fits.
    constexpr int rounds = 8;
    for (int round = 0; round < rounds && fit.median > rounding_; ++round) {
      const Fit next = judged(levenberg_marquardt(without_outliers(fit), fit.solved.model, solver_, control_));
      const bool settled = next.median > 0.7 * fit.median;
      if (next.median < fit.median) fit = next;
      if (settled) break;
    }
    return fit;
  }

  Fit judged(SolveOutcome solved) {
    iterations_ += solved.iterations;
    const double median = median_size(residuals(data_, solved.model));
    return {std::move(solved), median};
  }

  MemorySource<double> without_outliers(const Fit& fit) const {
    constexpr double too_many_medians = 30;
    const Vector left = residuals(data_, fit.solved.model);
    std::vector<Index> kept;
    for (Index i = 0; i < left.size(); ++i)
      if (std::abs(left[i]) <= too_many_medians * fit.median) kept.push_back(i);
    return {RowMatrix(data_.x()(kept, Eigen::all)), RowMatrix(data_.y()(kept, Eigen::all))};
  }

  /// One unit less, if that fits as well: two that share the work of one, or one that does none.
  bool simplified(Fit& fit) {
    if (fit.solved.model.units() < 2) return false;
    for (const SignFreeModel& candidate : smaller(fit.solved.model)) {
      Fit other = fitted(candidate);
      if (other.median > std::max(rounding_, 2 * fit.median)) continue;
      fit = std::move(other);
      return true;
    }
    return false;
  }

  std::vector<SignFreeModel> smaller(const SignFreeModel& model) const {
    std::vector<SignFreeModel> candidates{prune(data_, model, model.units() - 1, {}, control_).model};
    const Merged merged = merge_closest_units(data_, model, control_);
    if (merged.agreement > 0.8) candidates.push_back(merged.model);
    return candidates;
  }

  /// The best of: two units made one, a unit dropped, a unit added where the residual bends most.
  Fit repaired(const Fit& fit) {
    const SignFreeModel& model = fit.solved.model;
    std::vector<SignFreeModel> candidates;
    if (model.units() > 1) candidates = smaller(model);
    for (const double bias : {0.0, 1.0, -1.0}) candidates.push_back(with_one_more(model, fit.median, bias));
    Fit best = fit;
    for (const SignFreeModel& candidate : candidates) {
      control_.check();
      Fit other = fitted(candidate);
      if (other.median < best.median) best = std::move(other);
      if (best.median <= rounding_) break;
    }
    return best;
  }

  /// T_2 of the residual, cut at a few medians, is largest along the weights of a unit that is missing.
  SignFreeModel with_one_more(const SignFreeModel& model, double median, double bias) const {
    const Index d = model.inputs(), m = model.units();
    const Vector left = residuals(data_, model).cwiseMax(-10 * median).cwiseMin(10 * median);
    const Vector centred = left.array() - left.mean();
    const Matrix second =
        data_.x().transpose() * Matrix(data_.x().array().colwise() * centred.array()) / static_cast<double>(data_.samples());
    const SymmetricEigen eigen = symmetric_eigen(second);
    Index at = 0;
    eigen.values.cwiseAbs().maxCoeff(&at);
    SignFreeModel wider(d, m + 1, 1);
    wider.theta.topRows(m) = model.theta;
    wider.output.leftCols(m) = model.output;
    wider.affine = model.affine;
    wider.theta.row(m).head(d) = median * eigen.vectors.col(at).transpose();
    wider.theta(m, d) = median * bias;
    wider.output(0, m) = eigen.values[at] > 0 ? 1 : -1;
    return wider;
  }

  const MemorySource<double>& data_;
  const Control& control_;
  SolverOptions solver_;
  double rounding_;
  Index iterations_ = 0;
};

}  // namespace

RefinedForms refine_forms(const SampleSource& source, const SignFreeModel& start, const Whitening& whitening, const Control& control) {
  constexpr Index most_samples = 100000;
  const auto part = gather(source, spread_rows(source.samples(), std::min(source.samples(), most_samples), 1), control);
  const MemorySource<double> data(RowMatrix(whitening.whiten(part.x())), part.y());
  SignFreeModel whitened(whitening.size(), start.units(), 1);
  whitened.theta = whitening.forms_to_whitened(start.theta, whitening.mean);
  whitened.affine = whitening.forms_to_whitened(start.affine, whitening.mean);
  whitened.output = start.output;
  Refinement refinement(data, control);
  const bool already = refinement.explains(whitened);
  const Fit fit = refinement.run(whitened);
  RefinedForms refined{whitening.forms_to_inputs(fit.solved.model.theta), fit.solved.iterations, fit.solved.relative_cost, fit.solved.model,
                       !already && refinement.explains(fit.solved.model)};
  refined.model.theta = refined.forms;
  refined.model.affine = whitening.forms_to_inputs(fit.solved.model.affine);
  for (Index i = 0; i < refined.forms.rows(); ++i)
    refined.forms.row(i) /= std::max(refined.forms.row(i).head(source.inputs()).norm(), 1e-300);
  return refined;
}

}  // namespace relucover
