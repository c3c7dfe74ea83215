#pragma once
// A deep network and its samples times powers of two, so that all numbers are of order one: no digit changes, nothing under- or overflows.
#include <vector>

#include "relucover/samples.hpp"
#include "solve/layered.hpp"

namespace relucover {

struct Balanced {
  LayeredModel model;
  LayeredModel magnitudes;  // with the absolute values of all weights: sums of what is added up
  Vector input_scale, output_scale;

  RowMatrix inputs(const Eigen::Ref<const RowMatrix>& x) const { return x * input_scale.asDiagonal(); }
  RowMatrix labels(const Eigen::Ref<const RowMatrix>& y) const { return y * output_scale.asDiagonal(); }
};

/// `plain`: without sign-free layers.
Balanced balanced(LayeredModel plain, const SampleSource& source);

/// Samples of `layer`'s units (rows of both, evaluated) that lie on the kink, to rounding.
Eigen::ArrayXXd at_kinks(const Balanced& balanced, Index layer, const LayeredValues& values, const LayeredValues& magnitudes);
/// Rows of samples that lie on no unit's kink.
std::vector<Index> rows_off_kinks(const Balanced& balanced, const MemorySource<double>& samples);

/// The same samples and network with inputs about their means: what they determine does not depend on where zero is.
struct Centred {
  LayeredModel model;
  MemorySource<double> samples;
};
Centred centred(const Balanced& balanced, const MemorySource<double>& samples);

}  // namespace relucover
