#include "learners/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "learners/families.hpp"
#include "learners/prune/prune.hpp"
#include "learners/prune/robust.hpp"

namespace relucover {

namespace {

std::vector<Learner> with_families(std::vector<Learner> rows) {
  for (Family& family : families())
    for (Learner& learner : family.learners) rows.push_back(std::move(learner));
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
  });
  return all;
}

std::vector<MethodInfo> methods() {
  std::vector<MethodInfo> infos = {{"auto", "chosen from the data, with the reason", {}}};
  for (const auto& learner : learners()) infos.push_back(learner.info);
  return infos;
}

const Learner& learner_named(const std::string& name) {
  const auto at = std::find_if(learners().begin(), learners().end(), [&](const Learner& l) { return l.info.name == name; });
  if (at == learners().end()) throw std::invalid_argument(fmt::format("method {} is not in this program", name));
  return *at;
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
