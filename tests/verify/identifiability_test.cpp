#include "verify/identifiability.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "relucover/samples.hpp"
#include "samples/dependent_units.hpp"

namespace relucover {
namespace {

/// Every ξ whose network equals the given one at many points.
std::vector<std::vector<int>> by_trying_all(const Network& network) {
  const Index m = network.units();
  const RowMatrix x = 3 * RowMatrix::Random(200, network.inputs());
  const RowMatrix values = network.evaluate(x);
  std::vector<std::vector<int>> found;
  for (Index mask = 0; mask < (Index{1} << m); ++mask) {
    std::vector<int> signs;
    for (Index i = 0; i < m; ++i) signs.push_back(mask >> i & 1 ? -1 : 1);
    if ((turned_around(network, signs).evaluate(x) - values).cwiseAbs().maxCoeff() < 1e-9) found.push_back(signs);
  }
  std::sort(found.begin(), found.end());
  return found;
}

TEST(SignIdentifiability, IndependentUnitsAreUnique) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto answer = sign_identifiability(planted_network({.inputs = 10, .units = 8, .seed = seed}));
    EXPECT_TRUE(answer.unique);
    EXPECT_EQ(answer.signs.size(), 1u);
  }
}

TEST(SignIdentifiability, ListsExactlyTheEquivalentNetworksOfDependentUnits) {
  for (const auto& [inputs, units] : {std::pair<Index, Index>{3, 4}, {4, 8}, {5, 12}, {2, 10}})
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const Network network = dependent_network(inputs, units, seed);
      auto answer = sign_identifiability(network);
      EXPECT_FALSE(answer.unique);
      EXPECT_TRUE(answer.complete);
      EXPECT_GE(answer.signs.size(), 2u);
      std::sort(answer.signs.begin(), answer.signs.end());
      EXPECT_EQ(answer.signs, by_trying_all(network)) << inputs << " " << units << " " << seed;
      const Comparison same = compare(network, turned_around(network, answer.signs.front()));
      EXPECT_EQ(same.units_matched, units);
      EXPECT_LT(same.function_rms, 1e-12);
    }
}

TEST(SignIdentifiability, FindsSeveralIndependentCoincidences) {
  // Two disjoint sets of dependent units: four ways to turn them.
  const Network one = dependent_network(3, 4, 5), two = dependent_network(3, 5, 6);
  Network both(6, 9, 1);
  both.W.block(0, 0, 4, 3) = one.W;
  both.W.block(4, 3, 5, 3) = two.W;
  both.A << one.A, two.A;
  auto answer = sign_identifiability(both);
  EXPECT_EQ(answer.signs.size(), 4u);
  EXPECT_EQ(answer.signs.front(), std::vector<int>(9, 1));
  std::sort(answer.signs.begin(), answer.signs.end());
  EXPECT_EQ(answer.signs, by_trying_all(both));
}

TEST(SignIdentifiability, MoreUnitsThanInputsAreUsuallyUnique) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed)
    EXPECT_TRUE(sign_identifiability(planted_network({.inputs = 10, .units = 30, .seed = seed})).unique);
}

TEST(Equivalence, OfTurnedUnitsHoldsExactlyWhereTheirLinearPartsCancel) {
  const Network network = dependent_network(3, 5, 1);
  const std::vector<int> all_turned(5, -1), one_turned = {-1, 1, 1, 1, 1};
  const Equivalence same = equivalence(network, turned_around(network, all_turned));
  EXPECT_TRUE(same.same);
  EXPECT_EQ(same.turned, 5);
  EXPECT_FALSE(equivalence(network, turned_around(network, one_turned)).same);
  Network with_skip = turned_around(network, one_turned);  // relu(t) = relu(-t) + t
  with_skip.skip = network.A(0, 0) * network.W.row(0);
  EXPECT_TRUE(equivalence(network, with_skip).same);
  with_skip.offset[0] = 1e-6;
  EXPECT_FALSE(equivalence(network, with_skip).same);
}

}  // namespace
}  // namespace relucover
