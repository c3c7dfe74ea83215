// The certificate of deep networks, given the samples and the network alone.
#include "verify/deep_certificate.hpp"

#include <gtest/gtest.h>

#include "relucover/relucover.hpp"

namespace relucover {
namespace {

// A network all of whose units have both sides well seen.
Network seen_network() {
  Network network(3, 3, 1);
  network.W << 1, 0.2, 0, -0.3, 1, 0.1, 0.2, -0.4, 1;
  network.b << 0.1, -0.2, 0.05;
  network.upper.push_back({(Matrix(2, 3) << 1, -1.2, 0.7, -0.8, 1, 0.9).finished(), (Vector(2) << 0.05, -0.6).finished(), {}});
  network.A = (Matrix(1, 2) << 1, -1.5).finished();
  network.offset << 0.3;
  return network;
}

DeepCertificate certificate_of(const Network& truth, const Network& answer, Index samples = 5000, double noise = 0) {
  const auto source = synthetic_samples(truth, {.samples = samples, .noise = noise, .seed = 4});
  const Control control(1);
  return certify_deep(*source, answer, label_grid(*source, control), control);
}

bool mentions(const DeepCertificate& certificate, const std::string& words) {
  for (const std::string& unit : certificate.uncertain)
    if (unit.find(words) != std::string::npos) return true;
  return certificate.reason.find(words) != std::string::npos;
}

TEST(DeepCertificate, IsGivenToTheTruth) {
  const DeepCertificate certificate = certificate_of(seen_network(), seen_network());
  EXPECT_TRUE(certificate.given) << certificate.reason;
  EXPECT_GT(certificate.least_eigenvalue, 1e-6);
}

TEST(DeepCertificate, IsRefusedToOneWeightThatIsOff) {
  Network off = seen_network();
  off.upper[0].W(0, 1) += 1e-9;
  const DeepCertificate certificate = certificate_of(seen_network(), off);
  EXPECT_FALSE(certificate.given);
  EXPECT_GT(certificate.wrong, 0);
}

TEST(DeepCertificate, IsRefusedWithNoise) { EXPECT_FALSE(certificate_of(seen_network(), seen_network(), 5000, 1e-9).given); }

TEST(DeepCertificate, IsRefusedWithTooFewSamples) {
  const DeepCertificate certificate = certificate_of(seen_network(), seen_network(), 30);
  EXPECT_FALSE(certificate.given);
}

TEST(DeepCertificate, NamesUnitsThatAreOnOrOffEverywhere) {
  Network on = seen_network();
  on.upper[0].W.row(1) = on.upper[0].W.row(1).cwiseAbs();
  on.upper[0].b[1] = 0.5;
  EXPECT_TRUE(mentions(certificate_of(on, on), "unit 1 of layer 2 is on at every sample")) << certificate_of(on, on).reason;
  Network off = seen_network();
  off.upper[0].W.row(0) = -off.upper[0].W.row(0).cwiseAbs();
  off.upper[0].b[0] = -0.5;
  EXPECT_TRUE(mentions(certificate_of(off, off), "unit 0 of layer 2 is off at every sample"));
}

TEST(DeepCertificate, IsRefusedToAUnitThatStandsTwice) {
  Network twice = seen_network();
  twice.upper[0].W.row(1) = 2 * twice.upper[0].W.row(0);
  twice.upper[0].b[1] = 2 * twice.upper[0].b[0];
  const DeepCertificate certificate = certificate_of(twice, twice);
  EXPECT_FALSE(certificate.given);
  EXPECT_TRUE(mentions(certificate, "of layer 2")) << certificate.reason;
}

// What a residual connection looks like when it is written as a plain network: a unit that passes another one on, relu(relu(u)).
TEST(DeepCertificate, IsRefusedToAUnitThatSitsOnItsKink) {
  Network passing = seen_network();
  passing.upper[0].W.row(0) << 1, 0, 0;
  passing.upper[0].b[0] = 0;
  const DeepCertificate certificate = certificate_of(passing, passing);
  EXPECT_FALSE(certificate.given);
  EXPECT_TRUE(mentions(certificate, "sits on its kink")) << certificate.reason;
}

}  // namespace
}  // namespace relucover
