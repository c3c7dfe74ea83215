// Stages for Gaussian inputs and for any inputs (BJW), each against its own bar of MATH section 4.
#include <gtest/gtest.h>

#include "core/random.hpp"
#include "learners/vector/arbitrary_inputs.hpp"
#include "learners/vector/direction_net.hpp"
#include "learners/vector/exact_step.hpp"
#include "learners/vector/independent_components.hpp"
#include "learners/vector/order_two_tensor.hpp"
#include "learners/vector/output_fit.hpp"
#include "learners/vector/proportional_labels.hpp"
#include "learners/vector/pure_neuron_start.hpp"
#include "learners/vector/rectified.hpp"
#include "learners/vector/sign_recovery.hpp"
#include "learners/vector/sparse_corruption.hpp"
#include "samples/hard_instances.hpp"
#include "samples/subsample.hpp"
#include "vector/planted.hpp"

namespace relucover {
namespace {

const Control two_threads(2);

double after_exact_step(const Planted& planted, const Matrix& compress, Network network) {
  network.W = exact_step(*planted.source, compress, network.W, two_threads).W;
  return squared_errors(planted.truth, with_fitted_outputs(*planted.source, network, two_threads)).worst();
}

TEST(OrderTwoTensor, DirectionsFromFiveHundredSamplesThenExact) {
  const auto run = [](std::uint64_t seed, bool exact) {
    const Planted planted = planted_vector({10, 10, 10}, of_samples(500), seed);
    const auto start = order_two_start(fit_quadratic(*planted.source, two_threads), 10, two_threads, {.biases = false});
    if (!start.problem.empty()) return 100.0;
    return exact ? after_exact_step(planted, Matrix::Identity(10, 10), start.network)
                 : squared_errors(planted.truth, start.network, true).weights;
  };
  const auto directions = errors_over_seeds(10, [&](auto seed) { return run(seed, false); });
  EXPECT_GE(count_at_most(directions, 0.1), 9) << directions.back();
  const auto exact = errors_over_seeds(10, [&](auto seed) { return run(seed, true); });
  EXPECT_GE(count_at_most(exact, 1e-20), 9) << exact.back();
}

TEST(OrderTwoTensor, FindsBiasesAndUnitsBeyondTheOutputs) {
  const auto errors = errors_over_seeds(5, [](auto seed) {
    const Network truth = planted_network({.inputs = 12, .units = 6, .outputs = 4, .bias = 0.7, .seed = seed});
    const auto source = synthetic_samples(truth, {.samples = 200000, .seed = seed});
    const auto start = order_two_start(fit_quadratic(*source, two_threads), 6, two_threads);
    if (!start.problem.empty()) return 100.0;
    const Comparison found = compare(truth, start.network);
    return found.up_to_sign ? 50.0 : std::max(found.max_weight_error, found.max_bias_error);
  });
  EXPECT_LE(median(errors), 0.1) << errors.back();
}

TEST(OrderTwoTensor, AnyCovariance) {
  for (const char* distribution : {"correlated:10", "correlated:1000"}) {
    const auto errors = errors_over_seeds(5, [&](auto seed) {
      const Planted planted = planted_vector({10, 5, 8, 2, 2}, of_samples(10000, distribution), seed);
      const QuadraticFit fit = fit_quadratic(*planted.source, two_threads);
      const auto start = order_two_start(fit, 5, two_threads, {.biases = false});
      return start.problem.empty() ? after_exact_step(planted, compression(fit, 5), start.network) : 100.0;
    });
    EXPECT_LE(errors.back(), 1e-18) << distribution;
  }
}

TEST(SignRecovery, DeadBandIsExactUpToATenth) {
  for (const double error : {0.01, 0.1}) {
    const auto errors = errors_over_seeds(20, [&](auto seed) {
      const Planted planted = planted_vector({10, 5, 8, 3, 3}, of_samples(1000), seed);
      const Matrix compress = compression(fit_quadratic(*planted.source, two_threads), 5);
      const auto found =
          recover_with_dead_band(*planted.source, compress, disturbed(planted.truth.W, error, seed), two_threads, {.error = error});
      return (found.W - planted.truth.W.rowwise().normalized()).rowwise().norm().maxCoeff();
    });
    EXPECT_LE(errors.back(), 1e-12) << error;
  }
}

TEST(SignRecovery, AsPrintedNeedsDirectionsThatMakeNoFalseZero) {
  const Planted planted = planted_vector({10, 5, 8, 3, 3}, of_samples(300), 1);
  const Matrix compress = compression(fit_quadratic(*planted.source, two_threads), 5);
  const Matrix truth = planted.truth.W.rowwise().normalized();
  const Matrix close = recover_one_sided(*planted.source, compress, disturbed(truth, 1e-9, 1), 0, 1e-7, two_threads);
  EXPECT_LE((close - truth).rowwise().norm().maxCoeff(), 1e-10);
  const Matrix far = recover_one_sided(*planted.source, compress, disturbed(truth, 0.05, 1), 0.3 / 300, 1e-9, two_threads);
  EXPECT_GT((far - truth).rowwise().norm().maxCoeff(), 0.5);
}

TEST(SignRecovery, ProjectionFindsAllSignsInNoise) {
  for (const double noise : {0.1, 1.0}) {
    int right = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const Planted planted = planted_vector({10, 5, 8, 3, 3}, of_samples(2000, "gaussian", noise), seed);
      const Matrix turned = disturbed(planted.truth.W, 0.05, seed);
      const Vector expected = (turned.cwiseProduct(planted.truth.W)).rowwise().sum().array().sign();
      right += (signs_by_projection(*planted.source, turned, two_threads).signs - expected).isZero();
    }
    EXPECT_EQ(right, 20) << noise;
  }
}

TEST(IndependentComponents, StartAndExactStep) {
  const auto starts = errors_over_seeds(5, [](auto seed) {
    const Planted planted = planted_vector({10, 10, 10}, of_samples(10000), seed);
    return squared_errors(planted.truth, independent_component_start(*planted.source, 10, seed, two_threads).network).worst();
  });
  EXPECT_LE(median(starts), 0.02);
  const auto exact = errors_over_seeds(5, [](auto seed) {
    const Planted planted = planted_vector({20, 5, 8, 1, 3}, of_samples(10000), seed);
    const auto start = independent_component_start(*planted.source, 5, seed, two_threads);
    return start.problem.empty() ? after_exact_step(planted, start.sketch, start.network) : 100.0;
  });
  EXPECT_LE(exact.back(), 1e-20);
}

TEST(ProportionalLabels, ExactWithFewerOutputsThanUnits) {
  int exact = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Planted planted = planted_vector({10, 5, 3, 3, 1}, of_samples(20000), seed);
    const auto start = proportional_labels_start(*planted.source, 5, two_threads);
    exact += start.problem.empty() &&
             squared_errors(planted.truth, with_fitted_outputs(*planted.source, start.network, two_threads)).worst() <= 1e-18;
  }
  EXPECT_GE(exact, 19);
}

