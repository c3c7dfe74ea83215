#include "learners/deep/deep_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "learners/deep/deep_finish.hpp"
#include "learners/deep/grow.hpp"
#include "learners/deep/layer_by_layer.hpp"
#include "learners/deep/noisy.hpp"
#include "learners/deep/rare.hpp"
#include "learners/deep/shrink.hpp"
#include "solve/layered_descent.hpp"
#include "solve/layered_linearisation.hpp"

namespace relucover {

namespace {

class DeepSearch {
 public:
  DeepSearch(const DeepData& data, const DeepSearchOptions& options, const Control& control)
      : data_(data), options_(options), control_(control), random_(options.seed, purpose::starts, 4000) {
    outcome_.asked = options.widths;
    outcome_.fewest = options.fewest;
  }

  DeepSearchOutcome run() {
    std::vector<double> costs_of_starts;
    try {
      for (Index start = 0; start < options_.starts && !done_; ++start) {
        ++outcome_.starts;
        const std::ptrdiff_t before = std::ssize(outcome_.history);
        from_one_start(start);
        if (done_) break;
        costs_of_starts.push_back(*std::min_element(outcome_.history.begin() + before, outcome_.history.end()));
        if (at_a_floor(costs_of_starts) && (!options_.through_noise || look_through_noise(data_, control_, outcome_))) break;
      }
      if (!outcome_.found && options_.through_noise) look_through_noise(data_, control_, outcome_);
    } catch (const Interrupted&) {
      if (!outcome_.found) throw;  // what is found is worth having
    }
    return std::move(outcome_);
  }

 private:
  void from_one_start(Index start) {
    outcome_.of_starts.push_back({LayeredModel(), std::numeric_limits<double>::infinity()});
    LayeredModel base(data_.x.cols(), std::ssize(options_.widths), data_.y.cols());
    if (start < starts_from_asked) base = with_asked_layers(start);
    double base_cost = std::numeric_limits<double>::infinity();
    for (Index round = 0; round < options_.rounds && !done_; ++round) {
      ++outcome_.rounds;
      const std::vector<Index> added = units_to_add(base, round, base_cost < data_.exact);
      const Index parameters = LayeredModel::parameters(base.inputs, sum_of(base.widths(), added), base.outputs());
      const MemorySource<double> fixed = data_.batch(rows_for(options_.fixed, parameters), next_draw());
      LayeredModel model = grown(base, added, fixed, random_, control_);
      Shrunk at = fitted(std::move(model), fixed, start, round);
      if (at.cost > options_.hopeless) return remember(at.model, at.cost);
      const bool large = many_parameters(at.model);
      if (!large) {
        leave_worst_out(at, fixed);
        at = layer_by_layer(std::move(at), fixed, start, round);
      }
      if (at.cost > data_.exact) {
        say(start, round, "shrink", at.model.widths(), at.cost);
        at = shrink(std::move(at.model), fixed, {.least = options_.widths, .exact = data_.exact}, control_);
        leave_worst_out(at, fixed);
      }
      if (large) at = layer_by_layer(std::move(at), fixed, start, round);
      double cost = at.cost;
      if (cost < data_.exact) {
        say(start, round, "finish", at.model.widths(), cost);
        at.model = finished(std::move(at.model));
        if (done_) return;
        cost = mean_cost(at.model, data_.batch(4000, 3), control_);
        done_ = options_.ends_when_explained;
      }
      remember(at.model, cost);
      if (round == 0 || cost < 10 * base_cost) {
        base = std::move(at.model);
        base_cost = cost;
      }
      const Index wanted = std::accumulate(options_.widths.begin(), options_.widths.end(), Index{0});
      if (2 * base.units() > 5 * wanted) {
        at = shrink(std::move(base), fixed, {.least = options_.widths, .exact = data_.exact, .allowed = 10}, control_);
        base = std::move(at.model);
        base_cost = at.cost;
      }
    }
  }

