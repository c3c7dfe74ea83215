#pragma once
#include "core/random.hpp"
#include "relucover/progress.hpp"
#include "relucover/samples.hpp"
#include "solve/layered.hpp"

namespace relucover {

/// Adds units of a layer that is not plain; nothing above sees them yet.
void add_units(LayeredModel& model, Index layer, const RowMatrix& rows);

/// Adds random units, `added[l]` to layer l: rows at the spread of what the layer sees, kinks where samples are. Output weights by
/// ridge regression of what is left.
LayeredModel grown(const LayeredModel& model, const std::vector<Index>& added, const MemorySource<double>& samples, RandomStream& random,
                   const Control& control);

}  // namespace relucover
