#include "moments/exact_pure_neuron.hpp"

#include <gtest/gtest.h>

#include "relucover/samples.hpp"

namespace relucover {
namespace {

TEST(ExactPureNeuronMoments, AreThoseOfManySamples) {
  Network network = planted_network({.inputs = 3, .units = 2, .outputs = 2, .bias = 0, .seed = 1});
  network.W *= 1.3;
  const Matrix compress = Matrix::Identity(2, 2);
  const ExactPureNeuronMoments exact = exact_pure_neuron_moments(network, compress);
  EXPECT_LT((exact.linear - network.A * network.W / 2).norm(), 1e-15);
  const Index samples = 400'000;
  const auto source = synthetic_samples(network, {.samples = samples, .seed = 2});
  const PureNeuronMoments measured = pure_neuron_moments(*source, compress, exact.linear, Control(2), 0, samples);
  // Entries are means of products of fourth order: deviation about 30 / √samples.
  EXPECT_LT((measured.detector - exact.of.detector).cwiseAbs().maxCoeff(), 0.2);
  EXPECT_LT((measured.detector_denoised - exact.of.detector_denoised).cwiseAbs().maxCoeff(), 0.2);
  EXPECT_LT((measured.output_mean - exact.of.output_mean).cwiseAbs().maxCoeff(), 0.02);
  EXPECT_GT(exact.of.detector.norm(), 0.3);
}

TEST(ExactPureNeuronMoments, VanishOnPureNeurons) {
  const Network network = planted_network({.inputs = 4, .units = 3, .outputs = 3, .bias = 0, .seed = 3});
  const Matrix detector = exact_pure_neuron_moments(network, Matrix::Identity(3, 3)).of.detector;
  const Vector spectrum = null_span_of_detector(detector, 3).spectrum;
  EXPECT_LT(spectrum[2], 1e-7);  // square roots of eigenvalues
  EXPECT_GT(spectrum[3], 1e-4);
}

}  // namespace
}  // namespace relucover
