// The engine's parts: sums against finite differences, the two forms of a step against each other, pruning.
#include <gtest/gtest.h>

#include "core/random.hpp"
#include "reduce/reduce.hpp"
#include "solve/levenberg_marquardt.hpp"
#include "solve/merging.hpp"
#include "solve/pruning.hpp"
#include "solve/relu_form.hpp"
#include "solve/residual_source.hpp"
#include "solve/uncertainty.hpp"
#include "support/planted.hpp"

namespace relucover {
namespace {

SignFreeModel random_model(Index inputs, Index units, Index outputs, std::uint64_t seed) {
  RandomStream random(seed, purpose::study);
  SignFreeModel model(inputs, units, outputs);
  model.theta = random.normal_matrix(units, inputs + 1);
  model.output = random.normal_matrix(outputs, units);
  model.affine = random.normal_matrix(outputs, inputs + 1);
  balance(model);
  return model;
}

double mean_squares(const SampleSource& source, const SignFreeModel& model, const Loss& loss) {
  const auto sums = reduce(source, ResidualSum{&model, loss}, Control(1));
  return sums.cost / static_cast<double>(sums.samples);
}

class Engine : public testing::TestWithParam<Index> {};  // outputs
INSTANTIATE_TEST_SUITE_P(Outputs, Engine, testing::Values(1, 3));

TEST_P(Engine, SignFreeFormIsTheSameFunctionAsTheNetwork) {
  const auto problem = test::planted({.inputs = 4, .units = 5, .outputs = GetParam(), .seed = 3}, {.samples = 50});
  const SignFreeModel model = sign_free(problem.truth);
  EXPECT_LT(mean_squares(problem.samples, model, {}), 1e-28);
  const Network back = relu_network(model, std::vector<int>(5, 1));
  EXPECT_LT((back.evaluate(problem.samples.x()) - problem.samples.y()).norm(), 1e-12);
  EXPECT_LT(back.skip.norm() + back.offset.norm(), 1e-12);
}

TEST_P(Engine, GradientAgreesWithFiniteDifferences) {
  for (const double robust : {0.0, 0.8}) {
    const Loss loss{robust, true};
    const auto problem = test::planted({.inputs = 3, .units = 4, .outputs = GetParam(), .seed = 5}, {.samples = 400});
    const SignFreeModel at = random_model(3, 4, GetParam(), 6);
    const auto sums = reduce(problem.samples, GradientSum(at, loss), Control(1));
    RandomStream random(9, purpose::study);
    SignFreeModel direction(3, 4, GetParam());
    direction.theta = random.normal_matrix(4, 4);
    direction.affine = random.normal_matrix(GetParam(), 4);
    if (at.output_is_free()) direction.output = random.normal_matrix(GetParam(), 4);
    const double step = 1e-7;
    SignFreeModel plus = at, minus = at;
    plus.add(step, direction);
    minus.add(-step, direction);
    const double slope = (mean_squares(problem.samples, plus, loss) - mean_squares(problem.samples, minus, loss)) / (2 * step);
    EXPECT_NEAR(slope, -2 * sums.gradient.dot(direction) / 400, 1e-5 * std::abs(slope) + 1e-6);
  }
}

TEST_P(Engine, FullGramIsTheCurvatureProduct) {
  const auto problem = test::planted({.inputs = 3, .units = 2, .outputs = GetParam(), .seed = 1}, {.samples = 300});
  const SignFreeModel at = random_model(3, 4, GetParam(), 2);
  const Matrix gram = full_gram(reduce(problem.samples, NormalSum(at, Loss{}), Control(1)));
  RandomStream random(9, purpose::study);
  const Vector flat = random.normal_vector(gram.rows());
  const SignFreeModel direction = unflatten(flat, at);
  const auto product = reduce(problem.samples, CurvatureSum(at, direction, Loss{}), Control(1));
  EXPECT_LT((gram * flat - flatten(product.product) / 300).norm(), 1e-11 * (gram * flat).norm());
  EXPECT_EQ(flatten(direction), flat);
}

TEST_P(Engine, DenseAndMatrixFreeStepsAgree) {
  const auto problem = test::planted({.inputs = 5, .units = 3, .outputs = GetParam(), .seed = 1}, {.samples = 600});
  const SignFreeModel at = random_model(5, 4, GetParam(), 2);
  LinearisationOptions options;
  options.second_moment = second_moment(problem.samples, true, Control(1));
  options.moment_inverse = inverse_of_moment(options.second_moment);
  options.max_inner_iterations = 500;
  options.form = LinearisationOptions::Form::dense;
  const Step dense = linearise(problem.samples, at, options, Control(1))->step(1e-2, 1e-12, Control(1));
  options.form = LinearisationOptions::Form::matrix_free;
  for (const auto precision : {GramPrecision::float64, GramPrecision::float32}) {
    options.product_precision = precision;
    const double tolerance = precision == GramPrecision::float64 ? 1e-7 : 1e-4;
    const Step free = linearise(problem.samples, at, options, Control(1))->step(1e-2, tolerance * 1e-5, Control(1));
    ASSERT_TRUE(dense.solved && free.solved);
    EXPECT_LT((flatten(dense.delta) - flatten(free.delta)).norm(), tolerance * flatten(dense.delta).norm());
    EXPECT_NEAR(dense.predicted, free.predicted, tolerance * dense.predicted);
  }
}

TEST_P(Engine, SinglePrecisionGramIsTheGram) {
  const auto problem = test::planted({.inputs = 6, .units = 3, .outputs = GetParam(), .seed = 1}, {.samples = 3000});
  const SignFreeModel at = random_model(6, 40, GetParam(), 2);  // more pairs than one tile
  const Matrix precise = full_gram(reduce(problem.samples, NormalSum(at, Loss{}), Control(1)));
  const Matrix single = full_gram(reduce(problem.samples, NormalSum(at, Loss{}, GramPrecision::float32), Control(1)));
  EXPECT_LT((precise - single).norm(), 1e-6 * precise.norm());
}

TEST_P(Engine, ConvergesToRoundingFromNearby) {
  const auto problem = test::planted({.inputs = 6, .units = 4, .outputs = GetParam(), .seed = 8}, {.samples = 2000});
  for (const auto form : {LinearisationOptions::Form::dense, LinearisationOptions::Form::matrix_free}) {
    SignFreeModel start = sign_free(problem.truth);
    start.add(0.05, random_model(6, 4, GetParam(), 4));
    if (GetParam() == 1) start.output = sign_free(problem.truth).output;
    SolverOptions options;
    options.form = form;
    options.max_inner_iterations = 300;
    const auto solved = levenberg_marquardt(problem.samples, start, options, Control(1));
    EXPECT_LT(solved.relative_cost, 1e-26);
  }
}

TEST(Pruning, KeepsTheUnitsThatMatterAndRefitsTheRest) {
  const auto problem = test::planted({.inputs = 4, .units = 3, .seed = 2}, {.samples = 1000});
  SignFreeModel wide(4, 6, 1);
  wide.theta = random_model(4, 6, 1, 3).theta;
  wide.theta.topRows(3) = sign_free(problem.truth).theta;
  wide.output.setOnes();
  const auto pruned = prune(problem.samples, wide, 3, Loss{}, Control(1));
  EXPECT_LT(mean_squares(problem.samples, pruned.model, {}), 1e-18);
  EXPECT_GT(prune(problem.samples, wide, 2, Loss{}, Control(1)).residual_at[2], 1e-4);
  EXPECT_EQ(prune_while(problem.samples, wide, 1e-11, Loss{}, Control(1)).model.units(), 3);
}

TEST_P(Engine, ResidualSourceHasWhatAModelLeaves) {
  const auto problem = test::planted({.inputs = 4, .units = 3, .outputs = GetParam(), .seed = 2}, {.samples = 50});
  const SignFreeModel truth = sign_free(problem.truth), other = random_model(4, 5, GetParam(), 7);
  const ResidualSource nothing(problem.samples, truth), something(problem.samples, other);
  BlockBuffer<double> buffer;
  EXPECT_LT(nothing.read(3, 20, buffer).y.norm(), 1e-13);
  const Block<double> block = something.read(3, 20, buffer);
  EXPECT_EQ(block.first, 3);
  EXPECT_EQ(Matrix(block.x), Matrix(problem.samples.x().middleRows(3, 20)));
  SeenBlock seen;
  seen.look(problem.samples.read(3, 20, buffer), other, Loss{});
  BlockBuffer<double> again;
  EXPECT_LT((something.read(3, 20, again).y - seen.residual).norm(), 1e-13 * seen.residual.norm());
  BlockBuffer<float> single;
  EXPECT_LT((something.read(3, 20, single).y.cast<double>() - seen.residual).norm(), 1e-5 * seen.residual.norm());
}

TEST(Merging, PutsTogetherTwoUnitsThatShareTheWorkOfOne) {
  for (const Index outputs : {1, 2}) {
    const auto problem = test::planted({.inputs = 4, .units = 3, .outputs = outputs, .seed = 2}, {.samples = 1000});
    const SignFreeModel truth = sign_free(problem.truth);
    SignFreeModel split(4, 4, outputs);
    split.theta.topRows(3) = truth.theta;
    split.output.leftCols(3) = truth.output;
    split.affine = truth.affine;
    // Two halves of the first unit, one of them turned around and both a little off: no elimination of one unit sees it.
    const Vector off = 0.02 * truth.theta.row(0).norm() * Vector::LinSpaced(5, -1, 1);
    split.theta.row(0) = 0.5 * truth.theta.row(0) + off.transpose();
    split.theta.row(3) = -(0.5 * truth.theta.row(0) - off.transpose());
    split.output.col(3) = truth.output.col(0);
    const Merged merged = merge_closest_units(problem.samples, split, Control(1));
    EXPECT_GT(merged.agreement, 0.95);
    ASSERT_EQ(merged.model.units(), 3);
    EXPECT_LT(mean_squares(problem.samples, merged.model, {}), 1e-24);
  }
  const auto single = test::planted({.inputs = 4, .units = 1, .seed = 2}, {.samples = 100});
  EXPECT_EQ(merge_closest_units(single.samples, sign_free(single.truth), Control(1)).agreement, 0);
}

TEST(Uncertainty, PredictsTheSpreadOfEstimates) {
  // Standard errors against the spread over 60 noisy repetitions of one problem.
  const Network truth = planted_network({.inputs = 3, .units = 2, .seed = 4});
  std::vector<double> first;
  double predicted = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto source = synthetic_samples(truth, {.samples = 2000, .noise = 0.1, .seed = seed});
    const auto solved = levenberg_marquardt(*source, sign_free(truth), {}, Control(1));
    first.push_back(solved.model.theta(0, 0));
    const auto known = uncertainty(*source, solved.model, Loss{}, Control(1));
    ASSERT_TRUE(known.determined);
    predicted = 0.1 * std::sqrt(known.inverse(0, 0));
  }
  const Eigen::Map<const Vector> values(first.data(), static_cast<Index>(first.size()));
  const double spread = std::sqrt((values.array() - values.mean()).square().mean());
  EXPECT_NEAR(spread / predicted, 1, 0.3);
}

}  // namespace
}  // namespace relucover
