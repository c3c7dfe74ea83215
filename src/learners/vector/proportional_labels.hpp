#pragma once
// A of any shape, also fewer outputs than units (BJW Algorithm 7): samples on which one unit alone is active have labels that
// are positive multiples of one column of A. Groups of proportional labels give the columns, and on each group w·x.
#include "relucover/network.hpp"
#include "relucover/progress.hpp"
#include "relucover/samples.hpp"

namespace relucover {

struct ProportionalLabelsOptions {
  Index samples = 100000;    // at most
  double tolerance = 1e-10;  // distance of two normalised labels that are the same
};
struct ProportionalLabels {
  Network network;  // without units if a stage failed
  std::string problem;
  std::vector<Index> group_sizes;  // largest first
};
/// Without label noise. `units` = 0: as many as there are groups that determine a unit.
ProportionalLabels proportional_labels_start(const SampleSource& source, Index units, const Control& control,
                                             const ProportionalLabelsOptions& options = {});

}  // namespace relucover
