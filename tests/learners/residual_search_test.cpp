#include "learners/prune/residual_search.hpp"

#include <gtest/gtest.h>

#include "relucover/samples.hpp"
#include "samples/subsample.hpp"
#include "solve/levenberg_marquardt.hpp"

namespace relucover {
namespace {

const Control one_thread(1);

double cost(const SampleSource& source, const SignFreeModel& model) {
  return relative_cost(source, model, Loss{}, label_variance(source, one_thread), one_thread);
}

TEST(Scaling, ThereAndBackIsTheSameFunction) {
  const Network truth = planted_network({.inputs = 6, .units = 4, .outputs = 2, .seed = 3});
  const auto source = synthetic_samples(truth, {.samples = 3000, .distribution = InputDistribution::parse("correlated:100"), .seed = 3});
  const InputMoments moments = input_moments(*source, one_thread);
  const Scaling scaling = scaling_of(moments);
  const SignFreeModel white = scaled(sign_free(truth), scaling, moments);
  EXPECT_LT(cost(search_data(*source, scaling, 1000, 1, one_thread).fit, white), 1e-26);
  EXPECT_LT(cost(*source, unscaled(white, scaling)), 1e-26);
}

/// 40 inputs and 6 units: the subspace is a fifth of the space.
class ResidualSearchOnPlanted : public testing::TestWithParam<int> {
 protected:
  Network truth = planted_network({.inputs = 40, .units = 6, .seed = static_cast<std::uint64_t>(GetParam())});
  MemorySource<double> source =
      gather(*synthetic_samples(truth, {.samples = 30000, .seed = static_cast<std::uint64_t>(GetParam())}), 0, 30000, one_thread);
  InputMoments moments = input_moments(source, one_thread);
  Scaling scaling = scaling_of(moments);
  Result result;
  ResidualSearch search{source, moments, scaling, one_thread, result};
};

TEST_P(ResidualSearchOnPlanted, LeavesAFewPercentBesideTheAffineFit) {
  const SignFreeModel found = search.first_units(6, Effort::quick, 1);
  EXPECT_GE(found.units(), 6);
  EXPECT_LT(cost(source, found), 0.05);
}

TEST_P(ResidualSearchOnPlanted, FindsAUnitThatIsMissing) {
  const SignFreeModel whole = sign_free(truth);
  const SignFreeModel missing = with_units(whole, {0, 1, 2, 4, 5});
  const double before = cost(source, missing);
  const SignFreeModel found = search.with_units_beside(missing, before, 1, Effort::thorough, 1);
  EXPECT_LT(cost(source, found), 0.1 * before);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ResidualSearchOnPlanted, testing::Values(1, 2, 3));

}  // namespace
}  // namespace relucover