TEST(ProportionalLabels, SaysWhenColumnsAreOppositeOrThereIsOneOutput) {
  Network truth = vector_network({5, 2, 3});
  truth.A.col(1) = -truth.A.col(0);
  const auto opposite = proportional_labels_start(*synthetic_samples(truth, {.samples = 2000}), 2, two_threads);
  EXPECT_NE(opposite.problem.find("opposite"), std::string::npos) << opposite.problem;
  const Planted scalar = planted_vector({5, 2, 1}, of_samples(1000), 1);
  EXPECT_FALSE(proportional_labels_start(*scalar.source, 2, two_threads).problem.empty());
}

Planted arbitrary_inputs(Index units, Index inputs, Index samples, std::uint64_t seed) {
  RandomStream random(seed, purpose::study, 1);
  Planted planted{Network(inputs, units, units + 1), nullptr};
  planted.truth.W = random.normal_matrix(units, inputs);
  planted.truth.A = random.normal_matrix(units + 1, units);
  RowMatrix x(samples, inputs);
  for (Index i = 0; i < samples; ++i)
    for (Index j = 0; j < inputs; ++j) x(i, j) = 2 * random.uniform() - 1;
  RowMatrix y = planted.truth.evaluate(x);
  planted.source = std::make_unique<MemorySource<double>>(x, y);
  return planted;
}