  /// Without units, but for what queries have shown; the second start does not believe in signs.
  LayeredModel with_asked_layers(Index start) const {
    const AskedLayers& asked = options_.asked;
    const Index depth = std::ssize(options_.widths);
    const bool signs = start == 0 && std::ssize(asked.plain) < depth;
    LayeredModel model(data_.x.cols(), signs ? asked.plain : std::vector<RowMatrix>{}, depth, data_.y.cols());
    const RowMatrix& forms = signs || asked.plain.empty() ? asked.forms : asked.plain.front();
    if (forms.rows() > 0) add_units(model, model.plain_layers, forms);
    return model;
  }

  /// A large fit that is exact but too wide lacks hardly more than a unit, and all that are added must go again, at exact steps.
  std::vector<Index> units_to_add(const LayeredModel& base, Index round, bool exact) const {
    const bool few = exact && dear_when_exact(data_.x.cols(), options_.widths, data_.y.cols());
    std::vector<Index> added;
    for (std::size_t l = 0; l < options_.widths.size(); ++l) {
      const double width = static_cast<double>(options_.widths[l]);
      double more = (base.plain_layers > 0 && base.depth() > 2 ? wide_above_plain : options_.wide) * width;
      if (round > 0)
        more = (few ? 0.125 : 1) * (l > 0 ? 2 * width : round % 2 == 0 ? width / 2 : 0);
      else if (const Index there = base.width(static_cast<Index>(l)); there > 0)
        more = options_.wide * std::max(0.0, width - static_cast<double>(there));
      added.push_back(static_cast<Index>(l) < base.plain_layers ? 0 : static_cast<Index>(std::ceil(more)));
    }
    return added;
  }

  /// Descended on fresh batches until it is stuck, then on the fixed one.
  Shrunk fitted(LayeredModel model, const MemorySource<double>& fixed, Index start, Index round) {
    const std::uint64_t first = next_draw();
    const Index rows = rows_for(options_.batch, model.parameters());
    const auto batch = [&](Index i) { return data_.batch(rows, first + static_cast<std::uint64_t>(i)); };
    const std::vector<Index> widths = model.widths();
    RotationOptions rotation;
    rotation.told = [&](const LayeredModel& at, double cost) {
      if (options_.fits) options_.fits(at, cost);
      say(start, round, "descend", widths, cost);
    };
    rotation.exact = data_.exact;
    // Batches of a large model, with fewer samples for each parameter, are fitted beyond what the next one bears out.
    rotation.goal = std::max(many_parameters(model) ? 1e-6 : rotation.goal, 10 * data_.exact);
    rotation.most_batches = options_.batches;
    if (round > 0) {
      rotation.most_batches = 40;
      rotation.stall = 8;
      rotation.damping = 1e-3;
    }
    LayeredModel rotated = descend_on_batches(std::move(model), batch, rotation, control_).model;
    // A large model is not worth more before units to spare have gone.
    const Index most_steps = many_parameters(rotated) ? 2 : 60;
    Descent down = descend(std::move(rotated), fixed, {.most_steps = most_steps, .goal = 1e-4 * data_.exact}, control_);
    return {std::move(down.model), down.cost};
  }

  /// A fit that a few samples spoil becomes one that is exact on the others.
  void leave_worst_out(Shrunk& at, const MemorySource<double>& fixed) const {
    constexpr double good = 1e-4;
    if (at.cost < data_.exact || at.cost > good) return;
    if (auto without = fitted_without_worst(at.model, fixed, data_.exact, control_)) at = {std::move(*without), 0};
  }

  /// Layers settled from below, while each leaves a fit that is better than the one before: widths must be known.
  Shrunk layer_by_layer(Shrunk at, const MemorySource<double>& fixed, Index start, Index round) {
    constexpr double good = 1e-2;
    if (options_.fewest) return at;
    while (at.cost > data_.exact && at.cost < good && at.model.plain_layers + 1 < at.model.depth()) {
      auto settled = settled_and_grown(at.model, fixed, start, round, at.cost);
      if (!settled) break;
      Shrunk next = fitted(std::move(*settled), fixed, start, round);
      leave_worst_out(next, fixed);
      if (!(next.cost < at.cost)) break;
      at = std::move(next);
    }
    return at;
  }

