#pragma once
// A few label entries replaced by anything at all (BJW Theorem 14): the labels are a matrix of rank k plus a sparse one.
// Robust principal components separate them, masked least squares makes the rank-k part exact, and then the problem is that
// of clean labels.
#include <optional>

#include "relucover/progress.hpp"
#include "relucover/samples.hpp"

namespace relucover {

struct CleanedLabels {
  /// Samples whose labels are determined by entries that agree, with the clean labels. Empty where that failed.
  std::optional<MemorySource<double>> samples;
  std::string problem;
  Index rank = 0;
  double corrupted_share = 0;  // of all entries looked at
};
struct CleaningOptions {
  Index samples = 20000;  // at most
};
/// `units` = 0: the rank that robust principal components find.
CleanedLabels clean_labels(const SampleSource& source, Index units, const Control& control, const CleaningOptions& options = {});

}  // namespace relucover
