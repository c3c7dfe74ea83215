// The certificate that needs no Gram matrix says what the one that has it says.
#include "solve/large_uncertainty.hpp"

#include <gtest/gtest.h>

#include "core/linear_algebra.hpp"
#include "reduce/reduce.hpp"
#include "solve/preconditioner.hpp"
#include "solve/uncertainty.hpp"
#include "support/free_directions.hpp"
#include "support/planted.hpp"

namespace relucover {
namespace {

/// Eigenvalues of the Gram matrix relative to its Kronecker approximation, by forming both (one output).
Vector relative_eigenvalues(const SampleSource& source, const SignFreeModel& model) {
  const Control control(1);
  GradientSum empty(model, Loss{});
  empty.sign_products = Matrix::Zero(model.units() + 1, model.units() + 1);
  const auto sums = reduce(source, empty, control);
  const Matrix coupling = coupling_of_rows(model, sums.sign_products / static_cast<double>(sums.samples));
  const Matrix moment = second_moment(source, true, control);
  const Index width = moment.rows();
  Matrix approximation(coupling.rows() * width, coupling.rows() * width);
  for (Index i = 0; i < coupling.rows(); ++i)
    for (Index j = 0; j < coupling.rows(); ++j) approximation.block(i * width, j * width, width, width) = coupling(i, j) * moment;
  const Matrix lower = Cholesky(approximation).lower();
  const Matrix gram = full_gram(reduce(source, NormalSum(model, Loss{}), control));
  return symmetric_eigenvalues(solve_lower(lower, solve_lower(lower, gram).transpose()));
}

TEST(LargeUncertainty, BoundsTheLeastEigenvalueAndTheErrorOfUnits) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const auto problem = test::planted({.inputs = 12, .units = 5, .seed = seed}, {.samples = 4000});
    const SignFreeModel model = sign_free(problem.truth);
    const Vector eigenvalues = relative_eigenvalues(problem.samples, model);
    const auto found = large_uncertainty(problem.samples, model, second_moment(problem.samples, true, Control(1)), Control(1));
    ASSERT_TRUE(found.determined);
    EXPECT_TRUE(found.single_precision);
    EXPECT_NEAR(found.least, eigenvalues[0], 0.05 * eigenvalues[0]);
    EXPECT_LE(found.bound, 1.0001 * eigenvalues[0]);
    EXPECT_GE(found.bound, 0.45 * eigenvalues[0]);
    const Uncertainty dense = uncertainty(problem.samples, model, Loss{}, Control(1));
    for (Index i = 0; i < model.units(); ++i) {
      EXPECT_GE(found.unit_error[i], dense.unit_error[i]) << "a bound";
      EXPECT_LE(found.unit_error[i], 30 * dense.unit_error[i]) << "that says something";
    }
  }
}

TEST(LargeUncertainty, SeesOneFreeDirection) {
  for (const auto kind :
       {test::Freedom::constant_input, test::Freedom::in_a_plane, test::Freedom::proportional_inputs, test::Freedom::none}) {
    const auto planted = test::planted_large(20, 4, kind, 5);
    const auto found =
        large_uncertainty(planted.samples, sign_free(planted.network), second_moment(planted.samples, true, Control(1)), Control(1));
    EXPECT_EQ(found.determined, kind == test::Freedom::none) << test::words_of(kind) << ", least eigenvalue " << found.least;
  }
}

TEST(LargeUncertainty, HoldsTheScalesOfUnitsWithSeveralOutputs) {
  const auto problem = test::planted({.inputs = 10, .units = 4, .outputs = 3, .seed = 1}, {.samples = 4000});
  SignFreeModel model = sign_free(problem.truth);
  const Matrix moment = second_moment(problem.samples, true, Control(1));
  EXPECT_TRUE(large_uncertainty(problem.samples, model, moment, Control(1)).determined);
  SignFreeModel twice = with_units(model, {0, 1, 2, 3, 3});  // two equal units: any share of the one is the other's
  twice.output.col(3) *= 0.5;
  twice.output.col(4) *= 0.5;
  EXPECT_FALSE(large_uncertainty(problem.samples, twice, moment, Control(1)).determined);
}

TEST(LargeUncertainty, TakesDoublePrecisionForInputsFarFromZero) {
  const auto problem = test::planted({.inputs = 6, .units = 3, .seed = 2}, {.samples = 3000});
  RowMatrix x = problem.samples.x();
  Network network = problem.truth;
  network.b -= 30 * network.W.rowwise().sum();  // the same function of x + 30
  x.array() += 30;
  const MemorySource<double> shifted(std::move(x), RowMatrix(problem.samples.y()));
  const auto found = large_uncertainty(shifted, sign_free(network), second_moment(shifted, true, Control(1)), Control(1));
  EXPECT_TRUE(found.determined);
  EXPECT_FALSE(found.single_precision);
}

TEST(LargeUncertainty, LargeModelsWithAFreeDirectionAreNotCalledExact) {
  EXPECT_EQ(test::finished_near(test::planted_large(90, 45, test::Freedom::constant_input, 3)).status, Status::approximate);
  EXPECT_EQ(test::finished_near(test::planted_large(90, 45, test::Freedom::none, 3)).status, Status::exact);
}

}  // namespace
}  // namespace relucover
