#pragma once
// How far apart queries should be, found out by asking: far enough for units to bend between them.
#include "samples/asking.hpp"
#include "samples/query_law.hpp"

namespace relucover {

/// The Gaussian to draw queries from: standard normal where the model bends about as much there as further out; otherwise as much
/// wider as it takes, and with a spread for each column where the model's slopes in them differ by orders.
QueryLaw law_by_asking(Asking& asking, Index inputs, std::uint64_t seed, const Control& control);

}  // namespace relucover
