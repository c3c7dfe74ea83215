#pragma once
// What is certain about a deep network, given the samples: from (data, answer) alone, however the answer was found (docs/deep.md).
#include <string>
#include <vector>

#include "relucover/network.hpp"
#include "relucover/progress.hpp"
#include "relucover/samples.hpp"
#include "verify/label_grid.hpp"

namespace relucover {

struct DeepCertificate {
  bool given = false;
  std::string reason;   // in words, either way
  bool fits = false;    // every residual is at rounding
  Index wrong = 0;      // samples whose residual is above rounding
  double worst = 0;     // largest residual over what rounding allows it
  double rounding = 0;  // root mean square of the residuals, over that of the roundings of one evaluation
  Index unknowns = 0;
  double least_eigenvalue = 0;         // of the Gram matrix of the plain form, scaled, without the scalings of units
  std::vector<std::string> uncertain;  // units that are not determined, and why
};

/// `exact` may be said if
/// 1. every residual, of every sample, is at the rounding of the sums that make it, in the precision of the labels (float64 or float32),
///    and their root mean square is where roundings that cancel leave it;
/// 2. there are more than twice as many equations, over distinct inputs, as unknowns, and enough for the bits that labels carry;
/// 3. every unit of every layer has enough samples on both sides of its kink, and does not sit on it;
/// 4. the Gram matrix of the parameters is regular, up to the scalings of units;
/// 5. no sample alone determines a weight: its label would be explained whatever it is;
/// 6. no unit can be removed: to the linear model that costs far more than rounding.
/// Only the gate (verify/gate.hpp) turns this into a status.
DeepCertificate certify_deep(const SampleSource& source, const Network& network, const LabelGrid& grid, const Control& control);

}  // namespace relucover
