#include "learners/deep/deep_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "learners/deep/deep_finish.hpp"
#include "learners/deep/grow.hpp"
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
        if (at_a_floor(costs_of_starts)) break;
      }
      if (!outcome_.found && options_.through_noise) look_through_noise(data_, control_, outcome_);
    } catch (const Interrupted&) {
      if (!outcome_.found) throw;  // what is found is worth having
    }
    return std::move(outcome_);
  }

 private:
  void from_one_start(Index start) {
    LayeredModel base(data_.x.cols(), std::ssize(options_.widths), data_.y.cols());
    double base_cost = std::numeric_limits<double>::infinity();
    for (Index round = 0; round < options_.rounds && !done_; ++round) {
      ++outcome_.rounds;
      const std::vector<Index> added = units_to_add(round);
      const Index parameters = LayeredModel::parameters(base.inputs, sum_of(base.widths(), added), base.outputs());
      const MemorySource<double> fixed = data_.batch(rows_for(options_.fixed, parameters), next_draw());
      LayeredModel model = grown(base, added, fixed, random_, control_);
      const std::vector<Index> widths = model.widths();
      const auto told = [&](double cost) { say(start, round, "descend", widths, cost); };
      model = descended(std::move(model), round, parameters, told);
      // A large model is not worth more before units to spare have gone.
      const Index most_steps = too_large_for_dense(parameters) ? 2 : 60;
      Descent down = descend(std::move(model), fixed, {.most_steps = most_steps, .goal = 1e-4 * data_.exact}, control_);
      if (down.cost > options_.hopeless) return remember(down.model, down.cost);
      say(start, round, "shrink", down.model.widths(), down.cost);
      Shrunk at{std::move(down.model), down.cost};
      if (at.cost > data_.exact) at = shrink(std::move(at.model), fixed, {.least = options_.widths, .exact = data_.exact}, control_);
      double cost = at.cost;
      if (cost > data_.exact && cost < 1e-4)
        if (auto fitted = fitted_without_worst(at.model, fixed, data_.exact, control_)) {
          at.model = std::move(*fitted);
          cost = 0;
        }
      if (cost < data_.exact) {
        say(start, round, "finish", at.model.widths(), cost);
        at.model = finished(std::move(at.model));
        if (done_) return;
        cost = mean_cost(at.model, data_.batch(4000, 3), control_);
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

  std::vector<Index> units_to_add(Index round) const {
    std::vector<Index> added;
    for (std::size_t l = 0; l < options_.widths.size(); ++l) {
      const double width = static_cast<double>(options_.widths[l]);
      double more = options_.wide * width;
      if (round > 0) more = l > 0 ? 2 * width : round % 2 == 0 ? width / 2 : 0;
      added.push_back(static_cast<Index>(std::ceil(more)));
    }
    return added;
  }

  LayeredModel descended(LayeredModel model, Index round, Index parameters, const std::function<void(double)>& told) {
    const std::uint64_t first = next_draw();
    const Index rows = rows_for(options_.batch, parameters);
    const auto batch = [&](Index i) { return data_.batch(rows, first + static_cast<std::uint64_t>(i)); };
    RotationOptions rotation;
    rotation.told = told;
    rotation.exact = data_.exact;
    rotation.goal = std::max(rotation.goal, 10 * data_.exact);
    rotation.most_batches = options_.batches;
    if (round > 0) {
      rotation.most_batches = 40;
      rotation.stall = 8;
      rotation.damping = 1e-3;
    }
    return descend_on_batches(std::move(model), batch, rotation, control_).model;
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
    if (outcome_.sign_free.output.size() > 0 && cost >= outcome_.cost) return;
    outcome_.sign_free = model;
    outcome_.cost = cost;
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

  void say(Index start, Index round, const char* what, const std::vector<Index>& widths, double cost) const {
    control_.progress(
        "deep search", -1,
        fmt::format("{:.1e}: {}, layers of {} (start {}, round {})", cost, what, fmt::join(widths, ", "), start + 1, round + 1));
  }

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
