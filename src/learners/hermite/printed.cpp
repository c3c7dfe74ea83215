// The published moment algorithms on samples: they report their own error and never claim a certificate.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/linear_algebra.hpp"
#include "decompose/scoring.hpp"
#include "learners/finish/finish.hpp"
#include "learners/hermite/gaussianity.hpp"
#include "learners/hermite/hermite.hpp"
#include "learners/hermite/hidden_units.hpp"
#include "learners/hermite/moment_methods.hpp"
#include "learners/hermite/refined_forms.hpp"
#include "learners/stage_clock.hpp"
#include "samples/views.hpp"
#include "verify/network_error.hpp"

namespace relucover {

namespace {

void judge(const SampleSource& source, const Control& control, Index asked, Result& result) {
  const NetworkError error = network_error(result.network, source, control);
  result.residual_rms = result.holdout_rms = result.noise_estimate = error.rms;
  result.residual_relative = error.relative;
  result.status = Status::approximate;
  result.message =
      fmt::format("moments alone: {} units, relative error {:.2e} on the samples; no certificate", result.network.units(), error.relative);
  if (asked > result.network.units())
    result.notes.push_back(fmt::format("{} of the {} units asked for do not stand out of the sampling error of the moments",
                                       asked - result.network.units(), asked));
}

bool one_output(const SampleSource& source, Result& result) {
  if (source.outputs() == 1) return true;
  result.status = Status::assumption_failed;
  result.message = fmt::format("the published moment methods are for one output, the data have {}: use hermite or prune", source.outputs());
  return false;
}

MomentAnswer units_from(const SampleSource& source, const LearnOptions& options, const Control& control, Whitening& whitening,
                        Result& result) {
  report_gaussianity(source, options, control, result);
  const StageClock clock("moments");
  const InputMoments inputs = input_moments(source, control);
  whitening = whitening_of(inputs);
  const EstimatedMoments moments(source, inputs, whitening, Vector::Ones(1));
  MomentAnswer answer = printed_units(moments, moment_options(options), control);
  result.figures["moment_risk"] = answer.risk;
  clock.file(result, 1, answer.risk / std::max(moments.label_variance(), 1e-300));
  return answer;
}

/// Solves min |Σ β features - y|² over |β| <= radius by projected gradient descent on the Gram matrix (ATV Algorithm 5,
/// step 4); truncation at τ removes no sample of the sizes used here, see docs/math.md.
Vector projected_gradient(const Matrix& gram, const Vector& cross, double radius, Index max_steps) {
  Vector beta = Vector::Zero(cross.size());
  Vector probe = Vector::Ones(cross.size());
  for (int i = 0; i < 30; ++i) probe = (gram * probe).normalized();
  const double step = 1 / std::max(probe.dot(gram * probe), 1e-300);
  for (Index i = 0; i < max_steps; ++i) {
    beta -= step * (gram * beta - cross);
    if (beta.norm() > radius) beta *= radius / beta.norm();
  }
  return beta;
}

/// Sums for the regression of y on (|form_i|, x, 1): the span of a relu(t), a relu(-t), x and 1.
struct RegressionSums {
  using Scalar = double;
  const Matrix* forms;  // on the inputs, units by (inputs + 1)
  const Vector* known;  // weights so far: samples with a residual above `cut` are left out; null: all samples count
  double cut;
  Matrix gram;
  Index samples = 0;
  double absolute = 0;  // sum of |residual| of the weights so far
  void add(const Block<double>& block) {
    const Index m = forms->rows(), d = block.x.cols();
    Matrix joint(block.rows(), 2 * m + d + 2);
    if (m > 0) {
      joint.leftCols(m) = block.x * forms->leftCols(d).transpose();
      joint.leftCols(m).rowwise() += forms->col(d).transpose();
      joint.middleCols(m, m) = (-joint.leftCols(m)).cwiseMax(0.0);
      joint.leftCols(m) = joint.leftCols(m).cwiseMax(0.0);
    }
    joint.middleCols(2 * m, d) = block.x;
    joint.col(2 * m + d).setOnes();
    joint.col(2 * m + d + 1) = block.y.col(0);
    if (known) {
      const Vector residual = (joint.col(2 * m + d + 1) - joint.leftCols(2 * m + d + 1) * *known).cwiseAbs();
      absolute += residual.sum();
      for (Index i = 0; i < joint.rows(); ++i)
        if (residual[i] > cut) joint.row(i).setZero();
    }
    gram.selfadjointView<Eigen::Lower>().rankUpdate(joint.transpose());
    samples += block.rows();
  }
  void fields(auto& visit) { visit(gram, samples, absolute); }
};

constexpr Index gradient_steps = 20000;

/// Weights of relu(t), relu(-t), x and 1 by least squares on the samples with a residual of the weights `known` below `cut`.
Vector solve_regression(const RegressionSums& sums) {
  const Index columns = sums.gram.cols();
  Matrix gram = Matrix(sums.gram.selfadjointView<Eigen::Lower>()) / static_cast<double>(std::max<Index>(sums.samples, 1));
  const Vector cross = gram.col(columns - 1).head(columns - 1);
  gram.conservativeResize(columns - 1, columns - 1);
  gram.diagonal() *= 1 + 1e-12;  // relu(t) - relu(-t) = t is in the span of x and 1: the minimum is not unique
  return solve_semidefinite(std::move(gram), cross);
}

/// Truncation in the residual: the few samples behind kinks that no unit has are left out, round by round.
Vector truncated(const SampleSource& source, const Matrix& forms, Vector beta, const Control& control) {
  constexpr int rounds = 4;
  constexpr double too_many_means = 30;
  double cut = std::numeric_limits<double>::infinity();
  for (int round = 0; round <= rounds; ++round) {
    const Index columns = beta.size() + 1;
    const RegressionSums sums = reduce(source, RegressionSums{&forms, &beta, cut, Matrix::Zero(columns, columns)}, control);
    if (round > 0) beta = solve_regression(sums);
    cut = std::min(cut, too_many_means * sums.absolute / static_cast<double>(std::max<Index>(sums.samples, 1)));
  }
  return beta;
}

/// Weights of relu(t), relu(-t), x and 1.
Vector regress(const SampleSource& source, const Matrix& forms, bool by_gradient, double largest_output, const Control& control) {
  const Index columns = 2 * forms.rows() + source.inputs() + 2;
  const RegressionSums sums = reduce(source, RegressionSums{&forms, nullptr, 0, Matrix::Zero(columns, columns)}, control);
  if (!by_gradient) return solve_regression(sums);
  const Matrix all = Matrix(sums.gram.selfadjointView<Eigen::Lower>()) / static_cast<double>(std::max<Index>(sums.samples, 1));
  const Matrix gram = all.topLeftCorner(columns - 1, columns - 1);
  const Vector cross = all.col(columns - 1).head(columns - 1);
  const double radius = std::sqrt(8.0 * static_cast<double>(forms.rows())) * largest_output + cross.norm() + 10;
  return projected_gradient(gram, cross, radius, gradient_steps);
}

/// Σ α_i relu(t_i) + α'_i relu(-t_i) + v·x + c in sign-free form: α relu(t) + α' relu(-t) = (α + α')/2 |t| + (α - α')/2 t.
SignFreeModel sign_free_of(const Matrix& forms, const Vector& beta) {
  const Index m = forms.rows(), d = forms.cols() - 1;
  SignFreeModel model(d, m, 1);
  model.affine = beta.tail(d + 1).transpose();
  model.theta = forms;
  for (Index i = 0; i < m; ++i) {
    model.output(0, i) = (beta[i] + beta[m + i]) / 2;
    model.affine += (beta[i] - beta[m + i]) / 2 * forms.row(i);
  }
  balance(model);
  return model;
}

double setting_of(const LearnOptions& options, const char* name, double otherwise) {
  const auto at = options.settings.find(name);
  return at == options.settings.end() ? otherwise : at->second;
}

/// Σ α_i relu(t_i) + α'_i relu(-t_i) + v·x + c as at most m + 2 ReLUs (ATV Claim D.14).
Network consolidated(const Matrix& forms, const Vector& beta) {
  const Index m = forms.rows(), d = forms.cols() - 1;
  Vector affine = beta.tail(d + 1);
  for (Index i = 0; i < m; ++i) affine -= beta[m + i] * forms.row(i).transpose();
  const double length = affine.head(d).norm();
  const bool bent = length > 0;
  Network network(d, m + (bent ? 2 : 0), 1);
  for (Index i = 0; i < m; ++i) {
    network.W.row(i) = forms.row(i).head(d);
    network.b[i] = forms(i, d);
    network.A(0, i) = beta[i] + beta[m + i];
  }
  if (!bent) {
    network.offset[0] = affine[d];
    return network;
  }
  for (const Index side : {0, 1}) {
    const double sign = side == 0 ? 1 : -1;
    network.W.row(m + side) = sign * affine.head(d).transpose() / length;
    network.b[m + side] = sign * affine[d] / length;
    network.A(0, m + side) = sign * length;
  }
  return network;
}

/// The engine finishes from the regression and certifies; the answer stays a sum of ReLUs alone.
void certify_consolidated(const SampleSource& source, const SignFreeModel& model, const LearnOptions& options, const Control& control,
                          Result& result) {
  Result finished = result;
  finish(source, model, options, control, finished);
  if (!finished.certified()) {
    result.message += fmt::format(" ({})", finished.message);
    return;
  }
  const Network& network = finished.network;
  Matrix forms(network.units(), network.inputs() + 1);
  forms << network.W, network.b;
  Vector beta = Vector::Zero(2 * network.units() + network.inputs() + 1);
  beta.head(network.units()) = network.A.row(0).transpose();
  beta.segment(2 * network.units(), network.inputs()) = network.skip.row(0).transpose();
  beta[2 * network.units() + network.inputs()] = network.offset[0];
  finished.network = consolidated(forms, beta);
  result = std::move(finished);
}

}  // namespace

void learn_hermite_printed(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result) {
  if (!one_output(source, result)) return;
  Whitening whitening;
  const MomentAnswer answer = units_from(source, options, control, whitening, result);
  result.network = on_inputs(answer, whitening);
  result.sign_ambiguous = !answer.signs_unique;
  judge(source, control, options.units, result);
}

void learn_hermite_regression(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result) {
  if (!one_output(source, result)) return;
  const Index half = source.samples() / 2;
  const RowRange first(source, 0, half), second(source, half, source.samples());
  Whitening whitening;
  const MomentAnswer answer = units_from(first, options, control, whitening, result);  // ATV Algorithm 5, step 1
  const Network start = on_inputs(answer, whitening);
  Matrix forms(start.units(), source.inputs() + 1);
  forms << start.W, start.b;
  const bool refine = setting_of(options, "refine", 1) != 0;
  if (refine && forms.rows() > 0) {
    const StageClock refining("refine");
    const RefinedForms refined = refine_forms(first, sign_free_of(forms, regress(first, forms, false, 1, control)), whitening, control);
    forms = refined.forms;
    refining.file(result, refined.iterations, refined.relative_cost);
  }

  const StageClock clock("regression");
  const bool by_gradient = setting_of(options, "gradient", 0) != 0;
  const double largest = start.units() > 0 ? start.A.cwiseAbs().maxCoeff() : 1;
  Vector beta = regress(second, forms, by_gradient, largest, control);  // steps 2 to 4
  if (refine && !by_gradient) beta = truncated(second, forms, beta, control);
  result.network = consolidated(forms, beta);  // Claim D.14
  clock.file(result, by_gradient ? gradient_steps : 1, 0);
  judge(source, control, 0, result);
  result.stages.back().residual = result.residual_relative * result.residual_relative;
  if (refine && !by_gradient) certify_consolidated(source, sign_free_of(forms, beta), options, control, result);
  report_hidden_units(find_hidden_units(source, sign_free_of(forms, beta), whitening, options.units, result.residual_relative, control),
                      source.samples(), result);
}

}  // namespace relucover
