#pragma once
// Which weights of a deep network its samples determine: the linear model around it (its Jacobian) tells.
#include <string>
#include <vector>

#include "relucover/progress.hpp"
#include "relucover/samples.hpp"
#include "verify/balanced_model.hpp"

namespace relucover {

struct DeterminedWeights {
  double least_eigenvalue = 0;         // of the Gram matrix, scaled, without the scalings of units
  std::vector<std::string> uncertain;  // what can change, what one sample alone determines, what can go; in words
};

DeterminedWeights determined_weights(const Balanced& network, const SampleSource& source, const Control& control);

}  // namespace relucover
