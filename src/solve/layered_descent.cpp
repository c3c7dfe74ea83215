#include "solve/layered_descent.hpp"

#include <algorithm>
#include <cmath>

#include "core/kept.hpp"
#include "core/linear_algebra.hpp"
#include "solve/layered_linearisation.hpp"
#include "solve/layered_sums.hpp"

namespace relucover {

namespace {

// Above this cost single precision is enough for the matrix, or the products, of a step; a matrix of many parameters, which takes long, is
// good enough further down.
double single_above(Index parameters) {
  constexpr Index many = 600;
  return parameters > many ? 1e-13 : 1e-9;
}
// Above it a step is good for so little that its equations are not worth many iterations.
constexpr double loose_above = 1e-7;

LayeredLinearisationOptions how_precisely(const Descent& at) {
  LayeredLinearisationOptions options;
  const bool large = too_large_for_dense(at.model.parameters());
  options.single_precision = !at.model.plain() && (large || at.cost > single_above(at.model.parameters()));
  if (at.cost < loose_above) {
    options.tolerance = 0.01;
    options.most_iterations = 400;
  }
  return options;
}

double damping_after(double gain, double cost_ratio, double damping) {
  if (gain > 0.5) return std::max(damping * std::clamp(cost_ratio, 0.2, 0.5), 1e-13);
  return gain < 0.2 ? damping * 2.5 : damping;
}

}  // namespace

double mean_cost(const LayeredModel& model, const SampleSource& samples, const Control& control) {
  const auto sums = reduce(samples, LayeredCost{&model}, control);
  return sums.squares / static_cast<double>(std::max<Index>(sums.samples, 1));
}

namespace {

/// Takes the longest step of the path that lowers the cost.
bool take(const LayeredStep& step, Descent& at, const SampleSource& samples, const Control& control) {
  const Vector from = at.model.flat();
  for (auto delta = step.path.rbegin(); delta != step.path.rend(); ++delta) {
    LayeredModel next = at.model;
    next.set_flat(from + *delta);
    const double cost = mean_cost(next, samples, control);
    if (!(cost < at.cost)) continue;
    const bool whole = delta == step.path.rbegin();
    at.damping = whole ? damping_after((at.cost - cost) / std::max(step.predicted, 1e-300), cost / at.cost, at.damping) : 5 * at.damping;
    balance(next);
    at.model = std::move(next);
    at.cost = cost;
    ++at.steps;
    return true;
  }
  return false;
}

}  // namespace

bool descend_once(Descent& at, const SampleSource& samples, int tries, const Control& control) {
  const auto linear = linearise(at.model, samples, how_precisely(at), control);
  for (int attempt = 0; attempt < tries; ++attempt) {
    const LayeredStep step = linear->step(at.damping, control);
    if (take(step, at, samples, control)) return true;
    at.damping = step.path.empty() ? std::max(at.damping * 10, 1e-12) : std::max(at.damping * 5, 1e-10);
  }
  return false;
}

Descent descend(LayeredModel start, const SampleSource& samples, const DescentOptions& options, const Control& control) {
  constexpr int tries = 9;
  const Kept<Descent> kept(control);
  Descent at;
  if (!kept.restore(at)) {
    at.model = std::move(start);
    balance(at.model);
    at.cost = mean_cost(at.model, samples, control);
    at.damping = options.damping;
  }
  while (!at.finished && at.steps < options.most_steps) {
    const double before = at.cost;
    const bool moved = descend_once(at, samples, tries, control);
    at.slow = at.cost > (1 - options.slow) * before ? at.slow + 1 : 0;
    at.finished = !moved || at.cost < options.goal || at.slow >= options.patience;
    kept.keep(at);
  }
  return at;
}

namespace {

/// A descent on batches: its costs on batches before they were fitted.
struct Rotation {
  Descent descent;
  std::vector<double> history;
  bool finished = false;
  template <class Visit>
  void fields(Visit& visit) {
    visit(descent, history, finished);
  }
};

bool stalled(const std::vector<double>& history, Index stall) {
  if (std::ssize(history) <= 2 * stall) return false;
  constexpr double progress = 0.85;
  const auto middle = history.end() - stall;
  return *std::min_element(middle, history.end()) > progress * *std::min_element(history.begin(), middle);
}

}  // namespace

Descent descend_on_batches(LayeredModel start, const std::function<MemorySource<double>(Index)>& batch, const RotationOptions& options,
                           const Control& control) {
  constexpr int tries = 6;
  const Kept<Rotation> kept(control);
  Rotation at;
  if (!kept.restore(at)) {
    at.descent.model = std::move(start);
    at.descent.damping = options.damping;
    balance(at.descent.model);
  }
  while (!at.finished && std::ssize(at.history) < options.most_batches) {
    const MemorySource<double> samples = batch(std::ssize(at.history));
    at.descent.cost = mean_cost(at.descent.model, samples, control);
    at.history.push_back(at.descent.cost);
    if (options.told) options.told(at.descent.model, at.descent.cost);
    at.finished = at.descent.cost < options.goal || stalled(at.history, options.stall);
    for (Index step = 0; !at.finished && step < options.steps_per_batch; ++step)
      if (!descend_once(at.descent, samples, tries, control) || at.descent.cost < options.exact) break;
    kept.keep(at);
  }
  at.descent.cost = at.history.back();
  return at.descent;
}

void refit_output(LayeredModel& model, const SampleSource& samples, double ridge, const Control& control) {
  const auto sums = reduce(samples, LayeredOutputSum(model), control);
  Matrix gram = sums.gram;
  gram.diagonal() *= 1 + ridge;
  const Cholesky factor(std::move(gram));
  if (factor.definite()) model.output += factor.solve(sums.right).transpose();
}

}  // namespace relucover
