#include "learners/finish/spare_units.hpp"

#include <fmt/format.h>

#include <cmath>

#include "solve/merging.hpp"
#include "solve/pruning.hpp"
#include "solve/relu_form.hpp"
#include "verify/gate.hpp"
#include "verify/statistics.hpp"

namespace relucover {

namespace {

/// Rounding to float32 is not quite random: a unit too many can follow it. What stays within it needs no such unit.
bool at_float32_rounding(Fitted& fit, const SolveOutcome& solved) {
  if (!fit.labels_are_float32()) return false;
  const Network network = relu_network(solved.model, std::vector<int>(static_cast<std::size_t>(solved.model.units()), 1));
  const double rms = std::sqrt(solved.relative_cost * fit.variance() / static_cast<double>(fit.samples().outputs()));
  return rms <= float32_rounding(network, fit.held_out());
}

/// Whether some unit may have been made of noise: without it, other units where they are, χ² is hardly larger.
bool some_unit_is_doubtful(const Fitted& fit) {
  constexpr double clear = 20, alike = 0.9;  // times the unknowns of a unit; agreement of two units
  const SignFreeModel& model = fit.model();
  if (model.units() > 1 && merge_closest_units(fit.samples(), model, fit.control()).agreement >= alike) return true;
  const SignFreeModel fewer = prune(fit.samples(), model, model.units() - 1, Loss{}, fit.control()).model;
  return fit.increase_to(fit.cost_of_all(fewer)) < clear * static_cast<double>(model.inputs() + model.outputs());
}

}  // namespace

void drop_idle_units(Fitted& fit, Result& result) {
  if (!fit.noise_free()) return;
  while (fit.model().units() > 0) {
    auto pruned = fit.without_idle_units();
    const Index before = fit.model().units();
    if (pruned.units() == before) return;
    auto smaller = fit.solve(fit.few(), std::move(pruned), 25, 1e-4).model;
    if (fit.cost_held_out(smaller) >= Fitted::noise_free_cost) return;
    result.notes.push_back(fmt::format("{} unit{} not needed: equal to others or without effect on the data", before - smaller.units(),
                                       before - smaller.units() == 1 ? " was" : "s were"));
    fit.take(std::move(smaller));
  }
}

void drop_undetermined_units(Fitted& fit, Index asked, Result& result) {
  constexpr double by_search = 4.9, by_luck = 3, if_asked_for = 3.5;  // standard deviations; by_luck: for a unit that is known well
  const auto units = [&] { return fit.model().units(); };
  const Index before = units();
  while (fit.known() && units() > 0 && units() < 200) {
    constexpr double known_to_rounding = 1e-4;
    const bool follows_rounding = fit.worst_unit_error() >= known_to_rounding && fit.labels_are_float32();
    const bool asked_for = units() <= asked;  // least squares may see less in them than whoever asked
    const bool all_known = fit.all_known();
    if (all_known && !follows_rounding && (asked_for || !some_unit_is_doubtful(fit))) break;
    auto smaller = fit.with_one_unit_fewer(40, 1e-7);
    const double freedom = static_cast<double>(fit.model().inputs() + fit.model().outputs());
    const double limit = asked_for ? if_asked_for : all_known ? by_luck : by_search;
    const bool by_chance = !(all_known && asked_for) && chi_square_score(fit.increase_to(smaller.relative_cost), freedom) <= limit;
    if (!by_chance && !(follows_rounding && at_float32_rounding(fit, smaller))) break;
    fit.take(std::move(smaller), result);
  }
  if (units() < before)
    result.notes.push_back(
        fmt::format("{} of {} units explained nothing that noise would not, and were dropped", before - units(), before));
}

}  // namespace relucover
