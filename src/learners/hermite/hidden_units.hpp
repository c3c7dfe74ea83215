#pragma once
// Units whose kink (hardly) any sample sees: on the data they are linear (large positive bias) or zero (large negative bias).
#include "moments/whitening.hpp"
#include "relucover/learn.hpp"
#include "solve/sign_free.hpp"

namespace relucover {

struct HiddenUnits {
  Index separated = 0;  // units with enough samples on both sides of their kink
  Index hidden = 0;     // units asked for, or needed for the affine part, beyond those
  Index linear = 0, zero = 0;
  /// A kink further out than this (in standard deviations) has fewer samples behind it than a unit has weights.
  double largest_bias_seen = 0;
  /// Least bias of a single linear unit that the affine part can be, over the signs of the others; 0: none.
  double linear_bias = 0;
  /// Samples that put as many behind the kink of that unit as a unit has weights; 0 where there is none.
  double samples_for_linear = 0;
  /// The same for a unit a little further out than what is seen.
  double next_bias = 0, samples_for_next = 0;
};

/// `model` is a sign-free answer on the inputs; `asked` units were asked for (0: not said). Gaussian inputs, one output.
/// relative_error: of the answer, below which an affine part counts as none.
HiddenUnits find_hidden_units(const SampleSource& source, const SignFreeModel& model, const Whitening& whitening, Index asked,
                              double relative_error, const Control& control);

/// A note in words and figures by name, if there are such units.
void report_hidden_units(const HiddenUnits& hidden, Index samples, Result& result);

}  // namespace relucover
