#pragma once
// Starts for y = A relu(W x) with inputs symmetric about 0 and at least as many outputs as units (GKLW): the default
// variant (regression moments, pooled eigenvectors) and the algorithms as printed.
#include "core/random.hpp"
#include "moments/pure_neuron.hpp"
#include "moments/quadratic_fit.hpp"
#include "relucover/network.hpp"

namespace relucover {

struct PureNeuronStart {
  Network network;  // without units if a stage failed
  Matrix compress;  // outputs by units
  /// Which assumption failed, and by how much; empty if none did.
  std::string problem;
  /// Singular values of the detector, ascending, relative to the largest: the first `units` should stand apart.
  Vector detector_spectrum;
  /// 1 - ‖projection of z zᵀ on the span‖², the worst unit: 0 if the span is that of pure neurons.
  double worst_rank_one_residual = 0;
};

/// Which rows the detector is made of.
enum class DetectorRows {
  samples,  // every sample is an equation: exact without label noise
  moments   // T with the correction for label noise (GKLW Algorithm 3)
};

/// Rank of the labels' linear part above the noise: the number of units where it is at most the number of outputs. What the
/// regression leaves counts as noise, so an ill-conditioned A W may show fewer.
Index units_from_linear_part(const QuadraticFit& fit);
/// Rank of the labels to rounding: the number of units where it is at most the number of outputs, without label noise.
Index units_from_label_rank(const QuadraticFit& fit);
/// Labels to `units` values with E[u uᵀ] = I: the top left singular vectors of the linear part (whitened on the input side),
/// scaled. The condition of A is gone in these values, whatever it was; that of relu(W x) stays, which is mild.
Matrix compression(const QuadraticFit& fit, Index units);

PureNeuronStart pure_neuron_start(const SampleSource& source, const QuadraticFit& fit, Index units, DetectorRows rows, std::uint64_t seed,
                                  const Control& control);

/// The algorithms of the paper as printed.
struct PrintedPureNeuron {
  bool noise_correction = false;  // Algorithm 3's term
  bool split_samples = false;     // Algorithm 3: detector from one half, weights from the other
  bool compress_outputs = false;  // Algorithm 4: project on the left singular vectors of E[y xᵀ], itself from one half
  bool alternating = false;       // section 4: CP decomposition by ALS, then gradient descent on W
};
PureNeuronStart printed_pure_neuron(const SampleSource& source, Index units, const PrintedPureNeuron& variant, std::uint64_t seed,
                                    const Control& control);

/// Steps 5 to 12 of Algorithm 2 on moments, however they were made: `linear` is E[y xᵀ] E[x xᵀ]⁻¹ of all outputs.
PureNeuronStart printed_from_moments(const PureNeuronMoments& moments, const Matrix& linear, const Matrix& compress,
                                     const PrintedPureNeuron& variant, std::uint64_t seed, const Control& control);
/// The network whose pure neurons are the rows z of a left inverse of A, turned so that z·E[y] > 0 (steps 9 to 12).
PureNeuronStart network_of_pure_neurons(Matrix z, const Vector& mean, const Matrix& linear, PureNeuronStart start);

/// GKLW Algorithm 1: 2 E[x xᵀ]⁻¹ E[x y] for y = relu(w·x); one row per output.
Matrix single_neurons(const SampleSource& source, const Control& control, Index begin, Index end);

}  // namespace relucover
