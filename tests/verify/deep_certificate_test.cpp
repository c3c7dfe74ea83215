// The certificate of deep networks, given the samples and the network alone.
#include "verify/deep_certificate.hpp"

#include <gtest/gtest.h>

#include "relucover/relucover.hpp"
#include "support/layered_models.hpp"

namespace relucover {
namespace {

DeepCertificate certificate_of(const Network& truth, const Network& answer, Index samples = 5000, double noise = 0) {
  const auto source = synthetic_samples(truth, {.samples = samples, .noise = noise, .seed = 4});
  const Control control(1);
  return certify_deep(*source, answer, label_grid(*source, control), control);
}

DeepCertificate certificate_on(const RowMatrix& x, const RowMatrix& y, const Network& answer) {
  const MemorySource<double> source(x, y);
  const Control control(1);
  return certify_deep(source, answer, label_grid(source, control), control);
}

RowMatrix inputs_drawn(Index samples) {
  BlockBuffer<double> buffer;
  return synthetic_samples(well_seen_network(), {.samples = samples, .seed = 4})->read(0, samples, buffer).x;
}

bool mentions(const DeepCertificate& certificate, const std::string& words) {
  for (const std::string& unit : certificate.uncertain)
    if (unit.find(words) != std::string::npos) return true;
  return certificate.reason.find(words) != std::string::npos;
}

TEST(DeepCertificate, IsGivenToTheTruth) {
  const DeepCertificate certificate = certificate_of(well_seen_network(), well_seen_network());
  EXPECT_TRUE(certificate.given) << certificate.reason;
  EXPECT_GT(certificate.least_eigenvalue, 1e-6);
}

TEST(DeepCertificate, IsRefusedToOneWeightThatIsOff) {
  Network off = well_seen_network();
  off.upper[0].W(0, 1) += 1e-9;
  const DeepCertificate certificate = certificate_of(well_seen_network(), off);
  EXPECT_FALSE(certificate.given);
  EXPECT_GT(certificate.wrong, 0);
}

TEST(DeepCertificate, IsRefusedWithNoise) { EXPECT_FALSE(certificate_of(well_seen_network(), well_seen_network(), 5000, 1e-9).given); }

TEST(DeepCertificate, IsRefusedWithTooFewSamples) {
  const DeepCertificate certificate = certificate_of(well_seen_network(), well_seen_network(), 30);
  EXPECT_FALSE(certificate.given);
}

TEST(DeepCertificate, NamesUnitsThatAreOnOrOffEverywhere) {
  Network on = well_seen_network();
  on.upper[0].W.row(1) = on.upper[0].W.row(1).cwiseAbs();
  on.upper[0].b[1] = 0.5;
  EXPECT_TRUE(mentions(certificate_of(on, on), "unit 1 of layer 2 is on at every sample")) << certificate_of(on, on).reason;
  Network off = well_seen_network();
  off.upper[0].W.row(0) = -off.upper[0].W.row(0).cwiseAbs();
  off.upper[0].b[0] = -0.5;
  EXPECT_TRUE(mentions(certificate_of(off, off), "unit 0 of layer 2 is off at every sample"));
}

TEST(DeepCertificate, IsRefusedToAUnitThatStandsTwice) {
  Network twice = well_seen_network();
  twice.upper[0].W.row(1) = 2 * twice.upper[0].W.row(0);
  twice.upper[0].b[1] = 2 * twice.upper[0].b[0];
  const DeepCertificate certificate = certificate_of(twice, twice);
  EXPECT_FALSE(certificate.given);
  EXPECT_TRUE(mentions(certificate, "of layer 2")) << certificate.reason;
}

// What a residual connection looks like when it is written as a plain network: a unit that passes another one on, relu(relu(u)).
TEST(DeepCertificate, IsRefusedToAUnitThatSitsOnItsKink) {
  Network passing = well_seen_network();
  passing.upper[0].W.row(0) << 1, 0, 0;
  passing.upper[0].b[0] = 0;
  const DeepCertificate certificate = certificate_of(passing, passing);
  EXPECT_FALSE(certificate.given);
  EXPECT_TRUE(mentions(certificate, "sits on its kink")) << certificate.reason;
}

// A weight between two units that are on together at one sample is whatever that sample's label makes it.
TEST(DeepCertificate, IsRefusedToAWeightThatOneSampleDetermines) {
  const Network network = well_seen_network();
  const RowMatrix x = inputs_drawn(5000);
  const RowMatrix lower = ((x * network.W.transpose()).rowwise() + network.b.transpose()).cwiseMax(0);
  const RowMatrix upper = (lower * network.upper[0].W.transpose()).rowwise() + network.upper[0].b.transpose();
  for (const Index together : {1, 2, 50}) {
    std::vector<Index> rows;
    Index there = 0;
    for (Index i = 0; i < x.rows(); ++i)
      if (!(lower(i, 1) > 0 && upper(i, 0) > 0) || ++there <= together) rows.push_back(i);
    const RowMatrix kept = x(rows, Eigen::all);
    const DeepCertificate certificate = certificate_on(kept, network.evaluate(kept), network);
    EXPECT_EQ(certificate.given, together > 1) << certificate.reason;
    EXPECT_EQ(mentions(certificate, "unit 0 of layer 2 has a weight that one sample alone determines"), together == 1);
    // A row that stands twice says nothing the second time.
    const RowMatrix twice = kept.replicate(2, 1);
    EXPECT_EQ(certificate_on(twice, network.evaluate(twice), network).given, together > 1);
  }
}

TEST(DeepCertificate, DoesNotDependOnScales) {
  const RowMatrix x = inputs_drawn(5000);
  for (const double of_inputs : {1e-60, 1.0, 1e60})
    for (const double of_labels : {1e-150, 1e-60, 1.0, 1e100}) {
      Network network = well_seen_network();
      network.W /= of_inputs;
      network.A *= of_labels;
      network.offset *= of_labels;
      const RowMatrix scaled = of_inputs * x, y = network.evaluate(scaled);
      const DeepCertificate right = certificate_on(scaled, y, network);
      EXPECT_TRUE(right.given) << of_inputs << " " << of_labels << ": " << right.reason;
      const RowMatrix waves = y.array() + 3e-15 * of_labels * x.rowwise().sum().array().sin();
      EXPECT_FALSE(certificate_on(scaled, waves, network).given) << of_inputs << " " << of_labels;
    }
}

TEST(DeepCertificate, IsGivenFarFromZero) {
  const RowMatrix far = inputs_drawn(5000).array() + 1e6;
  Network network = well_seen_network();
  network.b -= network.W * Vector::Constant(3, 1e6);
  const DeepCertificate certificate = certificate_on(far, network.evaluate(far), network);
  EXPECT_TRUE(certificate.given) << certificate.reason;
}

// Where all of the first layer is off, units above without a bias are at zero too; others show where their kinks are.
TEST(DeepCertificate, IsGivenWithoutBiases) {
  Network network = well_seen_network();
  network.b.setZero();
  network.upper[0].b.setZero();
  const DeepCertificate certificate = certificate_of(network, network);
  EXPECT_TRUE(certificate.given) << certificate.reason;
}

}  // namespace
}  // namespace relucover
