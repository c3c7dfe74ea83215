#pragma once
// A layer whose units are all there, up to the errors of a fit that is not exact yet, can be settled: its signs are found, it becomes
// plain, and the layers above see its values alone instead of all inputs. What is left is a network with a layer fewer, and far fewer
// unknowns than the whole.
#include <optional>

#include "relucover/progress.hpp"
#include "relucover/samples.hpp"
#include "solve/layered.hpp"

namespace relucover {

/// The lowest sign-free layer shrunk to `width` units and made plain; the layers above are fitted to what they were, as functions of its
/// values. None: its units have no clear signs, or the fit is lost.
std::optional<LayeredModel> with_layer_settled(const LayeredModel& model, Index width, const MemorySource<double>& samples,
                                               const Control& control);

}  // namespace relucover
