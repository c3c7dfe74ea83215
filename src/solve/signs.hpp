#pragma once
// Which way round each unit stands: all z in {±1}^K with Σ z_i row_i = target.
#include <vector>

#include "relucover/progress.hpp"
#include "relucover/types.hpp"

namespace relucover {

struct SignSolution {
  std::vector<std::vector<int>> signs;  // every solution found, in no meaningful order but always the same
  bool complete = false;                // there is no other solution
  /// Largest |Σ z_i row_i - target| among the solutions; without any, that of the rounded least-squares solution.
  double worst_mismatch = 0;
};

/// All z with |Σ z_i row_i - target| <= tolerance, at most `limit` of them. Rows that are independent by more than the
/// tolerance leave one candidate; else min(2^(K - rank), 2^(K/2)) combinations are tried, up to about 2^24.
SignSolution find_signs(const Matrix& weighted, const Vector& target, double tolerance, Index limit, const Control& control = {});

}  // namespace relucover
