#include "learners/choose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "samples/subsample.hpp"
#include "verify/label_outliers.hpp"
#include "verify/leftover/noise_shape.hpp"

namespace relucover {

MemorySource<double> looked_at(const SampleSource& source, const LearnOptions& options, const Control& control) {
  constexpr Index most_rows = 20000, most_values = Index{1} << 22;
  const Index rows = std::min({source.samples(), most_rows, most_values / (source.inputs() + source.outputs())});
  return gather(source, spread_runs(source.samples(), std::max<Index>(rows, 1), options.seed), control);
}

namespace {

/// Labels that no noise of bounded variance would make.
void consider_wrong_labels(const MemorySource<double>& part, std::vector<Choice>& plan) {
  constexpr double deviations = 20;     // from the median: a normal label has 1e-88 to be there
  constexpr double least_share = 2e-4;  // of the entries; fewer may be the tail of the inputs
  const LabelOutliers outliers = label_outliers(part.y(), deviations);
  if (outliers.entries < least_share) return;
  const std::string seen =
      fmt::format("{:.2g}% of the label entries lie more than {:g} deviations off", 100 * outliers.entries, deviations);
  constexpr Index outputs_to_outvote = 4;
  if (part.outputs() >= outputs_to_outvote)
    plan.push_back({"corrupted-labels", fmt::format("{}, and {} outputs can outvote them", seen, part.outputs())});
  plan.push_back({"robust", seen + ": a loss that forgives them"});
}

}  // namespace

std::vector<Choice> choose_methods(const SampleSource& source, const LearnOptions& options, const Control& control) {
  std::vector<Choice> plan{{"prune", "works for any inputs and outputs"}};
  // Labels are called wrong only where no network explains all of them.
  consider_wrong_labels(looked_at(source, options, control), plan);
  return plan;
}

std::optional<Choice> choose_after(const Result& tried, Index samples) {
  constexpr Index most_samples = 1 << 20;  // it looks at single samples again and again
  const auto tail = tried.figures.find("residual_tail");
  if (tail == tried.figures.end() || tail->second < heavy_tails || samples > most_samples || std::isfinite(tried.detection_limit))
    return std::nullopt;
  return Choice{"robust",
                fmt::format("what is left has tails {:.1f} times as heavy as normal noise: a loss that forgives them", tail->second)};
}

}  // namespace relucover
