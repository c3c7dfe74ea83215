#include "solve/large_uncertainty.hpp"

#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "core/linear_algebra.hpp"
#include "core/random.hpp"
#include "reduce/reduce.hpp"
#include "solve/preconditioner.hpp"
#include "solve/sums.hpp"

namespace relucover {

namespace {

/// Whether samples lie on kinks up to rounding: on which side they are is not known, so they say nothing.
struct KinkCount {
  using Scalar = double;
  const SignFreeModel* model;
  Index dropped = 0;
  void add(const Block<double>& block) {
    SeenBlock seen;
    seen.look(block, *model, Loss{});
    seen.drop_kinks(*model);
    dropped += (seen.x.rowwise().squaredNorm().array() == 0).count();
  }
  void fields(auto& visit) { visit(dropped); }
};

/// L with L L^T = A, where A may be singular to rounding.
Matrix lower_of(Matrix symmetric) {
  constexpr double little = 1e-13;
  const double scale = std::max(symmetric.diagonal().maxCoeff(), 1e-300);
  symmetric.diagonal() += little * symmetric.diagonal().cwiseMax(little * scale);
  Cholesky factor(symmetric);
  for (double more = 1e-11; !factor.definite() && more < 1; more *= 10) {
    symmetric.diagonal() += more * symmetric.diagonal().cwiseMax(scale * little);
    factor = Cholesky(symmetric);
  }
  return factor.lower();
}

double condition_of(const Matrix& lower) {
  const double ratio = lower.diagonal().maxCoeff() / lower.diagonal().minCoeff();
  return ratio * ratio;
}

/// G seen through P: L^{-1} G L^{-T} with P = L L^T.
class ScaledGram {
 public:
  ScaledGram(const SampleSource& source, const SignFreeModel& model, const Matrix& second_moment, const Control& control)
      : source_(source), model_(model), second_moment_(second_moment), control_(control), pattern_(source.samples(), model.units()) {
    GradientSum empty(model, Loss{});
    empty.sign_products = Matrix::Zero(model.units() + 1, model.units() + 1);
    empty.pattern = &pattern_;
    const auto sums = reduce(source, empty, control);
    samples_ = static_cast<double>(sums.samples);
    coupling_ = coupling_of_rows(model, sums.sign_products / samples_);
    rows_ = lower_of(coupling_);
    columns_ = lower_of(second_moment);
    // E h_i^2 = theta_i^T E[x~ x~^T] theta_i
    hidden_square_ = (model.theta * second_moment).cwiseProduct(model.theta).rowwise().sum().cwiseMax(1e-300);
    on_kinks_ = reduce(source, KinkCount{&model}, control).dropped > 0;
  }

  Index size() const {
    return (model_.units() + model_.outputs()) * (model_.inputs() + 1) + (model_.output_is_free() ? model_.output.size() : 0);
  }
  double samples() const { return samples_; }
  double condition() const { return condition_of(rows_) * condition_of(columns_); }
  bool on_kinks() const { return on_kinks_; }
  /// Diagonal of C^{-1}, for the units.
  Vector coupling_inverse() const { return Cholesky(rows_ * rows_.transpose()).inverse().diagonal().head(model_.units()); }

  Vector times(const Vector& z, GramPrecision precision) const {
    const SignFreeModel direction = from_scaled(z);
    SignFreeModel product = curvature(direction, precision);
    product.scale(1 / samples_);
    hold_scales(direction, product);
    return to_scaled(product);
  }

 private:
  SignFreeModel curvature(const SignFreeModel& direction, GramPrecision precision) const {
    if (on_kinks_) {
      CurvatureSum empty(model_, direction, Loss{});
      empty.without_kinks = true;
      return reduce(source_, empty, control_).product;
    }
    if (precision == GramPrecision::float64)
      return reduce(source_, PatternCurvatureSum<double>(model_, pattern_, direction, true), control_).product;
    return reduce(source_, PatternCurvatureSum<float>(model_, pattern_, direction, true), control_).product;
  }

  /// With free output weights a unit's scale is shared by theta and output: hold it, or G is singular by design. Adds P e e^T P / e^T P e
  /// for the direction e of each.
  void hold_scales(const SignFreeModel& direction, SignFreeModel& product) const {
    if (!model_.output_is_free()) return;
    const Index units = model_.units();
    for (Index i = 0; i < units; ++i) {
      const Vector theta = coupling_(i, i) * (second_moment_ * model_.theta.row(i).transpose());  // of P e: its own block stands for all
      const Vector output = -hidden_square_[i] * model_.output.col(i);
      const double size = theta.dot(model_.theta.row(i)) - output.dot(model_.output.col(i));
      const double along = (theta.dot(direction.theta.row(i)) + output.dot(direction.output.col(i))) / std::max(size, 1e-300);
      product.theta.row(i) += along * theta.transpose();
      product.output.col(i) += along * output;
    }
  }

  /// L^{-T} z
  SignFreeModel from_scaled(const Vector& z) const {
    SignFreeModel step(model_.inputs(), model_.units(), model_.outputs());
    const Index width = model_.inputs() + 1, height = model_.units() + model_.outputs();
    const Matrix rows = solve_lower_transposed(rows_, z.head(height * width).reshaped(height, width));
    const Matrix stacked = solve_lower_transposed(columns_, rows.transpose()).transpose();
    step.theta = stacked.topRows(model_.units());
    step.affine = stacked.bottomRows(model_.outputs());
    if (model_.output_is_free())
      step.output =
          z.tail(model_.output.size()).reshaped(model_.outputs(), model_.units()) * hidden_square_.cwiseSqrt().cwiseInverse().asDiagonal();
    return step;
  }

