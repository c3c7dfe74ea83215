#pragma once
// Labels far from where the others of the same output lie: wrong entries or noise with heavy tails.
#include "relucover/samples.hpp"

namespace relucover {

struct LabelOutliers {
  double entries = 0;  // share of label entries farther than `deviations` from their output's median
  double samples = 0;  // share of samples with such an entry
};
/// The deviation of an output is 1.4826 times the median distance from its median (the standard deviation of a normal).
/// Outputs for which that is 0 (more than half of the labels are equal) are left out.
LabelOutliers label_outliers(const RowMatrix& labels, double deviations);
/// Per sample: the largest distance of a label from its output's median, in deviations.
Vector label_distances(const RowMatrix& labels);

}  // namespace relucover