  Index units_above_plain(Index layer) const {
    return static_cast<Index>(std::ceil(wide_above_plain * static_cast<double>(options_.widths[static_cast<std::size_t>(layer)])));
  }

  /// The lowest layer settled, and as many random units above that every layer has twice the units wanted.
  std::optional<LayeredModel> settled_and_grown(const LayeredModel& model, const MemorySource<double>& fixed, Index start, Index round,
                                                double cost) {
    const Index lowest = model.plain_layers;
    say(start, round, fmt::format("settle layer {}", lowest + 1), model.widths(), cost);
    const auto settled = with_layer_settled(model, options_.widths[static_cast<std::size_t>(lowest)], fixed, control_);
    if (!settled) return std::nullopt;
    std::vector<Index> added(options_.widths.size(), 0);
    for (Index l = lowest + 1; l < settled->depth(); ++l)
      added[static_cast<std::size_t>(l)] = std::max<Index>(0, units_above_plain(l) - settled->width(l));
    return grown(*settled, added, fixed, random_, control_);
  }

  /// The second-best answer, right on nearly all samples, is taken when it is found again.
  LayeredModel finished(LayeredModel model) {
    Finished end = finish_deep(std::move(model), data_, outcome_.most_widths(), options_.finish, random_, control_);
    if (end.plain) {
      const bool all_right = end.wrong + end.held_wrong == 0;
      const bool better = !outcome_.found || end.wrong + end.held_wrong < outcome_.wrong + outcome_.held_wrong;
      done_ = all_right || outcome_.found;
      if (better) {
        outcome_.found = true;
        outcome_.plain = end.plain->model;
        outcome_.linear = end.plain->linear;
        outcome_.wrong = end.wrong;
        outcome_.held_wrong = end.held_wrong;
        remember(end.sign_free, 0);
      }
    }
    return std::move(end.sign_free);
  }

  void remember(const LayeredModel& model, double cost) {
    outcome_.history.push_back(cost);
    if (cost < outcome_.of_starts.back().cost) outcome_.of_starts.back() = {model, cost};
    if (outcome_.sign_free.output.size() > 0 && cost >= outcome_.cost) return;
    outcome_.sign_free = model;
    outcome_.cost = cost;
    if (options_.fits) options_.fits(model, cost);
  }

  /// Steps are dear then, most of all those of an exact fit, in double precision: units to spare go first.
  static bool many_parameters(const LayeredModel& model) {
    constexpr Index many = 1000;
    return model.parameters() > many;
  }
  static std::vector<Index> sum_of(std::vector<Index> one, const std::vector<Index>& other) {
    for (std::size_t l = 0; l < one.size(); ++l) one[l] += other[l];
    return one;
  }
  Index rows_for(double per_parameter, Index parameters) const {
    return std::min(data_.samples(), rows_for_parameters(per_parameter, parameters) / data_.y.cols());
  }
  /// Draws of rows far apart, so that no two uses share any.
  std::uint64_t next_draw() { return (options_.seed << 40) + (++draws_ << 16); }

  void say(Index start, Index round, std::string_view what, const std::vector<Index>& widths, double cost) const {
    control_.progress(
        "deep search", -1,
        fmt::format("{:.1e}: {}, layers of {} (start {}, round {})", cost, what, fmt::join(widths, ", "), start + 1, round + 1));
  }

  static constexpr Index starts_from_asked = 2;  // what queries seem to show may be wrong
  static constexpr double wide_above_plain = 2;  // several layers above one that is settled
  const DeepData& data_;
  const DeepSearchOptions& options_;
  const Control& control_;
  RandomStream random_;
  std::uint64_t draws_ = 0;
  DeepSearchOutcome outcome_;
  bool done_ = false;
};

}  // namespace

DeepSearchOutcome deep_search(const DeepData& data, const DeepSearchOptions& options, const Control& control) {
  return DeepSearch(data, options, control).run();
}

}  // namespace relucover
