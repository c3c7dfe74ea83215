#include <gtest/gtest.h>

#include "core/linear_algebra.hpp"
#include "core/random.hpp"
#include "samples/hard_instances.hpp"
#include "samples/subsample.hpp"
#include "vector/planted.hpp"

namespace relucover {
namespace {

/// Whether some choice of the values that the instance forces on each coordinate is a network that explains it.
bool has_network(const SixSat& formula) {
  const auto instance = network_instance(formula);
  for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << formula.variables); ++bits) {
    std::vector<bool> assignment;
    for (Index i = 0; i < formula.variables; ++i) assignment.push_back((bits >> i) & 1);
    if ((network_of_assignment(formula, assignment).evaluate(instance.x()) - instance.y()).cwiseAbs().maxCoeff() < 1e-12) return true;
  }
  return false;
}

TEST(HardInstances, HaveANetworkExactlyWhenTheFormulaIsSatisfiable) {
  int satisfiable = 0, unsatisfiable = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const SixSat formula = reversible(random_six_sat(5, seed % 2 ? 10 : 120, seed));
    const auto models = satisfying_assignments(formula);
    EXPECT_EQ(has_network(formula), !models.empty());
    if (models.empty()) {
      ++unsatisfiable;
      continue;
    }
    ++satisfiable;
    const auto instance = network_instance(formula);
    EXPECT_TRUE((network_of_assignment(formula, models[0]).evaluate(instance.x()) - instance.y()).isZero(1e-12));
  }
  EXPECT_GT(satisfiable, 0);
  EXPECT_GT(unsatisfiable, 0);
}

TEST(HardInstances, RefuseLiteralsThatAreNotVariables) {
  EXPECT_THROW(network_instance({2, {{1, 2, -1, -2, 3, 1}}}), std::invalid_argument);
}

TEST(HardInstances, PairsAgreeOutsideTheirWedge) {
  const double a = 0.01;
  const auto [one, two] = indistinguishable_pair(a);
  RandomStream random(1, purpose::study);
  RowMatrix x = random.normal_matrix(2000, 2);
  const RowMatrix difference = one.evaluate(x) - two.evaluate(x);
  int differ = 0;
  for (Index i = 0; i < x.rows(); ++i) {
    if (std::abs(x(i, 0)) > 2 * a * std::abs(x(i, 1))) {
      EXPECT_NEAR(difference(i, 0), 0, 1e-14);
    }
    differ += std::abs(difference(i, 0)) > 1e-12;
  }
  EXPECT_GT(differ, 0);
  EXPECT_LT(differ, 100);
}

TEST(HardInstances, CorruptTheShareAskedFor) {
  const Planted planted = planted_vector({6, 3, 10}, of_samples(5000), 1);
  const auto bad = corrupted(*planted.source, 0.05, 100, 2);
  const auto good = gather(*planted.source, 0, 5000, Control(1));
  EXPECT_NEAR(static_cast<double>((bad.y() - good.y()).cwiseAbs().cwiseSign().sum()) / 50000.0, 0.05, 0.005);
  EXPECT_EQ(bad.x(), good.x());
}

TEST(HardInstances, MirrorImagesMakeInputsSymmetric) {
  const Network truth = vector_network({4, 2, 3});
  const auto source = synthetic_samples(truth, of_samples(500, "exponential"));
  const auto both = with_mirror_images(*source, [&](const RowMatrix& x) { return truth.evaluate(x); });
  EXPECT_LE(both.x().colwise().sum().norm(), 1e-10);
  EXPECT_LE((truth.evaluate(both.x()) - both.y()).norm(), 1e-12);
}

TEST(VectorNetwork, HasTheConditionAskedFor) {
  const Network network = vector_network({.inputs = 8, .units = 5, .outputs = 6, .weight_condition = 100, .output_condition = 7});
  const Vector w = singular_values(network.W), a = singular_values(network.A);
  EXPECT_NEAR(w[0] / w[4], 100, 1e-9);
  EXPECT_NEAR(a[0] / a[4], 7, 1e-12);
}

}  // namespace
}  // namespace relucover
