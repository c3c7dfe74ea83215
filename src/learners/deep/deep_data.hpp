#pragma once
// The samples of a deep search: in memory, inputs whitened, labels centred and scaled to variance 1 (summed over outputs).
#include <vector>

#include "moments/whitening.hpp"
#include "relucover/progress.hpp"
#include "relucover/samples.hpp"
#include "solve/layered.hpp"

namespace relucover {

struct DeepData {
  RowMatrix x, y;            // to learn from
  RowMatrix held_x, held_y;  // to judge by
  /// A residual (largest of the outputs) above this is wrong, a cost below `exact` is right: rounding of the labels and of sums.
  double wrong = 1e-8, exact = 1e-20;

  Index samples() const { return x.rows(); }
  MemorySource<double> at(const std::vector<Index>& rows) const;
  /// `count` rows spread over the samples; another `draw` gives others.
  MemorySource<double> batch(Index count, std::uint64_t draw) const;
};

/// Where DeepData comes from, and the way back.
struct DeepScaling {
  Whitening whitening;
  Vector label_mean;
  double label_scale = 1;
  /// A plain model of scaled samples as a network of the samples as they were.
  Network unscaled(const LayeredModel& plain) const;
};

struct PreparedDeepData {
  DeepData data;
  DeepScaling scaling;
};
/// `rounding`: the error that labels carry from being stored. A tenth of the samples is held out.
PreparedDeepData prepare_deep_data(const SampleSource& source, double rounding, const Control& control);

/// So many samples for each of the parameters; half as many for each beyond the first 1500.
Index rows_for_parameters(double per_parameter, Index parameters);

/// One row for each sample: is the residual wrong?
std::vector<char> wrong_rows(const LayeredModel& model, const RowMatrix& x, const RowMatrix& y, double tolerance);
std::vector<Index> rows_where(const std::vector<char>& mask, bool value);

}  // namespace relucover
