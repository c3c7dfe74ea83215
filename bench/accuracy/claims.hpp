#pragma once
// The story of a bench that counts false claims: cases by number, each with the network behind its labels if there is one.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "relucover/relucover.hpp"

namespace relucover {

struct Problem {
  std::string kind;
  MemorySource<double> samples;
  LearnOptions options;
  std::optional<Network> truth;  // none: there is no network behind the labels
};

/// Units of the truth that are one, made one.
inline Network merged(Network truth, const std::function<bool(const Network&, Index, Index)>& same) {
  truth = canonical(truth);
  for (Index i = 0; i < truth.units(); ++i)
    for (Index j = 0; j < i; ++j)
      if (same(truth, i, j)) {
        truth.A.col(j) += truth.A.col(i);
        truth.A.col(i).setZero();
      }
  return canonical(truth);
}

/// Whether the answer is the truth, up to the certificate's own predicted errors (with room for chance).
inline bool claim_is_true(const Network& truth, const Result& result) {
  const Comparison errors = compare(truth, result.network);
  if (errors.units_matched != truth.units() || result.network.units() != truth.units()) return false;
  if (errors.up_to_sign && !result.sign_ambiguous) return false;
  const auto series = result.series.find("unit_relative_error");
  double predicted = 0;
  if (series != result.series.end())
    for (const double error : series->second) predicted = std::max(predicted, error);
  const double allowed = std::max(1e-9, 6 * predicted);
  return std::max(errors.max_weight_error, errors.function_rms) <= allowed;
}

/// All cases as a table, or one: `[cases]` or `case NUMBER`. 1 if there was a false claim.
inline int count_false_claims(int argc, char** argv, int cases, const std::function<Problem(int)>& make_problem,
                              const std::function<bool(const Network&, Index, Index)>& same_unit) {
  if (argc == 3 && std::string(argv[1]) == "case") {
    const Problem problem = make_problem(std::atoi(argv[2]));
    fmt::print("{}, {} samples, {}\n{}", problem.kind, problem.samples.samples(), problem.options.method,
               learn(problem.samples, problem.options).full());
    return 0;
  }
  if (argc > 1) cases = std::atoi(argv[1]);
  struct Count {
    int all = 0, certified = 0, named = 0, wrong = 0;
  };
  std::map<std::string, Count> counts;
  int wrong = 0;
  for (int number = 0; number < cases; ++number) {
    const Problem problem = make_problem(number);
    const Result result = learn(problem.samples, problem.options);
    Count& count = counts[problem.kind];
    ++count.all;
    count.named += result.status == Status::assumption_failed;
    if (!result.certified()) continue;
    ++count.certified;
    if (problem.truth && claim_is_true(merged(*problem.truth, same_unit), result)) continue;
    ++count.wrong;
    ++wrong;
    fmt::print("false claim, case {} ({}, {}): {}\n", number, problem.kind, problem.options.method, result.brief());
    std::fflush(stdout);
  }
  fmt::print("{:<24}{:>8}{:>12}{:>20}{:>14}\n", "labels", "cases", "certified", "assumption named", "false claims");
  for (const auto& [kind, count] : counts)
    fmt::print("{:<24}{:>8}{:>12}{:>20}{:>14}\n", kind, count.all, count.certified, count.named, count.wrong);
  fmt::print("{} false claims in {} cases\n", wrong, cases);
  return wrong == 0 ? 0 : 1;
}

}  // namespace relucover
