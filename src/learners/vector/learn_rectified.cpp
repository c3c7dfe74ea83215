// Labels of rectified activations other than ReLU (BJW section 1): by zero conditions where labels are exact, else by least squares.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/blas.hpp"
#include "core/check.hpp"
#include "core/linear_algebra.hpp"
#include "core/random.hpp"
#include "learners/stage_clock.hpp"
#include "learners/vector/conclude.hpp"
#include "learners/vector/methods.hpp"
#include "learners/vector/order_two_tensor.hpp"
#include "learners/vector/rectified.hpp"
#include "relucover/rectified.hpp"
#include "samples/subsample.hpp"
#include "solve/rectified_fit.hpp"
#include "verify/gate.hpp"
#include "verify/leftover/noise_shape.hpp"
#include "verify/network_error.hpp"

namespace relucover {

namespace {

Rectifier rectifier(const RectifiedActivation& f) {
  return {f.value, [f](double t) { return 1 / f.inverse_slope(f.value(t)); }, f.homogeneous};
}

/// Least squares from directions up to sign, and what the gate says about it.
struct JudgedFit {
  RectifiedFit fit;
  Certificate certificate;
};

double relative_misfit(const RectifiedFit& fit, const RowMatrix& x, const RowMatrix& y, const Rectifier& f) {
  return (y - f.values(x * fit.W.transpose()) * fit.A.transpose()).norm() / std::max(y.norm(), 1e-300);
}

/// Directions that least squares from a part of the samples likes best, of random ones; empty: `other` is as good.
Matrix better_start(const RowMatrix& x, const RowMatrix& y, Index units, const RectifiedFit& other, const Rectifier& f,
                    const LearnOptions& options, const Control& control) {
  constexpr Index samples_per_unknown = 20, iterations = 60;
  constexpr double clearly = 1e-3, exact = 1e-12;
  const Index unknowns = units * (x.cols() + y.cols()),
              rows = std::min(x.rows(), std::max<Index>(1000, samples_per_unknown * unknowns / y.cols()));
  const RowMatrix some_x = x.topRows(rows), some_y = y.topRows(rows);
  double least = other.W.rows() == units ? relative_misfit(other, some_x, some_y, f) : std::numeric_limits<double>::infinity();
  Matrix best;
  RandomStream random(options.seed, purpose::starts, 5);
  for (Index start = 0; start < options.starts && least > exact; ++start) {
    const Matrix directions = random.normal_matrix(units, x.cols()).rowwise().normalized();
    const RectifiedFit fit = fit_rectified(some_x, some_y, with_signs(some_x, some_y, directions, f), f, iterations, control);
    if (const double misfit = relative_misfit(fit, some_x, some_y, f); misfit < (1 - clearly) * least) {
      least = misfit;
      best = fit.W;
    }
  }
  return best;
}

/// Least squares where outputs count by their noise, which they may share: that of the residual.
RectifiedFit weighted_fit(const RowMatrix& x, const RowMatrix& y, const Matrix& start, const Rectifier& f, Index iterations,
                          const Control& control) {
  constexpr int rounds = 2;
  RectifiedFit fit = fit_rectified(x, y, start, f, iterations, control);
  for (int round = 0; round < rounds && y.cols() > 1; ++round) {
    const Matrix turn = decorrelating(y - f.values(x * fit.W.transpose()) * fit.A.transpose());
    RectifiedFit turned = fit_rectified(x, y * turn, fit.W, f, iterations, control);
    turned.A = solve_square(turn.transpose(), turned.A);
    turned.residual_rms = (y - f.values(x * turned.W.transpose()) * turned.A.transpose()).norm() /
                          std::sqrt(static_cast<double>(std::max<Index>(y.size() - fit.unknowns, 1)));
    if (!turned.A.allFinite()) break;
    fit = std::move(turned);
  }
  return fit;
}

/// `directions` may be empty: random ones are tried then, and wherever something is left.
JudgedFit fit_and_judge(const SampleSource& source, const Matrix& directions, Index units, const Rectifier& f, const LearnOptions& options,
                        const Control& control) {
  constexpr Index most_values = 20'000'000, iterations = 60;  // numbers in the Jacobian
  constexpr double nearly_exact = 1e-10;
  const Index samples = std::min(source.samples(), std::max<Index>(1000, most_values / std::max<Index>(units * source.inputs(), 1)));
  const MemorySource<double> all = samples == source.samples() ? gather(source, 0, samples, control)
                                                               : gather(source, spread_rows(source.samples(), samples, 3), control);
  const RowMatrix& x = all.x();
  const RowMatrix& y = all.y();
  const auto judged_from = [&](const Matrix& W) {
    const Index used = samples - samples / 10;  // labels without noise must come out where they were not fitted
    JudgedFit judged;
    judged.fit = fit_rectified(x.topRows(used), y.topRows(used), W, f, iterations, control);
    const bool exact = relative_misfit(judged.fit, x, y, f) < nearly_exact;
    if (!exact) judged.fit = weighted_fit(x, y, judged.fit.W, f, iterations, control);
    judged.certificate = Gate::judge_rectified({exact ? source : all, judged.fit.W, judged.fit.A, f, options.seed}, control);
    return judged;
  };
  JudgedFit judged;
  if (directions.rows() > 0) judged = judged_from(with_signs(x, y, directions, f));
  if (judged.certificate.given()) return judged;
  const Matrix other = better_start(x, y, units, judged.fit, f, options, control);
  return other.rows() > 0 ? judged_from(other) : judged;
}

void settle_claim(const Certificate& certificate, AnswerStatus& status, std::string& message) {
  status = certificate.status;
  message = certificate.given() ? certificate.reason : "not certified: " + certificate.reason;
}

void take(const JudgedFit& judged, const SampleSource& source, Activation activation, const Control& control, Result& result) {
  if (!judged.fit.W.allFinite() || !judged.fit.A.allFinite()) {
    result.network = Network();
    return fail(result, Status::numerical_failure, "the fit ran off to infinity: these labels are far from any such network");
  }
  result.network = Network(source.inputs(), judged.fit.W.rows(), source.outputs(), activation);
  result.network.W = judged.fit.W;
  result.network.A = judged.fit.A;
  result.residual_rms = result.holdout_rms = result.noise_estimate = judged.fit.residual_rms;
  result.residual_relative = network_error(result.network, source, control).relative;
  result.detection_limit = judged.certificate.given() ? judged.certificate.detection_limit : std::numeric_limits<double>::quiet_NaN();
  result.figures.insert(judged.certificate.figures.begin(), judged.certificate.figures.end());
  result.figures["fit_condition"] = judged.fit.condition;
  settle_claim(judged.certificate, result.status, result.message);
}

/// Exact labels, outputs >= units: each unit's zeros give it to rounding. False if that is not so.
bool by_zero_conditions(const SampleSource& source, const QuadraticFit& fit, const Matrix& directions, Activation activation,
                        const Control& control, Result& result) {
  const StageClock clock("zero conditions");
  const RectifiedRecovery found =
      recover_rectified(source, compression(fit, directions.rows()), directions, rectified(activation), control);
  if (!found.problem.empty()) return false;
  clock.file(result, 1, found.misfit * found.misfit);
  result.residual_relative = found.misfit;
  result.network.W = found.W;
  result.network.A = found.A;
  result.figures["worst_zero_ratio"] = found.zero_ratios.maxCoeff();
  // On samples kept apart the labels come out to rounding, and each unit vanishes, to rounding, on a quarter of the samples.
  constexpr double rounding = 1e-13, vanishing = 1e-11;
  if (!(found.misfit < rounding && found.zero_ratios.maxCoeff() < vanishing)) return false;
  const Certificate certificate = Gate::judge_rectified({source, found.W, found.A, rectifier(rectified(activation)), 0}, control);
  settle_claim(certificate, result.status, result.message);
  return certificate.given();
}

/// Directions up to sign; empty where there are none, which random ones may still have.
Matrix directions_of(const QuadraticFit& fit, Index units, const LearnOptions& options, const Control& control) {
  const TensorStart start = order_two_start(fit, units, control, {.biases = false, .seed = options.seed});
  return start.problem.empty() ? Matrix(start.network.W.rowwise().normalized()) : Matrix();
}

Index units_of(const SampleSource& source, const QuadraticFit& fit, const LearnOptions& options) {
  return options.units > 0 ? options.units : std::min(units_from_quadratic_part(fit), source.inputs());
}

constexpr const char* no_units = "the labels have no quadratic part above the noise, or too few samples to see one";

/// As many units as were asked for; or as the quadratic part of the labels shows, and one or two more where something is left.
JudgedFit fit_units(const SampleSource& source, const QuadraticFit& quadratic, Index units, const Rectifier& f, const LearnOptions& options,
                    const Control& control) {
  constexpr Index most_more = 2;
  JudgedFit judged = fit_and_judge(source, directions_of(quadratic, units, options, control), units, f, options, control);
  for (Index more = 1; more <= most_more && options.units == 0 && judged.certificate.something_left && units + more <= source.inputs();
       ++more) {
    JudgedFit wider = fit_and_judge(source, directions_of(quadratic, units + more, options, control), units + more, f, options, control);
    if (wider.certificate.given()) return wider;
  }
  return judged;
}

void learn_activation(const SampleSource& source, const LearnOptions& options, const Control& control, Activation activation,
                      Result& result) {
  const StageClock clock("order-2 tensor");
  const QuadraticFit quadratic = fit_quadratic(source, control);
  const Index units = units_of(source, quadratic, options);
  if (units < 1) return fail_assumption(result, no_units);
  const Matrix directions = directions_of(quadratic, units, options, control);
  clock.file(result, 1, 0);
  result.samples = source.samples();
  result.network = Network(source.inputs(), units, source.outputs(), activation);
  if (directions.rows() > 0 && units <= source.outputs() &&
      by_zero_conditions(source, quadratic, directions, activation, control, result) && !wants_own_answer(options))
    return;
  if (wants_own_answer(options)) {
    if (result.network.W.isZero(0))
      return fail_assumption(
          result, "the method's own answer (refine=0) needs outputs >= units, each of which vanishes on a quarter of the samples");
    return conclude(source, result.network, InputAssumption::gaussian, options, control, result);
  }
  const StageClock fitting("least squares");
  take(fit_units(source, quadratic, units, rectifier(rectified(activation)), options, control), source, activation, control, result);
  fitting.file(result, 1, 0);
}

}  // namespace

void learn_rectified_square(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result) {
  learn_activation(source, options, control, Activation::relu2, result);
}
void learn_rectified_cube(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result) {
  learn_activation(source, options, control, Activation::relu3, result);
}
void learn_rectified_exponential(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result) {
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

namespace {

/// Certificates believe the slope: one that is not the derivative is found out here.
void check_function(const RectifiedFunction& function) {
  if (!function.value || !function.slope) throw std::invalid_argument("the activation needs its value and its slope");
  constexpr double step = 1e-5, allowed = 1e-3;
  for (const double t : {0.05, 0.3, 1.0, 1.7, 2.5}) {
    const double value = function.value(t), slope = function.slope(t);
    const double seen = (function.value(t * (1 + step)) - function.value(t * (1 - step))) / (2 * step * t);
    if (!(value > 0) || !(slope > 0) || !std::isfinite(value))
      throw std::invalid_argument(
          fmt::format("the activation is {} with slope {} at t = {}: it must be positive and increasing for t > 0", value, slope, t));
    if (!(std::abs(slope - seen) <= allowed * seen))
      throw std::invalid_argument(fmt::format("the activation's slope at t = {} is given as {}, its values rise by {}", t, slope, seen));
    if (!function.homogeneous) continue;
    const double power = t * slope / value, at_one = function.slope(1) / function.value(1);
    if (!(std::abs(power - at_one) <= allowed * at_one))
      throw std::invalid_argument(fmt::format(
          "the activation is said to be homogeneous, but is not: it grows with power {} at t = 1 and {} at t = {}", at_one, power, t));
  }
}

}  // namespace

RectifiedResult learn_rectified(const SampleSource& source, const RectifiedFunction& function, const LearnOptions& options) {
  check_no_problems("options", options.problems());
  check_function(function);
  const SingleThreadedBlas single_threaded;
  RectifiedResult result;
  result.function = function;
  try {
    const Control control(options.threads, options.time_limit, options.observer);
    const QuadraticFit quadratic = fit_quadratic(source, control);
    const Index units = units_of(source, quadratic, options);
    if (units < 1) {
      result.status = Status::assumption_failed;
      result.message = no_units;
      return result;
    }
    const JudgedFit judged = fit_units(source, quadratic, units, {function.value, function.slope, function.homogeneous}, options, control);
    result.W = judged.fit.W;
    result.A = judged.fit.A;
    result.residual_rms = judged.fit.residual_rms;
    if (judged.certificate.given()) result.detection_limit = judged.certificate.detection_limit;
    settle_claim(judged.certificate, result.status, result.message);
  } catch (const Interrupted& interrupted) {
    result.status = Status::budget_exhausted;
    result.message = interrupted.what();
  }
  return result;
}

}  // namespace relucover