TEST(ArbitraryInputs, CellsAreExact) {
  const struct { Index units, inputs, samples; } cases[] = {{2, 3, 60}, {3, 4, 60}, {4, 5, 50}, {8, 10, 60}};
  for (const auto& [units, inputs, samples] : cases) {
    const auto errors = errors_over_seeds(5, [&](auto seed) {
      const Planted planted = arbitrary_inputs(units, inputs, samples, seed);
      const auto found = search_cells(*planted.source, units, two_threads);
      return found.problem.empty() ? squared_errors(planted.truth, found.network).worst() : 100.0;
    });
    EXPECT_EQ(count_at_most(errors, 1e-18), 5) << units << " units, worst " << errors.back();
  }
}

TEST(ArbitraryInputs, LinearProgramsExplainTheLabelsOrSaySo) {
  const Planted planted = arbitrary_inputs(2, 3, 30, 1);
  const auto found = search_cells_by_linear_programs(*planted.source, 2, two_threads);
  if (found.problem.empty())
    EXPECT_LE(relative_residual(*planted.source, found.network, two_threads), 1e-10);
  else
    EXPECT_EQ(found.network.units(), 0);
  EXPECT_GT(found.programs, 0);
}

TEST(ArbitraryInputs, SaysWhenTheRankIsWrong) {
  const Planted planted = arbitrary_inputs(3, 4, 40, 1);
  EXPECT_NE(search_cells(*planted.source, 2, two_threads).problem.find("rank 3"), std::string::npos);
}

TEST(DirectionNet, LossIsThatOfTheNoise) {
  for (const Index units : {1, 2}) {
    const Planted planted = planted_vector({10, units, 3}, of_samples(100000, "gaussian", 1.0), 1);
    const auto start = direction_net_start(*planted.source, units, two_threads);
    ASSERT_TRUE(start.problem.empty());
    const double loss = relative_residual(*planted.source, start.network, two_threads);
    const double noise = relative_residual(*planted.source, planted.truth, two_threads);
    EXPECT_LE(std::sqrt(loss / noise), 1.01);
  }
}

TEST(SparseCorruption, CleansFifteenPercent) {
  const auto errors = errors_over_seeds(2, [](auto seed) {
    const Planted planted = planted_vector({10, 5, 60}, of_samples(2000), seed);
    const auto cleaned = clean_labels(corrupted(*planted.source, 0.15, 100, seed), 5, two_threads);
    if (!cleaned.samples) return 100.0;
    EXPECT_NEAR(cleaned.corrupted_share, 0.15, 0.01);
    const RowMatrix truth = planted.truth.evaluate(cleaned.samples->x());
    return (truth - cleaned.samples->y()).cwiseAbs().maxCoeff();
  });
  EXPECT_LE(errors.back(), 1e-9);
}

TEST(Rectified, PowersAndExponentialAreExact) {
  for (const Activation activation : {Activation::relu2, Activation::relu3, Activation::expm1}) {
    const auto errors = errors_over_seeds(4, [&](auto seed) {
      const Planted planted =
          planted_vector({.inputs = 10, .units = 5, .outputs = 8, .weight_condition = 2, .output_condition = 2, .activation = activation},
                         of_samples(20000), seed);
      const QuadraticFit fit = fit_quadratic(*planted.source, two_threads);
      const auto start = order_two_start(fit, 5, two_threads, {.biases = false});
      if (!start.problem.empty()) return 100.0;
      const Matrix compress = compression(fit, 5);
      const auto found = recover_rectified(*planted.source, compress, start.network.W, rectified(activation), two_threads);
      Network answer(10, 5, 8, activation);
      answer.W = found.W;
      answer.A = found.A;
      return found.problem.empty() ? squared_errors(planted.truth, answer).worst() : 100.0;
    });
    EXPECT_LE(errors.back(), 1e-18) << name_of(activation);
  }
}

}  // namespace
}  // namespace relucover
