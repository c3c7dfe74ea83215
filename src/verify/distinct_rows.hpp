#pragma once
// Equations are counted over distinct inputs: a row that stands twice says nothing the second time.
#include <vector>

#include "relucover/progress.hpp"
#include "relucover/samples.hpp"

namespace relucover {

/// Samples whose inputs differ, counted up to `enough`; reads no further than it must.
Index distinct_inputs(const SampleSource& source, Index enough, const Control& control);

/// The first of the rows with the same inputs and labels, in order.
std::vector<Index> distinct_samples(const MemorySource<double>& samples);

/// Rows with the same inputs, where there are at least two with different labels.
std::vector<std::vector<Index>> rows_of_equal_inputs(const Matrix& x);

}  // namespace relucover
