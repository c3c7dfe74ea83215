#include "learners/registry.hpp"

#include <algorithm>

#include "learners/deep/deep.hpp"
#include "learners/hermite/hermite.hpp"
#include "learners/prune/prune.hpp"
#include "learners/prune/robust.hpp"
#include "learners/vector/learners.hpp"

namespace relucover {

namespace {

std::vector<Learner> with_families(std::vector<Learner> rows) {
  for (auto& learner : hermite_learners()) rows.push_back(std::move(learner));
  for (const auto& learner : vector_learners()) rows.push_back(learner);
  return rows;
}

}  // namespace

const std::vector<Learner>& learners() {
  static const std::vector<Learner> all = with_families({
      {{"prune", "over-parameterised starts, pruned: any inputs, any outputs, more units than inputs too", {}}, learn_by_pruning},
      {{"robust",
        "the same where some labels are wrong or their noise has heavy tails: a loss that forgives, then the samples that agree",
        {}},
       learn_robustly},
      {{"deep",
        "all hidden layers of a deep ReLU network (layers, depth), labels without noise: any inputs, any outputs",
        {{"wide", "units at the start for each unit asked for (1.5)"},
         {"batch", "samples in a batch for each parameter of the search (6)"},
         {"rounds", "times that units are added where a start is stuck, and one (5)"}}},
       learn_deep},
  });
  return all;
}

std::vector<MethodInfo> methods() {
  std::vector<MethodInfo> infos = {{"auto", "chosen from the data, with the reason", {}}};
  for (const auto& learner : learners()) infos.push_back(learner.info);
  return infos;
}

const Learner& learner_named(const std::string& name) {
  return *std::find_if(learners().begin(), learners().end(), [&](const Learner& l) { return l.info.name == name; });
}

double setting(const LearnOptions& options, const char* name, double otherwise) {
  const auto at = options.settings.find(name);
  return at == options.settings.end() ? otherwise : at->second;
}

void fail(Result& result, AnswerStatus status, std::string message) {
  result.status = status;
  result.message = std::move(message);
}

}  // namespace relucover
