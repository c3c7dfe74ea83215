#include "decompose/pencil.hpp"

#include <gtest/gtest.h>

#include "core/linear_algebra.hpp"
#include "core/random.hpp"
#include "decompose/jennrich.hpp"
#include "decompose/relu_units.hpp"
#include "decompose/scoring.hpp"
#include "moments/hermite.hpp"

namespace relucover {
namespace {

double worst_angle(const Matrix& truth, const Matrix& found) {
  double worst = 0;
  for (Index i = 0; i < truth.rows(); ++i) worst = std::max(worst, 1 - (found * truth.row(i).transpose()).cwiseAbs().maxCoeff());
  return worst;
}

TEST(SolvePencil, GivesTheDualBasisOfTheCommonFactors) {
  RandomStream random(1, purpose::study);
  const Matrix w = random.normal_matrix(5, 5);
  const Matrix b = w.transpose() * random.normal_vector(5).asDiagonal() * w;
  const Matrix c = w.transpose() * random.normal_vector(5).asDiagonal() * w;
  const auto eigen = solve_pencil(c, b);
  ASSERT_TRUE(eigen.real);
  const Matrix overlap = w * eigen.vectors;  // each eigenvector sees one factor only
  for (Index j = 0; j < 5; ++j) EXPECT_NEAR(overlap.col(j).cwiseAbs().maxCoeff() / overlap.col(j).norm(), 1.0, 1e-12);
}

TEST(DecomposeTensor, EveryAlgorithmFindsAllTermsOfAnOrderThreeAndFourTensor) {
  for (const auto which : {Decomposition::jennrich, Decomposition::power, Decomposition::als})
    for (const Index order : {3, 4}) {
      RandomStream random(static_cast<std::uint64_t>(order), purpose::study);
      Matrix w = random.normal_matrix(4, 7);
      w.rowwise().normalize();
      const Vector weights{{1.0, -0.7, 0.5, 1.3}};
      SymmetricTensor tensor(7, order);
      for (Index i = 0; i < 4; ++i) add_power(tensor, weights[i], w.row(i).transpose());
      const auto terms = decompose_tensor(tensor, {.algorithm = which, .max_rank = 4}, Control());
      ASSERT_EQ(terms.count(), 4) << static_cast<int>(which) << " " << order;
      EXPECT_LT(worst_angle(w, terms.directions), 1e-9) << static_cast<int>(which) << " " << order;
      SymmetricTensor left = tensor;
      for (Index i = 0; i < 4; ++i) add_power(left, -terms.weights[i], terms.directions.row(i).transpose());
      EXPECT_LT(left.squared_norm(), 1e-14) << static_cast<int>(which) << " " << order;
    }
}

TEST(RecoverScalars, InvertsTheCoefficientsForEveryTupleOrder) {
  const Network network = planted_network({.inputs = 5, .units = 4, .seed = 8});
  const auto moments = ExactMoments(network).moments(Matrix::Identity(5, 5), 6, Control());
  for (const Index tuple_order : {1, 2, 3}) {
    const ReluUnits units = recover_scalars(moments, network.W, tuple_order);
    EXPECT_LT((units.b - network.b).norm(), 1e-9) << tuple_order;
    EXPECT_LT((units.a - network.A.row(0).transpose()).norm(), 1e-9) << tuple_order;
    EXPECT_LT(moment_risk(moments, units, 2, 6), 1e-18);
  }
}

TEST(FixSigns, MarginRuleIsRightWhereTheSignOfZIsNot) {
  int margin_right = 0, printed_right = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Network network = planted_network({.inputs = 12, .units = 6, .bias = 1.5, .seed = seed});
    const auto moments = ExactMoments(network).moments(Matrix::Identity(12, 12), 1, Control());
    RandomStream random(seed, purpose::study);
    ReluUnits turned{network.W, network.b, network.A.row(0).transpose()};
    for (Index i = 0; i < 6; ++i) {
      const double sign = random.sign();
      turned.w.row(i) *= sign;
      turned.b[i] *= sign;
    }
    // A sampling error of the size that 1e4 samples leave.
    const Vector first = moments.tensors[1].values + 0.01 * random.normal_vector(12);
    const auto right = [&](SignRule rule) { return (fix_signs(turned, first, rule).w - network.W).norm() < 1e-9; };
    margin_right += right(SignRule::margin);
    printed_right += right(SignRule::printed);
  }
  EXPECT_EQ(margin_right, 100);
  EXPECT_LT(printed_right, 100);
}

TEST(ScoreCandidates, TheTruthIsBestAndLeavesNothing) {
  const Network network = planted_network({.inputs = 4, .units = 3, .seed = 2});
  const auto source = synthetic_samples(network, {.samples = 3000, .seed = 1});
  const View view{Matrix::Identity(4, 4), Vector::Zero(4), Vector::Ones(1)};
  RandomStream random(3, purpose::study);
  std::vector<Candidate> candidates(3);
  for (Candidate& candidate : candidates) candidate.forms = random.normal_matrix(3, 5);
  candidates[1].forms << network.W, network.b;
  score_candidates(*source, view, candidates, 3000, Control(1));
  EXPECT_LT(candidates[0].residual, 1e-12);
  EXPECT_GT(candidates[1].residual, 1e-4);
  EXPECT_LT((candidates[0].output.row(0) - network.A.row(0) / 2).norm(), 1e-6);
}

}  // namespace
}  // namespace relucover
