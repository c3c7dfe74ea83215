#pragma once
// GKLW Definition 1: what the pure-neuron detector needs of weights and inputs. Column ij of the distinguishing matrix is
// E[(w_i·x)(w_j·x) x⊗x over samples where w_i·x and w_j·x have opposite signs]; the augmented one has E[x⊗x] as last column.
#include <string>
#include <vector>

#include "relucover/progress.hpp"
#include "relucover/samples.hpp"

namespace relucover {

struct Distinguishing {
  Vector singular;            // of the distinguishing matrix, largest first; unit weight vectors, inputs scaled to mean square 1
  Vector augmented_singular;  // of the augmented matrix
  Matrix opposite;            // share of samples where units i and j differ in sign
  double least() const { return singular.size() ? singular[singular.size() - 1] : 0; }
  double least_augmented() const { return augmented_singular.size() ? augmented_singular[augmented_singular.size() - 1] : 0; }
  /// In words: pairs that always (or never) share a sign, rank deficiency, too few inputs.
  std::vector<std::string> findings;
};
Distinguishing distinguishing(const SampleSource& source, const Matrix& W, const Control& control);

}  // namespace relucover
