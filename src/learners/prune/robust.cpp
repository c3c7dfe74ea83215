#include "learners/prune/robust.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/median.hpp"
#include "learners/finish/finish.hpp"
#include "learners/prune/prune.hpp"
#include "learners/stage_clock.hpp"
#include "samples/subsample.hpp"
#include "solve/levenberg_marquardt.hpp"
#include "verify/label_outliers.hpp"

namespace relucover {

namespace {

constexpr double gross = 20;  // deviations of a label from its median, for the search

MemorySource<double> rows_of(const MemorySource<double>& data, const std::vector<Index>& rows) {
  return MemorySource<double>(data.x()(rows, Eigen::all), data.y()(rows, Eigen::all), data.name());
}

/// Samples whose residual is at most `largest`.
std::vector<Index> rows_within(const Vector& residuals, double largest) {
  std::vector<Index> rows;
  for (Index i = 0; i < residuals.size(); ++i)
    if (residuals[i] <= largest) rows.push_back(i);
  return rows;
}

Vector residual_norms(const MemorySource<double>& data, const SignFreeModel& model) {
  Vector norms(data.samples());
  constexpr Index block_rows = 4096;
  BlockBuffer<double> buffer;
  for (Index first = 0; first < data.samples(); first += block_rows) {
    SeenBlock seen;
    const auto block = data.read(first, std::min(block_rows, data.samples() - first), buffer);
    seen.look(block, model, Loss{});
    norms.segment(first, block.rows()) = seen.residual.rowwise().norm();
  }
  return norms;
}

double median_norm(const MemorySource<double>& data, const SignFreeModel& model) {
  const Vector norms = residual_norms(data, model);
  return median_of(norms);
}

/// Levenberg-Marquardt with the forgiving loss, its scale following the median residual down.
SignFreeModel refined(const MemorySource<double>& data, SignFreeModel model, double label_scale, const Control& control, Result& result) {
  const StageClock clock("robust loss");
  constexpr int max_rounds = 12;
  constexpr double medians = 3.5;  // c in median residuals: 2.4 deviations of normal noise, 95% of the efficiency of least squares
  double median = median_norm(data, model);
  Index iterations = 0;
  for (int round = 0; round < max_rounds && median > 1e-13 * label_scale; ++round) {
    SolverOptions solver;
    solver.loss.robust_scale = medians * median;
    solver.initial_damping = 1e-6;
    solver.relative_decrease = 1e-7;
    solver.max_iterations = 30;
    solver.max_inner_iterations = 200;
    auto solved = levenberg_marquardt(data, model, solver, control);
    iterations += solved.iterations;
    const double next = median_norm(data, solved.model);
    if (!(next < median) && round > 0) break;
    const bool settled = next > 0.98 * median;
    model = std::move(solved.model);
    median = next;
    if (settled) break;
  }
  clock.file(result, iterations, median * median / (label_scale * label_scale));
  return model;
}

}  // namespace

void learn_robustly(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result) {
  const MemorySource<double> data = gather(source, 0, source.samples(), control);
  const Vector distances = label_distances(data.y());
  const MemorySource<double> tame = rows_of(data, rows_within(distances, gross));
  if (2 * tame.samples() < data.samples()) {
    result.status = Status::assumption_failed;
    result.message = fmt::format("{} of {} samples have a label more than {:g} deviations off: more than half",
                                 data.samples() - tame.samples(), data.samples(), gross);
    return;
  }
  finish_robustly(data, found_by_pruning(tame, options, control, result), options, control, result);
}

void finish_robustly(const MemorySource<double>& data, const SignFreeModel& start, const LearnOptions& options, const Control& control,
                     Result& result) {
  constexpr double close = 6;  // median residuals of a sample that counts
  constexpr double rounding = 1e-9;
  const MemorySource<double> tame = rows_of(data, rows_within(label_distances(data.y()), gross));
  const double label_scale = std::sqrt(tame.y().squaredNorm() / static_cast<double>(std::max<Index>(1, tame.samples())));
  const SignFreeModel model = refined(data, start, label_scale, control, result);

  const Vector norms = residual_norms(data, model);
  const double largest = std::max(close * median_of(norms), rounding * label_scale);
  const auto rows = rows_within(norms, largest);
  PartlyExplained partly{&data, std::vector<bool>(static_cast<std::size_t>(data.samples()), false)};
  for (const Index row : rows) partly.kept[static_cast<std::size_t>(row)] = true;
  finish(rows_of(data, rows), model, options, control, result, std::move(partly));
  result.samples = data.samples();
  const Index left_out = data.samples() - static_cast<Index>(rows.size());
  result.figures["samples_left_out"] = static_cast<double>(left_out);
  if (left_out > 0 && result.status != Status::exact)
    result.message = fmt::format("{:.2g}% of the samples lie more than {:g} median residuals off and were left out; the others: {}",
                                 100.0 * static_cast<double>(left_out) / static_cast<double>(data.samples()), close, result.message);
}

}  // namespace relucover
