#include "learners/labels_look.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "relucover/learn.hpp"
#include "samples/subsample.hpp"
#include "verify/label_grid.hpp"
#include "verify/leftover/features.hpp"

namespace relucover {

namespace {

/// Squared difference of the residuals of a row and its nearest neighbour, over what chance would make it: 1 for noise, less for a function
/// that changes slowly enough for the samples to see.
double unlike_neighbours(const MemorySource<double>& samples, const Network& network) {
  constexpr Index most = 2000;
  const Index rows = std::min(most, samples.samples());
  const RowMatrix x = samples.x().topRows(rows);
  const Matrix z = whitened(x), residual = Matrix(samples.y().topRows(rows)) - Matrix(network.serve(x));
  if (rows < 3 || z.cols() == 0) return 1;
  const Vector size = z.rowwise().squaredNorm();
  double between = 0;
  for (Index i = 0; i < rows; ++i) {
    Vector distance = size - 2 * (z * z.row(i).transpose());
    distance[i] = std::numeric_limits<double>::infinity();
    Index nearest = 0;
    distance.minCoeff(&nearest);
    between += (residual.row(i) - residual.row(nearest)).squaredNorm();
  }
  const double about_mean = (residual.rowwise() - residual.colwise().mean()).squaredNorm();
  return about_mean > 0 ? between / (2 * about_mean) : 1;
}

std::string units_of(const Result& result) {
  const std::vector<Index> widths = result.network.widths();
  if (widths.size() > 1) return fmt::format("hidden layers of {} units", fmt::join(widths, ", "));
  return fmt::format("one hidden layer of {} unit{}", result.network.units(), result.network.units() == 1 ? "" : "s");
}

std::string between_zero_and_one(const MemorySource<double>& samples) {
  const bool inside = samples.y().minCoeff() >= 0 && samples.y().maxCoeff() <= 1;
  return inside ? "; labels lie between 0 and 1, as probabilities do (`--link sigmoid` or `softmax`)" : "";
}

}  // namespace

std::string labels_look_like(const SampleSource& source, const LookOptions& options, const Control& control) {
  constexpr double at_rounding = 1e-6, function_of_inputs = 0.6;
  if (source.samples() < 2) return "too few samples to say";
  const LabelGrid grid = label_grid(source, control);
  if (grid.values.size() == 1) return fmt::format("constant: every label is {:g}", grid.values.front());
  if (!grid.values.empty() && static_cast<Index>(10 * grid.values.size()) < source.samples())
    return fmt::format("class labels, or steps: {} different values; they are not enough to recover a network, probabilities or scores are",
                       grid.values.size());
  const Index rows = std::min(options.samples, source.samples());
  auto chosen = spread_rows(source.samples(), rows, options.seed);
  std::sort(chosen.begin(), chosen.end());
  const MemorySource<double> some = gather(source, chosen, control);
  const Result result = learn(some, {.seed = options.seed,
                                     .threads = control.threads(),
                                     .time_limit = std::min(options.seconds, control.seconds_left()),
                                     .observer = options.observer});
  control.check();
  const std::string probabilities = between_zero_and_one(some);
  if (result.network.inputs() == 0) return fmt::format("nothing that {:g} s show ({}){}", options.seconds, result.message, probabilities);
  const bool several = result.network.widths().size() > 1;
  const std::string behind = result.network.link == Link::identity ? "" : fmt::format(", behind a {}", name_of(result.network.link));
  if (result.status == Status::exact || result.residual_relative < at_rounding)
    return fmt::format("{}: {} explain{} {} samples to rounding{}", several ? "deeper than one hidden layer" : "kinked", units_of(result),
                       several ? "" : "s", rows, behind.empty() ? probabilities : behind);
  const std::string leaves =
      fmt::format("{} leave{} {:.2g} of the labels' spread{}", units_of(result), several ? "" : "s", result.residual_relative, behind);
  if (result.status == Status::recovered) return fmt::format("a network with noise: {}, which nothing tells from noise", leaves);
  const double unlike = unlike_neighbours(some, result.network);
  if (unlike < function_of_inputs)
    return fmt::format(
        "smooth, deeper, or of other units than ReLUs: {}, and neighbours err alike (by {:.2g} of what chance would make it){}", leaves,
        unlike, probabilities);
  return fmt::format("noisy, or more than {:g} s show: {}; neighbours do not err alike ({:.2g} of what chance would make it){}",
                     options.seconds, leaves, unlike, probabilities);
}

}  // namespace relucover
