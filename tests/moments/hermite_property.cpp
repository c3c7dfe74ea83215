#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "core/random.hpp"
#include "moments/hermite.hpp"
#include "moments/packed.hpp"
#include "moments/polynomials.hpp"

namespace relucover {
namespace {

struct Shape {
  Index dimension, order;
};
Shape any_shape() { return {*rc::gen::inRange<Index>(1, 6), *rc::gen::inRange<Index>(1, 7)}; }
RandomStream any_stream() { return RandomStream(*rc::gen::inRange<std::uint64_t>(0, 1u << 30), purpose::study); }
double scale_of(double value) { return std::max(1.0, std::abs(value)); }

RC_GTEST_PROP(PackedIndex, PlacesAreABijectionAndOrderingsAddUp, ()) {
  const auto [d, k] = any_shape();
  const PackedIndex index(d, k);
  RC_ASSERT(index.size() == packed_size(d, k));
  for (Index place = 0; place < index.size(); ++place) {
    RC_ASSERT(std::is_sorted(index.tuple(place), index.tuple(place) + k));
    RC_ASSERT(PackedIndex::place(index.tuple(place), k) == place);
  }
  RC_ASSERT(index.multiplicities().sum() == std::pow(static_cast<double>(d), static_cast<double>(k)));
}

RC_GTEST_PROP(SymmetricTensor, FlatteningKeepsTheNormAndMakesPowersRankOne, ()) {
  const auto [d, k] = any_shape();
  const Index rows = *rc::gen::inRange<Index>(0, k + 1);
  RandomStream random = any_stream();
  const Vector w = random.normal_vector(d);
  SymmetricTensor tensor(d, k);
  add_power(tensor, -1.5, w);
  const Matrix expected = -1.5 * weighted_power(w, rows) * weighted_power(w, k - rows).transpose();
  RC_ASSERT((flatten(tensor, rows) - expected).norm() <= 1e-12 * scale_of(expected.norm()));
  tensor.values = random.normal_vector(tensor.values.size());
  RC_ASSERT(std::abs(flatten(tensor, rows).squaredNorm() - tensor.squared_norm()) <= 1e-10 * scale_of(tensor.squared_norm()));
}

RC_GTEST_PROP(SymmetricTensor, ContractingAPowerMultipliesByTheInnerProduct, ()) {
  const auto [d, k] = any_shape();
  const Index contracted = *rc::gen::inRange<Index>(1, k + 1);
  RandomStream random = any_stream();
  const Vector w = random.normal_vector(d), u = random.normal_vector(d);
  SymmetricTensor tensor(d, k);
  add_power(tensor, 1.0, w);
  const SymmetricTensor left = Contraction(tensor, contracted)(packed_power(u, contracted));
  const Vector expected = std::pow(w.dot(u), static_cast<double>(contracted)) * packed_power(w, k - contracted);
  RC_ASSERT((left.values - expected).norm() <=
            1e-11 * scale_of(std::pow(w.norm(), static_cast<double>(k)) * std::pow(u.norm(), static_cast<double>(contracted))));
}

RC_GTEST_PROP(SymmetricTensor, NearestPowerOfAPowerIsItsDirection, ()) {
  const auto [d, k] = any_shape();
  RandomStream random = any_stream();
  const Vector w = random.normal_vector(d).normalized();
  const Vector found = nearest_power(weighted_power(w, k), d, k);
  RC_ASSERT(std::abs(std::abs(found.dot(w)) - 1) < 1e-10);
  if (k % 2) RC_ASSERT(found.dot(w) > 0);
}

/// He_k along a unit vector: <w^{⊗k}, He_k(x)> = He_k(w·x), all coordinates at once.
RC_GTEST_PROP(HermiteFeatures, AreTheTensorWhoseContractionIsTheScalarPolynomial, ()) {
  const auto [d, k] = any_shape();
  RandomStream random = any_stream();
  const Vector w = random.normal_vector(d).normalized();
  const Matrix z = random.normal_matrix(5, d);
  const Vector weights = PackedIndex(d, k).multiplicities().cwiseProduct(packed_power(w, k));
  const Vector contracted = hermite_features(z, k).back() * weights;
  for (Index n = 0; n < z.rows(); ++n)
    RC_ASSERT(std::abs(contracted[n] - hermite(k, z.row(n).dot(w))) <= 1e-9 * scale_of(std::pow(z.row(n).norm(), static_cast<double>(k))));
}

RC_GTEST_PROP(HermiteFeatures, NormsByMehlerAreTheSumOfSquares, ()) {
  const auto [d, k] = any_shape();
  RandomStream random = any_stream();
  const Matrix z = random.normal_matrix(4, d);
  const Vector squares = hermite_features(z, k).back().cwiseAbs2() * PackedIndex(d, k).multiplicities();
  const Vector by_formula = hermite_tensor_squared_norms(z, k);
  for (Index n = 0; n < z.rows(); ++n) RC_ASSERT(std::abs(squares[n] - by_formula[n]) <= 1e-8 * scale_of(squares[n]));
}

RC_GTEST_PROP(ResidualMoments, AreTheMeanOfLabelTimesHermiteFeatures, ()) {
  const auto [d, k] = any_shape();
  RandomStream random = any_stream();
  const Index samples = *rc::gen::inRange<Index>(1, 400);
  const RowMatrix x = random.normal_matrix(samples, d), y = random.normal_matrix(samples, 1);
  const MemorySource<double> source(x, y);
  const View view{Matrix::Identity(d, d), Vector::Zero(d), Vector::Ones(1)};
  const SymmetricTensor fast = hermite_from_raw(residual_moments(source, view, {{k, {}}}, Control(1))[0].raw);
  const Vector slow = hermite_features(x, k).back().transpose() * y.col(0) / static_cast<double>(samples);
  RC_ASSERT((fast.values - slow).cwiseAbs().maxCoeff() <= 1e-10 * scale_of(std::pow(x.cwiseAbs().maxCoeff() + 1, static_cast<double>(k))));
}

/// T_k of a unit as given and turned around: relu(t) - relu(-t) = t has no moment of order 2 or more.
RC_GTEST_PROP(ReluCoefficients, TurningAUnitAroundChangesOrdersZeroAndOneOnly, ()) {
  const double bias = *rc::gen::inRange(-3000, 3000) / 1000.0;
  for (Index k = 2; k <= 8; ++k)
    RC_ASSERT(std::abs(relu_hermite_coefficient(k, bias) - (k % 2 ? -1 : 1) * relu_hermite_coefficient(k, -bias)) < 1e-12);
  RC_ASSERT(std::abs(relu_hermite_coefficient(0, bias) - relu_hermite_coefficient(0, -bias) - bias) < 1e-12);
  RC_ASSERT(std::abs(relu_hermite_coefficient(1, bias) + relu_hermite_coefficient(1, -bias) - 1) < 1e-12);
}

}  // namespace
}  // namespace relucover
