#include "learners/deep/noisy.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "learners/deep/deep_finish.hpp"
#include "learners/deep/shrink.hpp"
#include "solve/layered_descent.hpp"

namespace relucover {

bool at_a_floor(const std::vector<double>& costs_of_starts) {
  constexpr double alike = 1.05, rounding = 1e-12;
  constexpr Index enough = 3;
  if (costs_of_starts.empty()) return false;
  const double least = *std::min_element(costs_of_starts.begin(), costs_of_starts.end());
  const auto there = std::count_if(costs_of_starts.begin(), costs_of_starts.end(), [&](double cost) { return cost < alike * least; });
  return least > rounding && there >= enough;
}

namespace {

std::optional<PlainForm> fitted_through_noise(const LayeredModel& sign_free, const DeepData& data, const std::vector<Index>& widths,
                                              const Control& control) {
  constexpr Index per_parameter = 40;
  const DescentOptions descent{.most_steps = 40, .slow = 1e-3};
  const MemorySource<double> some = data.batch(per_parameter * sign_free.parameters(), 11);
  // What parameters that go had taken of the noise comes back with them.
  const double as_good = 1.05 + 2 * static_cast<double>(sign_free.parameters()) / static_cast<double>(some.samples() * some.outputs());
  const Descent level = descend(sign_free, some, descent, control);
  const std::vector<Index> least = widths.empty() ? std::vector<Index>(sign_free.theta.size(), 0) : widths;
  const Shrunk fewer = shrink(level.model, some, {.least = least, .exact = as_good * level.cost, .tries = 4}, control);
  if (!no_wider(fewer.model, widths)) return std::nullopt;
  for (const RowMatrix& layer : fewer.model.theta)
    if (layer.rows() == 0) return std::nullopt;
  const MemorySource<double> all(data.x, data.y, "all");
  const Descent settled = descend(fewer.model, all, descent, control);
  // Forms that noise has moved are told from others by the size of the noise.
  PlainForm plain = plain_form(settled.model, data.x, data.y, 30 * std::sqrt(settled.cost));
  Descent polished = descend(plain.model, all, {.most_steps = 60, .damping = 1e-4, .slow = 1e-6, .patience = 4}, control);
  if (!(polished.cost <= as_good * settled.cost)) return std::nullopt;
  plain.model = std::move(polished.model);
  return plain;
}

}  // namespace

bool look_through_noise(const DeepData& data, const Control& control, DeepSearchOutcome& outcome) {
  constexpr double hopeless = 0.5, nearly_best = 1.5;
  std::vector<DeepFit> fits = std::move(outcome.of_starts);
  outcome.of_starts.clear();
  std::stable_sort(fits.begin(), fits.end(), [](const DeepFit& a, const DeepFit& b) { return a.cost < b.cost; });
  for (const DeepFit& fit : fits) {
    if (fit.sign_free.output.size() == 0 || !(fit.cost < std::min(hopeless, nearly_best * outcome.cost))) break;
    auto plain = fitted_through_noise(fit.sign_free, data, outcome.most_widths(), control);
    if (!plain) continue;
    outcome.found = outcome.noisy = true;
    outcome.plain = std::move(plain->model);
    outcome.linear = std::move(plain->linear);
    return true;
  }
  return false;
}

}  // namespace relucover
