// The preconditioner of conjugate gradients: its sums against the Gram matrix, its symmetry, and the steps it saves.
#include "solve/preconditioner.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/linear_algebra.hpp"
#include "core/random.hpp"
#include "reduce/reduce.hpp"
#include "solve/normal_equations.hpp"
#include "support/planted.hpp"

namespace relucover {
namespace {

SignFreeModel disturbed(const Network& truth, double size) {
  SignFreeModel model = sign_free(truth);
  RandomStream random(7, purpose::study);
  model.theta += size * random.normal_matrix(model.units(), model.inputs() + 1);
  return model;
}

TEST(Preconditioner, KnowsTheGramMatrixAlongTheUnitsOwnDirections) {
  const auto problem = test::planted({.inputs = 5, .units = 3, .seed = 4}, {.samples = 700});
  const SignFreeModel at = disturbed(problem.truth, 0.1);
  SignPattern pattern(700, 3);
  GradientSum first_order(at, Loss{});
  first_order.pattern = &pattern;
  reduce(problem.samples, first_order, Control(1));
  const Matrix gram = full_gram(reduce(problem.samples, NormalSum(at, Loss{}), Control(1)));
  const RowDirections own(at);
  Matrix columns(gram.rows(), own.forms.rows());
  for (Index k = 0; k < columns.cols(); ++k) {
    Matrix step = Matrix::Zero(4, 6);
    own.add(Vector::Unit(columns.cols(), k), step);
    columns.col(k) = step.transpose().reshaped();
    EXPECT_NEAR(own.along(step)[k], own.forms.row(k).squaredNorm(), 1e-14);
  }
  const Matrix expected = columns.transpose() * gram * columns;
  const Matrix seen = reduce(problem.samples, OwnDirectionSum(at, pattern, true), Control(1)).products / 700;
  EXPECT_LT((seen - expected).norm(), 1e-6 * expected.norm());
}

TEST(Preconditioner, IsSymmetricAndPositiveEvenWithEqualUnits) {
  const auto problem = test::planted({.inputs = 5, .units = 3, .seed = 4}, {.samples = 700});
  SignFreeModel at = disturbed(problem.truth, 0);
  at.theta.row(1) = at.theta.row(0);
  SignPattern pattern(700, 3);
  GradientSum empty(at, Loss{});
  empty.pattern = &pattern;
  empty.sign_products = Matrix::Zero(4, 4);
  const auto sums = reduce(problem.samples, empty, Control(1));
  const Matrix moment = second_moment(problem.samples, true, Control(1));
  const Matrix moment_inverse = inverse_of_moment(moment);
  Preconditioner preconditioner(coupling_of_rows(at, sums.sign_products / 700), moment, moment_inverse);
  preconditioner.correct_along(RowDirections(at), reduce(problem.samples, OwnDirectionSum(at, pattern, true), Control(1)).products / 700);
  preconditioner.damp(1e-12);
  Matrix inverse(24, 24);
  for (Index k = 0; k < 24; ++k) inverse.col(k) = preconditioner.inverse_times(Vector::Unit(24, k).reshaped(4, 6)).reshaped();
  EXPECT_LT((inverse - inverse.transpose()).norm(), 1e-6 * inverse.norm());
  EXPECT_GT(symmetric_eigenvalues(inverse + inverse.transpose())[0], 0);
}

// Signs are turned eight at a time, and the rest one by one.
TEST(SignPattern, ProductsFromStoredSignsAreThoseFromTheData) {
  for (const Index units : {3, 8, 11, 70})
    for (const Index outputs : {1, 3}) {
      const auto problem = test::planted({.inputs = 5, .units = units, .outputs = outputs, .seed = 4}, {.samples = 300});
      const SignFreeModel at = disturbed(problem.truth, 0.1), direction = disturbed(problem.truth, 1);
      SignPattern pattern(300, units);
      GradientSum first_order(at, Loss{});
      first_order.pattern = &pattern;
      reduce(problem.samples, first_order, Control(1));
      const SignFreeModel expected = reduce(problem.samples, CurvatureSum(at, direction, Loss{}), Control(1)).product;
      SignFreeModel seen = reduce(problem.samples, PatternCurvatureSum<double>(at, pattern, direction, true), Control(1)).product;
      EXPECT_LT(std::sqrt(seen.add(-1, expected).dot(seen)), 1e-13 * std::sqrt(expected.dot(expected)))
          << units << " units, " << outputs << " outputs";
    }
}

Index iterations_of_a_precise_step(const SampleSource& samples, const SignFreeModel& at) {
  LinearisationOptions options;
  options.form = LinearisationOptions::Form::matrix_free;
  options.second_moment = second_moment(samples, true, Control(1));
  options.moment_inverse = inverse_of_moment(options.second_moment);
  options.max_inner_iterations = 500;
  const Step step = linearise(samples, at, options, Control(1))->step(1e-12, 1e-5, Control(1));
  EXPECT_TRUE(step.solved);
  return step.inner_iterations;
}

// The block diagonal takes more than 50.
TEST(Preconditioner, MakesPreciseStepsShort) {
  const auto problem = test::planted({.inputs = 60, .units = 12, .seed = 2}, {.samples = 12000});
  EXPECT_LE(iterations_of_a_precise_step(problem.samples, disturbed(problem.truth, 1e-6)), 22);
}

// Several outputs: the Kronecker product alone (the block diagonal takes 107).
TEST(Preconditioner, HelpsWithSeveralOutputs) {
  const auto problem = test::planted({.inputs = 40, .units = 8, .outputs = 3, .seed = 2}, {.samples = 6000});
  EXPECT_LE(iterations_of_a_precise_step(problem.samples, disturbed(problem.truth, 1e-6)), 75);
}

}  // namespace
}  // namespace relucover
