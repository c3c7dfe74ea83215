#pragma once
// Units from moments carry the moments' sampling error, one may be missing, two may share the work of one. The engine goes
// on from them without the few samples behind kinks that are not among the units, and repairs the rest.
#include "moments/whitening.hpp"
#include "solve/levenberg_marquardt.hpp"

namespace relucover {

struct RefinedForms {
  Matrix forms;  // (w, b) on the inputs, |w| = 1
  Index iterations = 0;
  double relative_cost = 1;
  SignFreeModel model;  // the same on the inputs, with output weights and affine part
  /// All samples but a few are explained to rounding, and they were not by `start`.
  bool found_more = false;
};

/// `start` is a model of the inputs of `source`; one output.
RefinedForms refine_forms(const SampleSource& source, const SignFreeModel& start, const Whitening& whitening, const Control& control);

}  // namespace relucover
