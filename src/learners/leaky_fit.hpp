#pragma once
// Least squares for networks of leaky units with one slope.
#include "relucover/network.hpp"
#include "relucover/progress.hpp"
#include "relucover/samples.hpp"

namespace relucover {

/// All weights and the slope, by a few Gauss-Newton steps from a network that is nearly there. What does not get better, or has too many
/// unknowns for normal equations, stays as it is.
Network fitted_leaky(Network network, const SampleSource& samples, const Control& control);

}  // namespace relucover
