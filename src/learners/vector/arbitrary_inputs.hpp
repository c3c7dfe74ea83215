#pragma once
// Any inputs at all, labels of rank k = units, no noise (BJW Theorem 1). Row i of relu(W x) lies in the row span of the labels
// and its zeros are a cell of the arrangement that the samples cut there: k - 1 samples where it vanishes determine it.
// NP-hard without the rank condition; n^(k-1) cells with it, so this is bounded by a budget.
#include "relucover/network.hpp"
#include "relucover/progress.hpp"
#include "relucover/samples.hpp"

namespace relucover {

struct CellOptions {
  /// Sets of k - 1 samples looked at, at most; all of them if there are no more, else random ones.
  Index max_cells = 2000000;
  /// Linear programs solved, at most.
  Index max_programs = 4000;
  Index samples = 4000;  // at most
  std::uint64_t seed = 0;
};
struct CellSearch {
  Network network;  // without units if not all were found
  std::string problem;
  bool out_of_budget = false;
  Index cells = 0, programs = 0;
};
/// Cells by null spaces: the default. `units` 0: the rank of the labels.
CellSearch search_cells(const SampleSource& source, Index units, const Control& control, const CellOptions& options = {});
/// BJW Algorithms 1 and 2: for every sign pattern the linear programs as printed, by CLP. Tolerances of the solver may let a
/// wrong pattern pass; the answer is checked on the samples.
CellSearch search_cells_by_linear_programs(const SampleSource& source, Index units, const Control& control,
                                           const CellOptions& options = {});

}  // namespace relucover
