#include "solve/layered_linearisation.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/linear_algebra.hpp"
#include "reduce/reduce.hpp"
#include "samples/subsample.hpp"
#include "solve/layered_jacobian.hpp"
#include "solve/layered_preconditioner.hpp"
#include "solve/layered_sums.hpp"

namespace relucover {

namespace {

constexpr double least_diagonal = 1e-3, least_diagonal_plain = 1e-6;

Vector damping_weights(const LayeredModel& model, const Vector& diagonal) {
  const double least = model.plain() ? least_diagonal_plain : least_diagonal;
  return diagonal.cwiseMax(least * diagonal.mean());
}

template <class Real>
class DenseLayered : public LayeredLinearisation {
 public:
  DenseLayered(const LayeredModel& model, const SampleSource& samples, const Control& control) {
    const auto sums = reduce(samples, LayeredGram<Real>(model), control);
    const double n = static_cast<double>(std::max<Index>(sums.samples, 1));
    gram_ = sums.gram.template cast<double>() / n;
    gradient_ = sums.gradient / n;
    weights_ = damping_weights(model, gram_.diagonal());
  }

  LayeredStep step(double damping, const Control& control) override {
    control.check();
    Matrix damped = gram_;
    damped.diagonal() += damping * weights_;
    const Cholesky factor(std::move(damped));
    LayeredStep step;
    if (!factor.definite()) return step;
    const Vector delta = factor.solve(gradient_);
    step.predicted = 2 * gradient_.dot(delta) - delta.dot(gram_.selfadjointView<Eigen::Lower>() * delta);
    step.path.push_back(delta);
    return step;
  }

 private:
  Matrix gram_;  // lower half
  Vector gradient_, weights_;
};

/// Moments need fewer samples than the step does.
MemorySource<double> some_of(const SampleSource& samples, Index features, const Control& control) {
  constexpr Index least = 4000, per_feature = 10;
  auto rows = spread_rows(samples.samples(), std::min(samples.samples(), std::max(least, per_feature * features)), 9);
  std::sort(rows.begin(), rows.end());
  return gather(samples, rows, control);
}

template <class Real>
class MatrixFreeLayered : public LayeredLinearisation {
 public:
  MatrixFreeLayered(const LayeredModel& model, const SampleSource& samples, const LayeredLinearisationOptions& options,
                    const Control& control)
      : model_(model), samples_(samples), options_(options), weights_(layered_rows<Real>(model, model.flat())),
        tape_(samples.samples(), model.features()) {
    const LayeredRows<double> wide = layered_rows<double>(model, model.flat());
    const auto sums = reduce(samples, LayeredGradient<Real>(model, wide, tape_), control);
    count_ = static_cast<double>(std::max<Index>(sums.samples, 1));
    gradient_ = sums.gradient / count_;
    const auto moments = reduce(some_of(samples, model.features(), control), LayeredMoments(model, wide), control);
    damping_weights_ = damping_weights(model, moments.diagonal / static_cast<double>(std::max<Index>(moments.samples, 1)));
    preconditioner_.emplace(model, moments);
  }

  /// Preconditioned conjugate gradients.
  LayeredStep step(double damping, const Control& control) override {
    preconditioner_->damp(damping);
    LayeredStep step;
    Vector delta = Vector::Zero(gradient_.size()), residual = gradient_, direction = preconditioner_->inverse_times(residual);
    double energy = residual.dot(direction);
    Index next_kept = 1;
    const double target = options_.tolerance * options_.tolerance * energy;
    while (step.iterations < options_.most_iterations && energy > target) {
      control.check();
      const Vector product = damped_product(direction, damping, control);
      const double curvature = direction.dot(product);
      if (!(curvature > 0)) break;
      if (step.iterations++ == next_kept) {
        step.path.push_back(delta);
        next_kept = next_kept * 3 / 2 + 1;
      }
      const double length = energy / curvature;
      delta += length * direction;
      residual -= length * product;
      const Vector conditioned = preconditioner_->inverse_times(residual);
      const double next = residual.dot(conditioned);
      direction = conditioned + next / energy * direction;
      energy = next;
    }
    // 2 g·delta - delta·H delta with (H + damping D) delta = g - residual
    step.predicted = delta.dot(gradient_ + residual + damping * damping_weights_.cwiseProduct(delta));
    step.path.push_back(std::move(delta));
    if (step.iterations == 0 || !std::isfinite(step.predicted)) step.path.clear();
    return step;
  }

 private:
  Vector damped_product(const Vector& direction, double damping, const Control& control) const {
    const LayeredRows<Real> along = layered_rows<Real>(model_, direction);
    const auto sums = reduce(samples_, LayeredProduct<Real>{&model_, &weights_, &tape_, &along, Vector::Zero(direction.size())}, control);
    return sums.product / count_ + damping * damping_weights_.cwiseProduct(direction);
  }

  const LayeredModel& model_;
  const SampleSource& samples_;
  const LayeredLinearisationOptions options_;
  LayeredRows<Real> weights_;
  LayeredTape<Real> tape_;
  double count_ = 1;
  Vector gradient_, damping_weights_;
  std::optional<KroneckerPreconditioner> preconditioner_;
};

template <class Real>
std::unique_ptr<LayeredLinearisation> linearised(const LayeredModel& model, const SampleSource& samples,
                                                 const LayeredLinearisationOptions& options, const Control& control) {
  using Form = LayeredLinearisationOptions::Form;
  const bool dense = options.form == Form::automatic ? !too_large_for_dense(model.parameters()) : options.form == Form::dense;
  if (dense) return std::make_unique<DenseLayered<Real>>(model, samples, control);
  return std::make_unique<MatrixFreeLayered<Real>>(model, samples, options, control);
}

}  // namespace

bool too_large_for_dense(Index parameters) {
  // A step of either form takes as long at 1600 parameters (10-20-20, over-wide); with units to spare J is nearly singular, and conjugate
  // gradients need several times as many steps to the end.
  constexpr Index most = 2500;
  return parameters > most;
}

std::unique_ptr<LayeredLinearisation> linearise(const LayeredModel& model, const SampleSource& samples,
                                                const LayeredLinearisationOptions& options, const Control& control) {
  return options.single_precision ? linearised<float>(model, samples, options, control)
                                  : linearised<double>(model, samples, options, control);
}

}  // namespace relucover
