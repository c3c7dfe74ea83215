#include "moments/label_moments.hpp"

#include <gtest/gtest.h>

#include "support/threshold_planted.hpp"

namespace relucover {
namespace {

// He_k(w.x) for a unit vector w has T_k = k! w^{⊗k} and no other moment; two of them with known weights.
std::unique_ptr<SampleSource> hermite_labels(Index samples, const Vector& w) {
  const auto inputs =
      threshold_samples(planted_threshold_model({.inputs = w.size(), .units = 1, .seed = 1}), {.samples = samples, .seed = 2});
  BlockBuffer<double> buffer;
  const auto block = inputs->read(0, samples, buffer);
  const Eigen::ArrayXd z = (block.x * w).array();
  const RowMatrix y = 0.5 * (z.cube() - 3 * z) + 0.1 * (z.pow(4) - 6 * z.square() + 3);
  return std::make_unique<MemorySource<double>>(RowMatrix(block.x), y);
}

TEST(LabelMoments, AreThoseOfAHermitePolynomialUpToSamplingNoise) {
  Vector w(3);
  w << 0.6, 0, 0.8;
  const auto source = hermite_labels(200'000, w);
  const Matrix identity = Matrix::Identity(3, 3);
  const auto label = [](double y) { return y; };
  const LabelMoments raw = label_moments(*source, label, identity, 4, Control(1));
  // The label is a polynomial of degree 4: with it subtracted once the noise shrinks by much, twice by more.
  const LabelMoments once = refined_moments(*source, label, {identity, raw}, identity, 4, Control(1));
  const LabelMoments twice = refined_moments(*source, label, {identity, once}, identity, 4, Control(1));
  const auto error = [&](const LabelMoments& m) {
    double largest = std::max({std::abs(m.t0), m.t1.cwiseAbs().maxCoeff(), m.t2.cwiseAbs().maxCoeff()});
    for (Index c = 0; c < 3; ++c)
      largest = std::max(largest, (m.t3[static_cast<std::size_t>(c)] - 3 * w[c] * w * w.transpose()).cwiseAbs().maxCoeff());
    for (Index d = 0; d < 3; ++d)
      for (Index c = 0; c <= d; ++c)
        for (Index b = 0; b < 3; ++b)
          for (Index a = 0; a <= b; ++a)
            largest = std::max(largest, std::abs(m.t4(pair_index(a, b), pair_index(c, d)) - 2.4 * w[a] * w[b] * w[c] * w[d]));
    return largest;
  };
  EXPECT_LT(error(raw), 0.5);
  EXPECT_LT(error(once), 0.3 * error(raw));
  EXPECT_LT(error(twice), 0.3 * error(once));
}

TEST(LabelMoments, TurnWithTheBasis) {
  Vector w(3);
  w << 0.6, 0, 0.8;
  const auto source = hermite_labels(5'000, w);
  const auto label = [](double y) { return y; };
  Matrix basis(3, 2);
  basis << 0.6, 0, 0, 1, 0.8, 0;
  const Matrix identity = Matrix::Identity(3, 3);
  const LabelMoments whole = label_moments(*source, label, identity, 4, Control(1));
  // An expansion on the whole space, seen from the basis: the same as measuring there with the expansion subtracted.
  const LabelMoments part = refined_moments(*source, label, {identity, whole}, basis, 4, Control(1));
  const LabelMoments all = refined_moments(*source, label, {identity, whole}, identity, 4, Control(1));
  EXPECT_LT((basis.transpose() * all.t2 * basis - part.t2).norm(), 1e-10);
  double t4 = 0;  // T_4(w, w, w, w)
  for (Index i = 0; i < 81; ++i) {
    const Index a = i % 3, b = i / 3 % 3, c = i / 9 % 3, d = i / 27;
    t4 += w[a] * w[b] * w[c] * w[d] * all.t4(pair_index(std::min(a, b), std::max(a, b)), pair_index(std::min(c, d), std::max(c, d)));
  }
  EXPECT_NEAR(part.t4(0, 0), t4, 1e-9);
}

}  // namespace
}  // namespace relucover
