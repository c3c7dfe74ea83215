#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/check.hpp"
#include "learners/deep/deep_extract.hpp"
#include "relucover/oracle.hpp"
#include "samples/queried_samples.hpp"
#include "samples/views.hpp"
#include "verify/network_error.hpp"

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

/// Whether the answer predicts what it was not learned from: to the rounding, or the noise, that it was certified with.
bool predicts(const RowRange& fresh, const Control& control, Result& result) {
  const NetworkError error = network_error(result.network, fresh, control);
  const double spread = error.relative > 0 ? error.rms / error.relative : 0;
  const double level = std::max({result.residual_rms, result.holdout_rms, result.noise_estimate,
                                 16 * std::numeric_limits<double>::epsilon() * spread});
  // Rounding and noise stay below these; a unit that the sample did not see reaches far above.
  constexpr double typical = 2, worst = 30;
  result.figures["fresh_queries"] = static_cast<double>(error.samples);
  result.figures["fresh_worst"] = error.max_abs;
  return error.rms <= typical * level && error.max_abs <= worst * level;
}

/// Which units queries can see: those that bend. Units that are on at all queries are a linear function there.
void say_what_was_seen(const ExtractOptions& options, const SampleSource& samples, const Control& control, Result& result) {
  if (!result.certified()) return;
  const double fresh = result.figures.contains("fresh_queries") ? result.figures.at("fresh_queries") : 0;
  if (fresh > 0)
    result.notes.push_back(fmt::format("{} fresh queries, which were not learned from, are answered alike (worst difference {:.1e})",
                                       fresh, result.figures.at("fresh_worst")));
  const NetworkError error = network_error(result.network, samples, control);
  const double spread = error.relative > 0 ? error.rms / error.relative : 1;
  const double linear = result.network.skip.size() > 0 ? options.scale * result.network.skip.norm() / spread : 0;
  result.figures["units_bending"] = static_cast<double>(result.network.units());
  result.figures["linear_part"] = linear;
  result.notes.push_back(fmt::format(
      "{} unit{} bend on the queries; {}; units that are off at every query leave no trace", result.network.units(),
      result.network.units() == 1 ? "" : "s",
      linear > 0 ? fmt::format("beside them there is a linear function (skip and offset): units that are on at every query, or a "
                               "linear term of the model, and with it the signs of the units are a convention")
                 : "no unit is on at every query, and there is no linear term"));
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
  if (fresh < 0) found.push_back("fresh must not be negative");
  if (batch < 1) found.push_back("batch must be positive");
  if (!(scale > 0) || !std::isfinite(scale)) found.push_back("scale must be positive and finite");
  return found;
}

Extraction extract(BlackBox& oracle, const ExtractOptions& options) {
  check_no_problems("extract", options.problems());
  if (options.learn.layers.size() > 1 || options.learn.any_depth || options.learn.method == "deep") return extract_deep(oracle, options);
  const Control control(options.learn.threads, options.learn.time_limit, options.learn.observer);
  Extraction extraction;
  QueriedSamples samples(oracle, options);
  try {
    for (Index wanted = first_sample(options);;) {
      samples.grow(wanted, control);
      count(samples, oracle, extraction);
      LearnOptions learn_options = options.learn;
      learn_options.time_limit = control.seconds_left();
      extraction.result = learn(RowRange(samples, 0, wanted), learn_options);
      ++extraction.attempts;
      control.check();
      const Index judged = std::min(wanted + options.fresh, options.budget);
      if (extraction.result.certified()) {
        samples.grow(judged, control);
        if (judged == wanted || predicts(RowRange(samples, wanted, judged), control, extraction.result)) break;
      }
      if (wanted >= options.budget) break;
      wanted = std::min(extraction.result.certified() ? std::max(2 * wanted, judged) : 2 * wanted, options.budget);
    }
    if (samples.samples() >= options.budget) explain_budget(options, extraction.result);
    say_what_was_seen(options, samples, control, extraction.result);
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
