#pragma once
// How well a given network explains given data: one pass, no solver.
#include <functional>

#include "relucover/network.hpp"
#include "relucover/progress.hpp"
#include "relucover/samples.hpp"

namespace relucover {

struct NetworkError {
  Index samples = 0;
  double rms = 0;       // root mean square of y - f(x), over samples and outputs
  double relative = 0;  // rms over the root mean square of y - mean(y); 1 is as good as a constant
  double max_abs = 0;   // the worst single label
  Index worst_sample = -1;
  Vector output_rms;  // per output
};

/// Any function of the inputs, one row in, one row out.
using Prediction = std::function<RowMatrix(const Eigen::Ref<const RowMatrix>& x)>;
NetworkError prediction_error(const Prediction& predict, const SampleSource& source, const Control& control);

/// Throws std::invalid_argument if network and data differ in shape.
NetworkError network_error(const Network& network, const SampleSource& source, const Control& control);

}  // namespace relucover
