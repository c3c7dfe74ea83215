// Labels of rectified activations other than ReLU (BJW section 1): by zero conditions where labels are exact, else by least squares.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/blas.hpp"
#include "core/check.hpp"
#include "learners/stage_clock.hpp"
#include "learners/vector/conclude.hpp"
#include "learners/vector/methods.hpp"
#include "learners/vector/order_two_tensor.hpp"
#include "learners/vector/rectified.hpp"
#include "learners/vector/rectified_fit.hpp"
#include "relucover/rectified.hpp"
#include "samples/subsample.hpp"
#include "verify/gate.hpp"

namespace relucover {

namespace {

Rectifier rectifier(const RectifiedActivation& f) {
  return {f.value, [f](double t) { return 1 / f.inverse_slope(f.value(t)); }, f.homogeneous};
}

/// Least squares from directions up to sign, judged on samples kept apart.
struct JudgedFit {
  RectifiedFit fit;
  RectifiedClaim claim;
};

JudgedFit fit_and_judge(const SampleSource& source, const Matrix& directions, const Rectifier& f, std::uint64_t seed, const Control& control) {
  constexpr Index most_values = 20'000'000, most_samples = 40'000;  // numbers in one output's Jacobian
  const Index samples = std::min({source.samples(), most_samples, std::max<Index>(1000, most_values / std::max<Index>(directions.size(), 1))});
  const auto all = gather(source, spread_rows(source.samples(), samples, 3), control);
  const Index held = samples / 5, used = samples - held;
  const RowMatrix x = all.x().topRows(used), y = all.y().topRows(used);
  JudgedFit judged;
  judged.fit = fit_rectified(x, y, with_signs(x, y, directions, f), f, 60, control);
  judged.claim = judge_rectified(x, y, all.x().bottomRows(held), all.y().bottomRows(held), judged.fit, f, seed, control);
  return judged;
}

/// Conditions on held-out data, as for first layers: the gate makes a status of them.
void settle(const RectifiedClaim& claim, AnswerStatus& status, std::string& message) {
  std::vector<Condition> conditions = {{true, "labels of samples kept apart"}};
  for (const std::string& words : claim.against) conditions.push_back({false, words});
  const Certificate certificate = Gate::judge_first_layer(claim.claim, conditions, claim.seen);
  status = certificate.status;
  message = certificate.given() ? certificate.reason : "not certified: " + certificate.reason;
}

void take(const JudgedFit& judged, Result& result) {
  result.network.W = judged.fit.W;
  result.network.A = judged.fit.A;
  result.residual_rms = result.holdout_rms = result.noise_estimate = judged.fit.residual_rms;
  result.figures["fit_condition"] = judged.fit.condition;
  settle(judged.claim, result.status, result.message);
}

/// Exact labels, outputs >= units: each unit's zeros give it to rounding. False if that is not so.
bool by_zero_conditions(const SampleSource& source, const QuadraticFit& fit, const Matrix& directions, Activation activation, const Control& control,
                        Result& result) {
  const StageClock clock("zero conditions");
  const RectifiedRecovery found = recover_rectified(source, compression(fit, directions.rows()), directions, rectified(activation), control);
  if (!found.problem.empty()) return false;
  clock.file(result, 1, found.misfit * found.misfit);
  result.residual_relative = found.misfit;
  result.figures["worst_zero_ratio"] = found.zero_ratios.maxCoeff();
  // On samples kept apart the labels come out to rounding, and each unit vanishes, to rounding, on a quarter of the samples.
  constexpr double rounding = 1e-13, vanishing = 1e-11;
  if (!(found.misfit < rounding && found.zero_ratios.maxCoeff() < vanishing)) return false;
  result.network.W = found.W;
  result.network.A = found.A;
  const Certificate certificate = Gate::judge_rectified(source, result.network, control);
  result.status = certificate.status;
  result.message = certificate.given() ? certificate.reason : "not certified: " + certificate.reason;
  return certificate.given();
}

/// Directions up to sign; empty, with the reason, where there are none.
Matrix directions_of(const QuadraticFit& fit, Index units, const LearnOptions& options, const Control& control, std::string& problem) {
  if (units < 1) {
    problem = "the labels have no quadratic part above the noise, or too few samples to see one";
    return {};
  }
  const TensorStart start = order_two_start(fit, units, control, {.biases = false, .seed = options.seed});
  problem = start.problem;
  return problem.empty() ? Matrix(start.network.W.rowwise().normalized()) : Matrix();
}

void learn_activation(const SampleSource& source, const LearnOptions& options, const Control& control, Activation activation, Result& result) {
  const StageClock clock("order-2 tensor");
  const QuadraticFit fit = fit_quadratic(source, control);
  const Index units = options.units > 0 ? options.units : units_from_quadratic_part(fit);
  std::string problem;
  const Matrix directions = directions_of(fit, units, options, control, problem);
  if (!problem.empty()) return fail_assumption(result, problem);
  clock.file(result, 1, 0);
  result.samples = source.samples();
  result.network = Network(source.inputs(), units, source.outputs(), activation);
  if (units <= source.outputs() && by_zero_conditions(source, fit, directions, activation, control, result)) return;
  const StageClock fitting("least squares");
  take(fit_and_judge(source, directions, rectifier(rectified(activation)), options.seed, control), result);
  fitting.file(result, 1, 0);
}

}  // namespace

void learn_rectified_square(const SampleSource& source, const LearnOptions& options, const Control& control,
                            Result& result) {
  learn_activation(source, options, control, Activation::relu2, result);
}
void learn_rectified_cube(const SampleSource& source, const LearnOptions& options, const Control& control,
                          Result& result) {
  learn_activation(source, options, control, Activation::relu3, result);
}
void learn_rectified_exponential(const SampleSource& source, const LearnOptions& options, const Control& control,
                                 Result& result) {
  learn_activation(source, options, control, Activation::expm1, result);
}

RectifiedFunction RectifiedFunction::power(double p) {
  if (!(p > 0)) throw std::invalid_argument(fmt::format("the power is {}, expected a positive number", p));
  return {[p](double t) { return std::pow(t, p); }, [p](double t) { return p * std::pow(t, p - 1); }, true};
}

RowMatrix RectifiedResult::predict(const Eigen::Ref<const RowMatrix>& x) const {
  const Matrix hidden = (x * W.transpose()).unaryExpr([&](double t) { return t > 0 ? function.value(t) : 0.0; });
  return hidden * A.transpose();
}

RectifiedResult learn_rectified(const SampleSource& source, const RectifiedFunction& function, const LearnOptions& options) {
  check_no_problems("options", options.problems());
  if (!function.value || !function.slope) throw std::invalid_argument("the activation needs its value and its slope");
  const SingleThreadedBlas single_threaded;
  RectifiedResult result;
  result.function = function;
  try {
    const Control control(options.threads, options.time_limit, options.observer);
    const QuadraticFit fit = fit_quadratic(source, control);
    const Index units = options.units > 0 ? options.units : units_from_quadratic_part(fit);
    std::string problem;
    const Matrix directions = directions_of(fit, units, options, control, problem);
    if (!problem.empty()) {
      result.status = Status::assumption_failed;
      result.message = problem;
      return result;
    }
    const JudgedFit judged = fit_and_judge(source, directions, {function.value, function.slope, function.homogeneous}, options.seed, control);
    result.W = judged.fit.W;
    result.A = judged.fit.A;
    result.residual_rms = judged.fit.residual_rms;
    settle(judged.claim, result.status, result.message);
  } catch (const Interrupted& interrupted) {
    result.status = Status::budget_exhausted;
    result.message = interrupted.what();
  }
  return result;
}

}  // namespace relucover
