#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/check.hpp"
#include "relucover/oracle.hpp"
#include "samples/queried_samples.hpp"

namespace relucover {

namespace {

Index first_sample(const ExtractOptions& options) {
  const Index wanted = options.first > 0 ? options.first : std::max<Index>(1000, 40 * (options.inputs + 1));
  return std::min(wanted, options.budget);
}

void count(const QueriedSamples& samples, const BlackBox& oracle, Extraction& extraction) {
  extraction.queries = samples.queries();
  extraction.repeated = samples.repeated();
  extraction.reused = samples.reused();
  extraction.restarts = oracle.restarts();
}

/// Says in the result that the budget ended the work, not the data.
void explain_budget(const ExtractOptions& options, Result& result) {
  if (result.certified()) return;
  result.notes.push_back(fmt::format("the budget of {} queries was used up before the answer could be certified", options.budget));
  if (!result.usable()) {
    result.message = fmt::format("after {} queries: {}", options.budget, result.message);
    result.status = Status::budget_exhausted;
  }
}

}  // namespace

std::vector<std::string> ExtractOptions::problems() const {
  std::vector<std::string> found = learn.problems();
  if (inputs < 1) found.push_back("inputs must be positive");
  if (budget < 1) found.push_back("budget must be positive");
  if (first < 0) found.push_back("first must not be negative");
  if (batch < 1) found.push_back("batch must be positive");
  if (!(scale > 0) || !std::isfinite(scale)) found.push_back("scale must be positive and finite");
  return found;
}

Extraction extract(BlackBox& oracle, const ExtractOptions& options) {
  check_no_problems("extract", options.problems());
  const Control control(options.learn.threads, options.learn.time_limit, options.learn.observer);
  Extraction extraction;
  QueriedSamples samples(oracle, options);
  try {
    for (Index wanted = std::max(first_sample(options), std::min(samples.samples(), options.budget));;
         wanted = std::min(2 * wanted, options.budget)) {
      samples.grow(wanted, control);
      count(samples, oracle, extraction);
      LearnOptions learn_options = options.learn;
      learn_options.time_limit = control.seconds_left();
      extraction.result = learn(samples, learn_options);
      ++extraction.attempts;
      control.check();
      if (extraction.result.certified()) break;
      if (wanted >= options.budget) {
        explain_budget(options, extraction.result);
        break;
      }
    }
  } catch (const Interrupted& reason) {
    if (!extraction.result.usable()) {
      extraction.result.status = Status::budget_exhausted;
      extraction.result.message = reason.what();
    }
    extraction.result.notes.push_back(fmt::format("stopped while asking: {}", reason.what()));
  }
  count(samples, oracle, extraction);
  return extraction;
}

}  // namespace relucover
