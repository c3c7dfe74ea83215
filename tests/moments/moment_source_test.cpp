#include "moments/moment_source.hpp"

#include <gtest/gtest.h>

#include "core/random.hpp"
#include "moments/subspace.hpp"

namespace relucover {
namespace {

EstimatedMoments estimate(const SampleSource& source) {
  const InputMoments moments = input_moments(source, Control(2));
  return EstimatedMoments(source, moments, whitening_of(moments), Vector::Ones(1));
}

TEST(ExactMoments, AreTheLimitOfSampleAverages) {
  const Network network = planted_network({.inputs = 3, .units = 3, .seed = 4});
  const auto source = synthetic_samples(network, {.samples = 400000, .seed = 5});
  const ExactMoments exact(network);
  const EstimatedMoments estimated = estimate(*source);
  const Matrix directions = Matrix::Identity(3, 3);
  const auto truth = exact.moments(directions, 6, Control());
  const auto measured = estimated.moments(directions, 6, Control(2));
  // Whitening by the Cholesky factor keeps the axes, so both are in the same coordinates up to sampling error.
  for (Index k = 0; k <= 6; ++k) {
    const auto i = static_cast<std::size_t>(k);
    SymmetricTensor difference = measured.tensors[i];
    difference.values -= truth.tensors[i].values;
    EXPECT_LT(std::sqrt(difference.squared_norm()), 4 * measured.noise[i] + 0.02) << k;
    EXPECT_GT(std::sqrt(truth.tensors[i].squared_norm()), 2 * std::sqrt(difference.squared_norm())) << k;
  }
  EXPECT_NEAR(exact.label_variance(), estimated.label_variance(), 0.02 * exact.label_variance());
}

TEST(EstimatedMoments, SecondMomentAsMatrixAsOperatorAndAsTensorAgree) {
  const auto source = synthetic_samples(planted_network({.inputs = 6, .units = 3, .seed = 1}),
                                        {.samples = 5000, .distribution = InputDistribution::parse("correlated:100"), .seed = 2});
  const EstimatedMoments estimated = estimate(*source);
  const Matrix second = estimated.second_moment(Control(1));
  RandomStream random(1, purpose::study);
  const Matrix vectors = random.normal_matrix(6, 2);
  EXPECT_LT((estimated.second_moment_times(vectors, Control(1)) - second * vectors).norm(), 1e-10);
  const Matrix directions = random_orthonormal(6, 3, random).transpose();
  const auto moments = estimated.moments(directions, 2, Control(1));
  const Matrix small = directions * second * directions.transpose();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) EXPECT_NEAR(moments.tensors[2].at({i, j}), small(i, j), 0.05);
}

TEST(Subspace, SpansTheWeightsAndShowsTheirNumber) {
  const Network network = planted_network({.inputs = 12, .units = 4, .seed = 3});
  const ExactMoments exact(network);
  const Subspace found = subspace_of(exact, 4, {}, Control());
  EXPECT_EQ(found.directions.rows(), 4);
  EXPECT_EQ(count_by_spectrum(found.spectrum, true), 4);
  EXPECT_LT((network.W - network.W * found.directions.transpose() * found.directions).norm(), 1e-10);
}

TEST(Subspace, RangeFinderSeesWhatTheMatrixShows) {
  const auto source = synthetic_samples(planted_network({.inputs = 40, .units = 3, .seed = 3}), {.samples = 20000, .seed = 2});
  const InputMoments moments = input_moments(*source, Control(2));
  const EstimatedMoments formed(*source, moments, whitening_of(moments), Vector::Ones(1));
  const EstimatedMoments operated(*source, moments, whitening_of(moments), Vector::Ones(1), {.operator_above = 10});
  const Subspace a = subspace_of(formed, 3, {}, Control(2)), b = subspace_of(operated, 3, {}, Control(2));
  ASSERT_EQ(a.directions.rows(), b.directions.rows());
  EXPECT_LT((a.spectrum.head(3) - b.spectrum.head(3)).cwiseAbs().maxCoeff(), 1e-3 * std::abs(a.spectrum[0]));
  EXPECT_NEAR((a.directions.topRows(3) * b.directions.topRows(3).transpose()).norm(), std::sqrt(3.0), 1e-2);
}

}  // namespace
}  // namespace relucover
