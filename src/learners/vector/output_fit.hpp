#pragma once
// The linear half of the problem: output weights for given hidden units, and what a network leaves unexplained.
#include "relucover/network.hpp"
#include "relucover/progress.hpp"
#include "relucover/samples.hpp"

namespace relucover {

/// The same hidden units with the least-squares A; skip and offset stay as they are.
Network with_fitted_outputs(const SampleSource& source, Network network, const Control& control);

/// Σ|y - f(x)|² / Σ|y - mean y|².
double relative_residual(const SampleSource& source, const Network& network, const Control& control);

}  // namespace relucover
