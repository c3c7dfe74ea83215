#include "learners/vector/sparse_corruption.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "decompose/consensus.hpp"
#include "decompose/robust_pca.hpp"
#include "samples/subsample.hpp"

namespace relucover {

CleanedLabels clean_labels(const SampleSource& source, Index units, const Control& control, const CleaningOptions& options) {
  CleanedLabels result;
  const auto samples = gather(source, 0, std::min(options.samples, source.samples()), control);
  const Matrix labels = samples.y().transpose();
  const Consensus consensus = consensus_factors(labels, control, {.rank = units, .max_rank = std::min<Index>(12, source.outputs() / 2)});
  MaskedFactors factors;
  result.rank = consensus.rank;
  if (consensus.rank > 0) {
    factors = {consensus.left, consensus.right, consensus.agrees};
  } else {
    const RobustPca separated = robust_pca(labels, control);
    result.rank = units > 0 ? units : separated.rank;
    if (result.rank == 0 || result.rank + 2 > source.outputs()) {
      result.problem = fmt::format("labels of rank {} in {} outputs: too few outputs to tell a wrong entry from a right one", result.rank,
                                   source.outputs());
      return result;
    }
    factors = masked_factors(labels, separated.low_rank, result.rank, control);
  }
  const Index needed = result.rank + std::max<Index>(2, source.outputs() / 10);  // entries beyond those that determine a column
  std::vector<Index> determined;
  for (Index j = 0; j < labels.cols(); ++j)
    if (factors.agrees.col(j).count() >= needed) determined.push_back(j);
  result.corrupted_share = 1 - static_cast<double>(factors.agrees.count()) / static_cast<double>(factors.agrees.size());
  if (static_cast<Index>(determined.size()) * 2 < labels.cols()) {
    result.problem = fmt::format(
        "only {} of {} samples have {} entries that agree with labels of rank {}: too many are corrupted, or the rank "
        "is another",
        determined.size(), labels.cols(), needed, result.rank);
    return result;
  }
  result.samples.emplace(RowMatrix(samples.x()(determined, Eigen::all)),
                         RowMatrix((factors.left * factors.right(Eigen::all, determined)).transpose()), source.name());
  return result;
}

}  // namespace relucover
