#pragma once
// Candidates for the units of a network, judged on data: least squares of y on |w_i·z + b_i|, z and 1.
#include <vector>

#include "moments/polynomials.hpp"

namespace relucover {

struct Candidate {
  Matrix forms;         // one row (w_i, b_i) per unit, on the variables z
  Matrix output;        // outputs by units: the fitted weights of |w_i·z + b_i|
  Matrix affine;        // outputs by (z, 1): the fitted affine part
  double residual = 0;  // mean of |y - fit|² over the samples it was scored on
};

/// Fits and scores all candidates on the first `samples` samples in one pass, best first. Candidates whose forms are not
/// finite are dropped.
void score_candidates(const SampleSource& source, const View& view, std::vector<Candidate>& candidates, Index samples,
                      const Control& control);

}  // namespace relucover
