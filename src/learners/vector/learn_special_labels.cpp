// Labels with a few wrong entries.
#include <fmt/format.h>

#include <cmath>

#include "learners/finish/finish.hpp"
#include "learners/prune/prune.hpp"
#include "learners/stage_clock.hpp"
#include "learners/vector/conclude.hpp"
#include "learners/vector/methods.hpp"
#include "learners/vector/sparse_corruption.hpp"
#include "samples/subsample.hpp"
#include "verify/gate.hpp"

namespace relucover {

namespace {

struct Repaired {
  MemorySource<double> given, samples;
  double agreeing_share;
};

/// Labels as given where the network agrees with them, the network's own where it does not.
Repaired repaired_labels(const SampleSource& source, const Network& network, const Control& control) {
  auto given = gather(source, 0, source.samples(), control);
  RowMatrix y = network.evaluate(given.x());
  const double scale = std::sqrt(y.squaredNorm() / static_cast<double>(std::max<Index>(y.size(), 1)));
  Index agreeing = 0;
  for (Index i = 0; i < y.rows(); ++i)
    for (Index j = 0; j < y.cols(); ++j)
      if (std::abs(y(i, j) - given.y()(i, j)) < 1e-9 * scale) {
        y(i, j) = given.y()(i, j);
        ++agreeing;
      }
  const double share = static_cast<double>(agreeing) / static_cast<double>(y.size());
  MemorySource<double> samples(given.x(), std::move(y), source.name());
  return {std::move(given), std::move(samples), share};
}

}  // namespace

void learn_corrupted_labels(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result) {
  const StageClock clock("separate wrong entries");
  const CleanedLabels cleaned = clean_labels(source, options.units, control);
  result.figures["corrupted_share"] = cleaned.corrupted_share;
  if (!cleaned.samples) {
    fail_assumption(result, cleaned.problem);
    return;
  }
  clock.file(result, 1, 0);
  LearnOptions with_rank = options;
  with_rank.units = cleaned.rank;
  Result clean;
  learn_pure_neurons(*cleaned.samples, with_rank, control, clean);
  if (wants_own_answer(options) && clean.usable()) {
    const auto stages = result.stages;
    result = std::move(clean);
    result.stages.insert(result.stages.begin(), stages.begin(), stages.end());
    result.figures["corrupted_share"] = cleaned.corrupted_share;
    return;
  }
  if (!clean.certified()) {  // biases, or inputs that are not symmetric
    clean = Result();
    learn_by_pruning(*cleaned.samples, with_rank, control, clean);
  }
  result.stages.insert(result.stages.end(), clean.stages.begin(), clean.stages.end());
  if (!clean.usable()) {
    fail_assumption(result, clean.message);
    return;
  }
  const Repaired repaired = repaired_labels(source, clean.network, control);
  if (repaired.agreeing_share < 0.5) {
    fail_assumption(result, fmt::format("the network explains {:.0f}% of the label entries: more than half would have to be wrong",
                                        100 * repaired.agreeing_share));
    return;
  }
  finish(repaired.samples, sign_free(clean.network), options, control, result, PartlyExplained{&repaired.given, {}});
  result.figures["corrupted_share"] = 1 - repaired.agreeing_share;
  if (result.status != Status::exact)
    result.message = fmt::format("{:.2f}% of the label entries are wrong and were left out; the others: {}",
                                 100 * (1 - repaired.agreeing_share), result.message);
}

}  // namespace relucover
