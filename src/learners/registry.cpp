#include "learners/registry.hpp"

#include "learners/prune/prune.hpp"

namespace relucover {

const std::vector<Learner>& learners() {
  static const std::vector<Learner> all = {
      {{"prune", "over-parameterised starts, pruned: any inputs, any outputs, more units than inputs too", {}}, learn_by_pruning},
  };
  return all;
}

std::vector<MethodInfo> methods() {
  std::vector<MethodInfo> infos = {{"auto", "chosen from the data, with the reason", {}}};
  for (const auto& learner : learners()) infos.push_back(learner.info);
  return infos;
}

}  // namespace relucover
