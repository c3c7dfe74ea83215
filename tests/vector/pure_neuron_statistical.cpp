// Each stage of the pure-neuron method against its own bar (MATH section 4): a right final answer would not show that the
// moment stage works.
#include <gtest/gtest.h>

#include "learners/vector/exact_step.hpp"
#include "learners/vector/output_fit.hpp"
#include "learners/vector/pure_neuron_start.hpp"
#include "vector/planted.hpp"

namespace relucover {
namespace {

const Control on_two_threads(2);

double start_error(const Planted& planted, DetectorRows rows) {
  const QuadraticFit fit = fit_quadratic(*planted.source, on_two_threads);
  const auto start = pure_neuron_start(*planted.source, fit, planted.truth.units(), rows, 1, on_two_threads);
  return start.problem.empty() ? squared_errors(planted.truth, start.network).worst() : 100;
}

double exact_error(const Planted& planted) {
  const QuadraticFit fit = fit_quadratic(*planted.source, on_two_threads);
  const auto start = pure_neuron_start(*planted.source, fit, planted.truth.units(), DetectorRows::samples, 1, on_two_threads);
  if (!start.problem.empty()) return 100;
  Network network = start.network;
  network.W = exact_step(*planted.source, start.compress, network.W, on_two_threads).W;
  return squared_errors(planted.truth, with_fitted_outputs(*planted.source, network, on_two_threads)).worst();
}

TEST(PureNeuronStart, TenByTenFromTenThousandSamples) {
  const auto errors = errors_over_seeds(5, [](auto seed) {
    return start_error(planted_vector({10, 10, 10}, of_samples(10000), seed), DetectorRows::samples);
  });
  EXPECT_LE(errors.back(), 0.001);
}

TEST(PureNeuronStart, ThirtyTwoUnitsFromTenThousandSamples) {
  EXPECT_LE(start_error(planted_vector({32, 32, 32}, of_samples(10000), 1), DetectorRows::samples), 0.01);
}

TEST(PureNeuronStart, WithLabelNoise) {
  const auto errors = errors_over_seeds(5, [](auto seed) {
    return start_error(planted_vector({10, 10, 10}, of_samples(10000, "gaussian", 0.1), seed), DetectorRows::moments);
  });
  EXPECT_LE(errors.back(), 0.006);
}

TEST(ExactStep, TenByTenFromTwoHundredSamplesAndMixtureFromThreeHundred) {
  const auto gaussian = errors_over_seeds(20, [](auto seed) { return exact_error(planted_vector({10, 10, 10}, of_samples(200), seed)); });
  EXPECT_GE(count_at_most(gaussian, 1e-20), 19) << gaussian.back();
  const auto mixture = errors_over_seeds(20, [](auto seed) {
    return exact_error(planted_vector({10, 10, 10}, of_samples(300, "mixture"), seed));
  });
  EXPECT_GE(count_at_most(mixture, 1e-20), 19) << mixture.back();
}

TEST(ExactStep, MoreOutputsThanUnits) {
  const auto errors = errors_over_seeds(10, [](auto seed) {
    return exact_error(planted_vector({10, 5, 12, 2, 3}, of_samples(1000), seed));
  });
  EXPECT_EQ(count_at_most(errors, 1e-20), 10) << errors.back();
}

TEST(PrintedPureNeuron, AlgorithmTwoHasItsMedian) {
  const auto errors = errors_over_seeds(7, [](auto seed) {
    const Planted planted = planted_vector({10, 10, 10}, of_samples(10000), seed);
    return squared_errors(planted.truth, printed_pure_neuron(*planted.source, 10, {}, seed, on_two_threads).network).worst();
  });
  EXPECT_LE(median(errors), 0.3);
}

TEST(PrintedPureNeuron, AlternatingLeastSquaresHasItsMedian) {
  const auto errors = errors_over_seeds(3, [](auto seed) {
    const Planted planted = planted_vector({10, 10, 10}, of_samples(10000), seed);
    return squared_errors(planted.truth, printed_pure_neuron(*planted.source, 10, {.alternating = true}, seed, on_two_threads).network)
        .worst();
  });
  EXPECT_LE(median(errors), 0.05);
}

TEST(PrintedPureNeuron, AlgorithmFourCompressesTheOutputs) {
  const auto errors = errors_over_seeds(5, [](auto seed) {
    const Planted planted = planted_vector({10, 5, 8}, of_samples(40000, "gaussian", 0.05), seed);
    const PrintedPureNeuron variant{.noise_correction = true, .split_samples = true, .compress_outputs = true};
    return squared_errors(planted.truth, printed_pure_neuron(*planted.source, 5, variant, seed, on_two_threads).network).worst();
  });
  EXPECT_LE(median(errors), 0.3);
}

TEST(SingleNeuron, HasTheRateOfItsMoment) {
  const Planted planted = planted_vector({10, 1, 1}, of_samples(100000), 3);
  const Matrix w = single_neurons(*planted.source, on_two_threads, 0, 100000);
  // Each coordinate of 2 E[x y] has a standard deviation of about 2 sqrt(E[x² y²] / n) < 2.5 / sqrt(n): three of them.
  EXPECT_LE((w - planted.truth.A(0, 0) * planted.truth.W).norm(), 3 * 2.5 * std::sqrt(10.0 / 100000));
}

}  // namespace
}  // namespace relucover
