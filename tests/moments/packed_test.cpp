#include "moments/packed.hpp"

#include <gtest/gtest.h>

#include "core/random.hpp"
#include "moments/polynomials.hpp"

namespace relucover {
namespace {

TEST(PackedIndex, ListsEveryMultisetOnceAtItsPlace) {
  for (Index order = 0; order <= 5; ++order) {
    const PackedIndex index(4, order);
    double orderings = 0;
    for (Index place = 0; place < index.size(); ++place) {
      EXPECT_EQ(PackedIndex::place(index.tuple(place), order), place);
      orderings += index.multiplicity(place);
    }
    EXPECT_EQ(orderings, std::pow(4.0, static_cast<double>(order)));
  }
}

TEST(SymmetricTensor, FlattenedPowersAreRankOne) {
  RandomStream random(1, purpose::study);
  const Vector w = random.normal_vector(4), v = random.normal_vector(4);
  SymmetricTensor tensor(4, 5);
  add_power(tensor, 2.0, w);
  add_power(tensor, -0.5, v);
  const Matrix flat = flatten(tensor, 2);
  const Matrix expected =
      2 * weighted_power(w, 2) * weighted_power(w, 3).transpose() - 0.5 * weighted_power(v, 2) * weighted_power(v, 3).transpose();
  EXPECT_LT((flat - expected).norm(), 1e-12);
  EXPECT_NEAR(weighted_power(w, 3).norm(), std::pow(w.norm(), 3), 1e-12);
  EXPECT_NEAR(tensor.at({3, 0, 1, 0, 2}), 2 * w[0] * w[0] * w[1] * w[2] * w[3] - 0.5 * v[0] * v[0] * v[1] * v[2] * v[3], 1e-12);
  EXPECT_NEAR(tensor.squared_norm(), flat.squaredNorm(), 1e-10);
}

TEST(Contraction, EqualsTheSumOverIndices) {
  RandomStream random(2, purpose::study);
  const Index d = 3;
  SymmetricTensor tensor(d, 4);
  tensor.values = random.normal_vector(tensor.values.size());
  Matrix v = random.normal_matrix(d, d);
  v = (v + v.transpose()).eval();
  Vector packed(packed_size(d, 2));
  const PackedIndex pairs(d, 2);
  for (Index p = 0; p < pairs.size(); ++p) packed[p] = v(pairs.tuple(p)[0], pairs.tuple(p)[1]);
  const SymmetricTensor contracted = Contraction(tensor, 2)(packed);
  for (int i = 0; i < d; ++i)
    for (int j = 0; j < d; ++j) {
      double sum = 0;
      for (int k = 0; k < d; ++k)
        for (int l = 0; l < d; ++l) sum += tensor.at({i, j, k, l}) * v(k, l);
      EXPECT_NEAR(contracted.at({i, j}), sum, 1e-12);
    }
}

TEST(NearestPower, InvertsPowersUpToSign) {
  RandomStream random(3, purpose::study);
  for (Index order = 1; order <= 4; ++order) {
    const Vector w = random.normal_vector(5).normalized();
    const Vector found = nearest_power(weighted_power(w, order), 5, order);
    EXPECT_LT(std::min((found - w).norm(), order % 2 ? 9.0 : (found + w).norm()), 1e-12) << order;
  }
}

}  // namespace
}  // namespace relucover
