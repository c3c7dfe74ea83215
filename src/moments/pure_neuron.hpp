#pragma once
// The pure-neuron detector (GKLW section 3.2): for inputs symmetric about 0, u is a row of a left inverse of A exactly when
//   (u·y) (u·g) - (u·y)²/2 = 0 on every sample, with g = (A W / 2) x,
// a quadratic form in u that is linear in u uᵀ; its null space is the span of the z zᵀ of the pure neurons.
#include "relucover/progress.hpp"
#include "relucover/samples.hpp"

namespace relucover {

struct PureNeuronMoments {
  /// Gram matrix over samples of pack(y gᵀ + g yᵀ - y yᵀ): null space without label noise.
  Matrix sample_gram;
  /// T of GKLW Algorithm 2: pairs of inputs by pairs of outputs, both packed.
  Matrix detector;
  /// The same with the correction of Algorithm 3 that cancels label noise: equation (11), with its missing parentheses.
  Matrix detector_denoised;
  Vector output_mean;
  Index samples = 0;
};

/// `compress` (outputs by k) maps labels to as many values as there are units, `linear` (k by inputs) is compressᵀ A W / 2.
PureNeuronMoments pure_neuron_moments(const SampleSource& source, const Matrix& compress, const Matrix& linear, const Control& control,
                                      Index begin, Index end);

/// A basis of the span of {z zᵀ}: columns are packed symmetric matrices, orthonormal.
struct PureNeuronSpan {
  Matrix basis;
  /// Square roots of the eigenvalues of the detector's Gram matrix, ascending, relative to the largest.
  Vector spectrum;
};
PureNeuronSpan null_span_of_gram(const Matrix& gram, Index dimension);
PureNeuronSpan null_span_of_detector(const Matrix& detector, Index dimension);

}  // namespace relucover
