// Noisy labels of deep networks before the gate: what may be claimed, and what must not.
#include <gtest/gtest.h>

#include <cmath>

#include "core/random.hpp"
#include "relucover/relucover.hpp"
#include "solve/layered_descent.hpp"
#include "support/layered_models.hpp"
#include "verify/gate.hpp"

namespace relucover {
namespace {

constexpr Index samples = 3000;
constexpr double noise = 0.01;

RowMatrix normal_inputs() { return RandomStream(3, purpose::study).normal_matrix(samples, 3); }

/// What is said of the network near `start` that fits these labels best.
Certificate judged_after_fit(const RowMatrix& x, const Vector& labels, const LayeredModel& start, bool noisy = true) {
  const Control control(1);
  const MemorySource<double> source(x, labels + noise * RandomStream(4, purpose::study).normal_vector(samples));
  const LayeredModel fitted = descend(start, source, {.most_steps = 60, .slow = 1e-7}, control).model;
  std::vector<std::string> uncertain;
  return Gate::judge_layers({source, network_of(fitted), 0, noisy, 1}, uncertain, control);
}

TEST(DeepNoise, TheTruthIsRecovered) {
  const RowMatrix x = normal_inputs();
  const Network truth = well_seen_network();
  const Certificate certificate = judged_after_fit(x, truth.evaluate(x), plain_model(truth));
  EXPECT_EQ(certificate.status, Status::recovered) << certificate.reason;
  EXPECT_LT(certificate.detection_limit, 0.1);
  ASSERT_EQ(certificate.unit_errors.size(), 5U);
  for (const double error : certificate.unit_errors) EXPECT_LT(error, 0.05);
  EXPECT_FALSE(judged_after_fit(x, truth.evaluate(x), plain_model(truth), false).given());  // nobody said that there is noise
}

TEST(DeepNoise, AMissingUnitShows) {
  const RowMatrix x = normal_inputs();
  const Network truth = well_seen_network();
  for (const Index layer : {0, 1}) {
    const Certificate certificate = judged_after_fit(x, truth.evaluate(x), without_unit(plain_model(truth), layer, 0));
    EXPECT_FALSE(certificate.given()) << certificate.reason;
  }
}

TEST(DeepNoise, AUnitMadeOfNoiseShows) {
  const RowMatrix x = normal_inputs();
  LayeredModel wide = plain_model(well_seen_network());
  wide.theta[0].conservativeResize(4, Eigen::NoChange);
  wide.theta[0].bottomRows(1) << 0.5, -0.7, 0.3, 0.1;
  wide.theta[1] = (RowMatrix(2, 5) << 1, -1.2, 0.7, 0.01, 0.05, -0.8, 1, 0.9, -0.01, -0.6).finished();
  const Certificate certificate = judged_after_fit(x, well_seen_network().evaluate(x), wide);
  EXPECT_FALSE(certificate.given()) << certificate.reason;
}

/// Of the size of the noise, or less: all of them fit.
TEST(DeepNoise, WhatIsNoNetworkShows) {
  const RowMatrix x = normal_inputs();
  const Network truth = well_seen_network();
  const Vector y = truth.evaluate(x);
  const double size = noise / 2;
  const std::vector<Vector> terms = {size * x.col(1),                                   // a path around both layers
                                     4 * size * (y.array() - y.mean()).cwiseMax(0),     // a third layer
                                     size * (4 * y).array().sin(),                      // a wave of the answer
                                     size * x.col(0).cwiseProduct(x.col(2)),            // a product
                                     5 * size * (x.col(0).array() - 1.8).cwiseMax(0)};  // a unit that 4% of the samples see
  for (std::size_t k = 0; k < terms.size(); ++k) {
    const Certificate certificate = judged_after_fit(x, y + terms[k], plain_model(truth));
    EXPECT_FALSE(certificate.given()) << k << ": " << certificate.reason;
  }
}

TEST(DeepNoise, OtherUnitsShow) {
  const RowMatrix x = normal_inputs();
  const Network truth = well_seen_network();
  RowMatrix u = x * truth.W.transpose();
  u.rowwise() += truth.b.transpose();
  const auto labels = [&](const RowMatrix& h) {
    const RowMatrix v = (h * truth.upper[0].W.transpose()).rowwise() + truth.upper[0].b.transpose();
    return Vector(v.cwiseMax(0) * truth.A.transpose());
  };
  const double width = 0.1;
  const RowMatrix softplus = u.unaryExpr([=](double t) { return std::max(t, 0.0) + width * std::log1p(std::exp(-std::abs(t) / width)); });
  const RowMatrix leaky = u.unaryExpr([](double t) { return t > 0 ? t : 0.01 * t; });
  for (const RowMatrix& h : {softplus, leaky}) {
    const Certificate certificate = judged_after_fit(x, labels(h), plain_model(truth));
    EXPECT_FALSE(certificate.given()) << certificate.reason;
  }
}

TEST(DeepNoise, FewSamplesAreNotEnough) {
  const Control control(1);
  const Network truth = well_seen_network();
  const auto source = synthetic_samples(truth, {.samples = 400, .noise = noise, .seed = 4});
  std::vector<std::string> uncertain;
  const Certificate certificate = Gate::judge_layers({*source, truth, 0, true, 1}, uncertain, control);
  EXPECT_FALSE(certificate.given());
  EXPECT_NE(certificate.reason.find("too few"), std::string::npos) << certificate.reason;
}

}  // namespace
}  // namespace relucover
