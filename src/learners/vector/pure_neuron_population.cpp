#include "learners/vector/pure_neuron_population.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/blas.hpp"
#include "core/check.hpp"
#include "core/linear_algebra.hpp"
#include "decompose/rank_one_span.hpp"
#include "learners/stage_clock.hpp"
#include "learners/vector/conclude.hpp"
#include "learners/vector/pure_neuron_start.hpp"
#include "moments/exact_pure_neuron.hpp"
#include "verify/gate.hpp"

namespace relucover {

namespace {

/// What the moments assume of the network; empty if it is so.
std::string departure(const Network& truth) {
  if (truth.activation != Activation::relu) return fmt::format("the network's activation is {}, expected relu", name_of(truth.activation));
  if (!truth.b.isZero(0)) return "the network has biases: pure neurons are units without";
  if (!truth.skip.isZero(0) || !truth.offset.isZero(0)) return "the network has a linear part: pure neurons are ReLU units alone";
  return {};
}

PrintedPureNeuron variant_of(const std::string& method) {
  if (method == "pure-neuron-als") return {.noise_correction = true, .alternating = true};
  if (method == "pure-neuron-noise") return {.noise_correction = true};
  if (method == "pure-neuron-wide") return {.noise_correction = true, .compress_outputs = true};
  return {};
}

/// Steps 5 to 12 of GKLW Algorithm 2 on exact moments.
PureNeuronStart start_of(const Network& truth, Index units, const LearnOptions& options, const std::string& method,
                         const Control& control) {
  PureNeuronStart start;
  const Matrix linear = truth.A * truth.W / 2;
  const Index rank = static_cast<Index>(PivotedQr(linear, 1e-10).rank());
  if (rank < units) {
    start.problem = fmt::format("A W has rank {}, {} units need rank {}", rank, units, units);
    return start;
  }
  const bool wide = method == "pure-neuron" || method == "pure-neuron-wide";
  start.compress =
      wide ? Matrix(thin_svd(linear, SingularVectors::left).left.leftCols(units)) : Matrix(Matrix::Identity(truth.outputs(), units));
  const ExactPureNeuronMoments exact = exact_pure_neuron_moments(truth, start.compress);
  if (method != "pure-neuron")
    return printed_from_moments(exact.of, exact.linear, start.compress, variant_of(method), options.seed, control);
  const PureNeuronSpan span = null_span_of_detector(exact.of.detector, units);
  start.detector_spectrum = span.spectrum;
  RandomStream random(options.seed, purpose::pencil);
  const RankOneVectors found = rank_one_vectors(span.basis, units, random, control);
  if (found.rows.rows() < units) {
    start.problem = fmt::format("{} of {} pure neurons were found", found.rows.rows(), units);
    return start;
  }
  return network_of_pure_neurons(found.rows, exact.of.output_mean, exact.linear, start);
}

void judge(const Network& truth, Result& result) {
  const Comparison errors = compare(truth, result.network);
  result.residual_relative = result.holdout_rms = errors.function_rms;
  result.figures["max_parameter_error"] = std::max({errors.max_weight_error, errors.max_bias_error, errors.max_output_error});
  const Certificate certificate = Gate::judge_population(truth, result.network);
  result.status = certificate.status;
  result.message = certificate.reason;
}

}  // namespace

bool has_exact_pure_neurons(const std::string& method) { return method == "single-neuron" || method.starts_with("pure-neuron"); }

Result learn_pure_neurons_from_network(const Network& truth, const LearnOptions& options) {
  check_no_problems("learn from a network", options.problems());
  const SingleThreadedBlas single_threaded;
  const Control control(options.threads, options.time_limit, options.observer);
  Result result;
  result.method_asked = options.method;
  result.method = options.method == "auto" ? "pure-neuron" : options.method;
  result.method_reason = "exact moments of a given network";
  result.units_asked = options.units;
  const StageClock clock("learn");
  try {
    const StageClock moments("moments");
    const std::string problem = departure(truth);
    if (!problem.empty()) {
      fail_assumption(result, problem);
    } else if (result.method == "single-neuron") {
      result.network = Network(truth.inputs(), truth.outputs(), truth.outputs());
      result.network.W = truth.A * truth.W;  // 2 E[x xᵀ]⁻¹ E[x y]
      result.network.A.setIdentity();
      judge(truth, result);
    } else {
      const PureNeuronStart start = start_of(truth, options.units > 0 ? options.units : truth.units(), options, result.method, control);
      result.series["detector_spectrum"] = {start.detector_spectrum.begin(), start.detector_spectrum.end()};
      if (!start.problem.empty()) {
        fail_assumption(result, start.problem);
      } else {
        result.network = start.network;
        judge(truth, result);
      }
    }
    moments.file(result, 1, result.residual_relative * result.residual_relative);
  } catch (const Interrupted& interrupted) {
    result.status = Status::budget_exhausted;
    result.message = interrupted.what();
  }
  result.seconds = clock.seconds();
  return result;
}

}  // namespace relucover
