#pragma once
#include <optional>

#include "core/random.hpp"
#include "learners/deep/deep_data.hpp"
#include "learners/deep/plain_form.hpp"

namespace relucover {

/// No layer is wider than that; empty: whatever they are.
bool no_wider(const LayeredModel& model, const std::vector<Index>& widths);

/// Steps of an exact fit, in double precision and on many samples, are so dear that fewer of them are spent on a unit.
bool dear_when_exact(Index inputs, const std::vector<Index>& widths, Index outputs);

struct Finished {
  /// Empty: the fit could not be taken to all samples, to the widths wanted, or to a plain network.
  std::optional<PlainForm> plain;
  LayeredModel sign_free;
  Index wrong = 0, held_wrong = 0;
};
/// From a fit that is exact on a part of the samples to a plain network: all samples (rare units), fewer units, signs, last digits.
/// No layer ends wider than `widths`, or (empty) than it must be.
Finished finish_deep(LayeredModel model, const DeepData& data, const std::vector<Index>& widths, double samples_per_parameter,
                     RandomStream& random, const Control& control);

}  // namespace relucover
