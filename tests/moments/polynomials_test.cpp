#include "moments/polynomials.hpp"

#include <gtest/gtest.h>

#include "core/random.hpp"
#include "moments/hermite.hpp"

namespace relucover {
namespace {

View plain_view(Index d) { return {Matrix::Identity(d, d), Vector::Zero(d), Vector::Ones(1)}; }

/// (1/N) Σ y He_k(x), one product of one-dimensional polynomials per index tuple and sample.
SymmetricTensor by_loops(const RowMatrix& x, const Vector& y, Index order) {
  SymmetricTensor tensor(x.cols(), order);
  const PackedIndex index(x.cols(), order);
  for (Index place = 0; place < index.size(); ++place) {
    std::vector<Index> counts(static_cast<std::size_t>(x.cols()), 0);
    for (Index t = 0; t < order; ++t) ++counts[static_cast<std::size_t>(index.tuple(place)[t])];
    double sum = 0;
    for (Index n = 0; n < x.rows(); ++n) {
      double product = y[n];
      for (Index i = 0; i < x.cols(); ++i) product *= hermite(counts[static_cast<std::size_t>(i)], x(n, i));
      sum += product;
    }
    tensor.values[place] = sum / static_cast<double>(x.rows());
  }
  return tensor;
}

TEST(Features, AreProductsOfPolynomials) {
  RandomStream random(1, purpose::study);
  const Matrix z = random.normal_matrix(7, 3);
  const auto hermites = hermite_features(z, 6);
  const auto monomials = monomial_features(z, 6);
  for (Index order = 0; order <= 6; ++order) {
    const PackedIndex index(3, order);
    for (Index place = 0; place < index.size(); ++place)
      for (Index n = 0; n < z.rows(); ++n) {
        double power = 1, polynomial = 1;
        for (int i = 0; i < 3; ++i) {
          const auto count = std::count(index.tuple(place), index.tuple(place) + order, i);
          power *= std::pow(z(n, i), static_cast<double>(count));
          polynomial *= hermite(count, z(n, i));
        }
        EXPECT_NEAR(monomials[static_cast<std::size_t>(order)](n, place), power, 1e-10 * (1 + std::abs(power)));
        EXPECT_NEAR(hermites[static_cast<std::size_t>(order)](n, place), polynomial, 1e-10 * (1 + std::abs(polynomial)));
      }
  }
}

TEST(HermiteTensor, SquaredNormIsTheSumOverTuples) {
  RandomStream random(5, purpose::study);
  const Matrix z = random.normal_matrix(6, 3);
  const auto features = hermite_features(z, 7);
  for (Index order = 0; order <= 7; ++order) {
    const Vector direct = features[static_cast<std::size_t>(order)].cwiseAbs2() * PackedIndex(3, order).multiplicities();
    EXPECT_LT((hermite_tensor_squared_norms(z, order) - direct).norm(), 1e-11 * (1 + direct.norm())) << order;
  }
}

TEST(ResidualMoments, EqualTheIndexLoopForEveryOrder) {
  RandomStream random(2, purpose::study);
  const RowMatrix x = random.normal_matrix(3001, 3);
  const RowMatrix y = random.normal_matrix(3001, 1);
  const MemorySource<double> source(x, y);
  std::vector<MomentRequest> requests;
  for (Index order = 0; order <= 8; ++order) requests.push_back({order, {}});
  const auto moments = residual_moments(source, plain_view(3), requests, Control(2));
  for (Index order = 0; order <= 8; ++order) {
    const SymmetricTensor fast = hermite_from_raw(moments[static_cast<std::size_t>(order)].raw);
    const SymmetricTensor slow = by_loops(x, y.col(0), order);
    EXPECT_LT((fast.values - slow.values).cwiseAbs().maxCoeff(), 1e-11 * (1 + slow.values.cwiseAbs().maxCoeff())) << order;
  }
}

TEST(FitPolynomials, RemovesPolynomialsExactlyAndLeavesLowerMomentsZero) {
  RandomStream random(3, purpose::study);
  const RowMatrix x = random.normal_matrix(4000, 3);
  const Vector cubic = x.col(0).array() * x.col(1).array() * x.col(2).array() - 2 * x.col(1).array().cube() + 0.3;
  const Vector rest = (x.col(0).array() + 0.4).abs();
  const MemorySource<double> source(x, cubic + rest), alone(x, rest);
  const auto fits = fit_polynomials(source, plain_view(3), 3, Control(1));
  const auto fits_alone = fit_polynomials(alone, plain_view(3), 3, Control(1));
  std::vector<MomentRequest> requests{{2, fits[3]}, {3, fits[3]}, {4, fits[3]}};
  const auto with = residual_moments(source, plain_view(3), requests, Control(1));
  for (auto& request : requests) request.removed = fits_alone[3];
  const auto without = residual_moments(alone, plain_view(3), requests, Control(1));
  EXPECT_LT(with[0].raw[0].values.norm(), 1e-11);
  EXPECT_LT(with[1].raw[0].values.norm(), 1e-11);
  EXPECT_LT((with[2].raw[0].values - without[2].raw[0].values).norm(), 1e-10);
  EXPECT_NEAR(with[2].spread, without[2].spread, 1e-8 * with[2].spread);
}

}  // namespace
}  // namespace relucover
