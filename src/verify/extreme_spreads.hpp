#pragma once
// Columns whose numbers are so large or small that squares of them are none.
#include <string>

#include "moments/whitening.hpp"
#include "relucover/progress.hpp"
#include "relucover/samples.hpp"

namespace relucover {

/// Spreads whose squares, or those of the weights that go with them, leave the range of numbers: what to say about it; empty: none.
std::string spreads_beyond_squares(const InputMoments& moments, const SampleSource& source, const Control& control);

}  // namespace relucover
