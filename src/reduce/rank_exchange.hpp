#pragma once
// From the parts that every rank has added up to the sum, on all ranks, merged along the tree that one process would merge along.
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "reduce/cut.hpp"
#include "reduce/parts.hpp"
#include "relucover/communicator.hpp"

namespace relucover {

/// What one rank has done: a part for each of its nodes, or why it could not.
struct RankWork {
  std::vector<std::unique_ptr<Part>> parts;
  std::exception_ptr trouble;
};

/// Called by all ranks. If some rank had trouble, all throw: it what it had, the others Interrupted with its number and words.
std::unique_ptr<Part> sum_over_ranks(const Communicator& ranks, const RankShares& shares, RankWork mine, Recycled& recycled);

}  // namespace relucover