  /// L^{-1} v
  Vector to_scaled(const SignFreeModel& step) const {
    Vector z(size());
    const Matrix rows = solve_lower(rows_, stacked_rows(step));
    const Matrix scaled = solve_lower(columns_, rows.transpose()).transpose();
    z.head(scaled.size()) = scaled.reshaped();
    if (model_.output_is_free())
      z.tail(step.output.size()) = (step.output * hidden_square_.cwiseSqrt().cwiseInverse().asDiagonal()).reshaped();
    return z;
  }

  const SampleSource& source_;
  const SignFreeModel& model_;
  const Matrix& second_moment_;
  const Control& control_;
  SignPattern pattern_;
  double samples_ = 0;
  Matrix coupling_, rows_, columns_;
  Vector hidden_square_;
  bool on_kinks_ = false;
};

/// Lanczos' method with full orthogonalisation.
class Lanczos {
 public:
  Lanczos(const ScaledGram& gram, GramPrecision precision, std::uint64_t seed) : gram_(gram), precision_(precision) {
    RandomStream random(seed, purpose::certificate);
    basis_.push_back(random.normal_vector(gram.size()).normalized());
  }

  /// False: nothing new is left.
  bool step() {
    const Vector& last = basis_.back();
    Vector next = gram_.times(last, precision_);
    diagonal_.push_back(last.dot(next));
    for (int twice = 0; twice < 2; ++twice)
      for (const Vector& known : basis_) next -= known.dot(next) * known;
    const double size = next.norm();
    beside_.push_back(size);
    if (!(size > 1e-14 * std::abs(diagonal_.back()))) return false;
    basis_.push_back(next / size);
    return true;
  }
  Index steps() const { return static_cast<Index>(diagonal_.size()); }

  struct Ritz {
    double least, largest, residual;  // of the least
    Vector vector;
  };
  Ritz ritz() const {
    const Index k = steps();
    const auto eigen = tridiagonal_eigen(Eigen::Map<const Vector>(diagonal_.data(), k), Eigen::Map<const Vector>(beside_.data(), k - 1));
    return {eigen.values[0], eigen.values[k - 1], std::abs(beside_.back() * eigen.vectors(k - 1, 0)), eigen.vectors.col(0)};
  }
  Vector ritz_vector(const Ritz& of) const {
    Vector sum = Vector::Zero(gram_.size());
    for (Index i = 0; i < of.vector.size(); ++i) sum += of.vector[i] * basis_[static_cast<std::size_t>(i)];
    return sum;
  }

 private:
  const ScaledGram& gram_;
  GramPrecision precision_;
  std::vector<Vector> basis_;
  std::vector<double> diagonal_, beside_;
};

/// By how much of the largest eigenvalue the least one found can be too large after so many steps from a random start, but for this
/// chance: Kuczyński and Woźniakowski (1992), theorem 4.2.
double most_missed(Index steps, Index size, double chance) {
  const double root = std::log(1.648 * std::sqrt(static_cast<double>(size)) / chance) / static_cast<double>(2 * steps - 1);
  return root * root;
}

LargeUncertainty bounded(const ScaledGram& gram, GramPrecision precision) {
  constexpr Index most_steps = 400, least_steps = 20, look_every = 5;
  constexpr double chance = 1e-6, converged = 0.05, nothing = 1e-9;
  const double rounding = gram.condition() * (precision == GramPrecision::float32 ? std::numeric_limits<float>::epsilon()
                                                                                  : std::numeric_limits<double>::epsilon());
  LargeUncertainty found;
  Lanczos lanczos(gram, precision, 0);
  for (bool more = true; more && lanczos.steps() < most_steps;) {
    more = lanczos.step();
    if (more && (lanczos.steps() < least_steps || lanczos.steps() % look_every != 0)) continue;
    const auto ritz = lanczos.ritz();
    found.least = ritz.least;
    found.largest = ritz.largest;
    found.products = lanczos.steps();
    const double noise = rounding * ritz.largest;
    if (ritz.least < std::max(nothing * ritz.largest, 2 * noise)) return found;
    const double certain = ritz.least - 1.1 * most_missed(lanczos.steps(), gram.size(), chance) * ritz.largest - noise;
    const double likely = ritz.residual < converged * ritz.least ? ritz.least - ritz.residual - noise : 0;
    found.bound = std::max(certain, likely);
    if (found.bound < ritz.least / 2 && more) continue;
    const Vector vector = lanczos.ritz_vector(ritz);
    const double precise = vector.dot(gram.times(vector, GramPrecision::float64));
    found.determined = found.bound > 0 && precise > ritz.least / 2;
    return found;
  }
  return found;
}

}  // namespace

LargeUncertainty large_uncertainty(const SampleSource& source, const SignFreeModel& model, const Matrix& second_moment,
                                   const Control& control) {
  control.progress("certify", -1);
  const ScaledGram gram(source, model, second_moment, control);
  constexpr double well_conditioned = 1e4;  // so that single precision is far more than enough
  LargeUncertainty found;
  if (!gram.on_kinks() && gram.condition() < well_conditioned) found = bounded(gram, GramPrecision::float32);
  found.single_precision = found.determined;
  if (!found.determined) {
    const Index before = found.products;
    found = bounded(gram, GramPrecision::float64);
    found.products += before;
  }
  found.unit_error = Vector::Constant(model.units(), std::numeric_limits<double>::infinity());
  if (!found.determined) return found;
  const Vector coupling = gram.coupling_inverse();
  const double width = static_cast<double>(model.inputs() + 1);
  for (Index i = 0; i < model.units(); ++i) {
    const double size = model.theta.row(i).dot(second_moment * model.theta.row(i).transpose());
    found.unit_error[i] = std::sqrt(width * coupling[i] / (found.bound * gram.samples() * std::max(size, 1e-300)));
  }
  return found;
}

}  // namespace relucover
