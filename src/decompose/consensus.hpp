#pragma once
// A matrix of low rank of which a share of the entries was replaced by anything, the others exact: the rank and the factors by
// consensus. Any rank + 1 rows satisfy one linear relation in the columns that are right there; `rank` such columns give it, and
// then all others agree to rounding, which chance does not. Works where the rows are few (3 times the rank), where robust
// principal components do not; its cost grows with the rank as (share of right entries)^(-rank (rank + 1)).
#include <cstdint>

#include "relucover/progress.hpp"
#include "relucover/types.hpp"

namespace relucover {

struct ConsensusOptions {
  /// 0: the least rank that a relation shows.
  Index rank = 0;
  Index max_rank = 12;
  /// Draws of columns, at most; an eighth of them for each rank where it is not given.
  Index draws = 300'000;
  /// A relation agrees with a column up to this share of the typical entry.
  double tolerance = 1e-9;
  /// Share of columns that must agree with a relation.
  double support = 0.04;
  std::uint64_t seed = 0;
};
struct Consensus {
  Index rank = 0;  // 0: no relation was found
  Matrix left;     // rows by rank
  Matrix right;    // rank by columns; zero where no `rank` entries of a column agree with others
  Eigen::Matrix<bool, Eigen::Dynamic, Eigen::Dynamic> agrees;
  Index draws = 0;
};
Consensus consensus_factors(const Matrix& given, const Control& control, const ConsensusOptions& options = {});

}  // namespace relucover
