#include "learners/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "learners/choose.hpp"
#include "learners/families.hpp"
#include "learners/registry.hpp"
#include "learners/stage_clock.hpp"
#include "verify/label_grid.hpp"
#include "verify/leftover/noise_shape.hpp"

namespace relucover {

namespace {

/// Schwarz's criterion: a unit more must explain more than chance would let it.
double description_length(const Result& result, Index outputs) {
  const double equations = static_cast<double>(result.samples * outputs);
  const Network& network = result.network;
  const Index affine = network.skip.isZero() && network.offset.isZero() ? 0 : network.skip.size() + network.offset.size();
  const double unknowns = static_cast<double>(network.units() * (network.inputs() + outputs) + affine);
  return 2 * equations * std::log(std::max(result.residual_relative, 1e-300)) + unknowns * std::log(equations);
}

bool leaves_samples_out(const Result& result) { return result.figures.contains("samples_left_out"); }

/// To rounding, all of them.
bool explains_every_sample(const Result& result) {
  constexpr double rounding = 1e-12;
  return !leaves_samples_out(result) && result.residual_relative < rounding;
}

/// Stopped before it was judged, but far nearer to the samples than the answer of another method.
bool stopped_far_nearer(const Result& stopped, const Result& answer) {
  constexpr double far = 0.5;
  return stopped.status == Status::budget_exhausted && stopped.network.inputs() > 0 &&
         stopped.residual_relative < far * answer.residual_relative;
}

bool better(const Result& one, const Result& other, Index outputs) {
  if (one.certified() != other.certified()) return one.certified();
  if (one.usable() != other.usable()) return one.usable() ? !stopped_far_nearer(other, one) : stopped_far_nearer(one, other);
  if (explains_every_sample(one) && leaves_samples_out(other)) return true;
  if (explains_every_sample(other) && leaves_samples_out(one)) return false;
  return description_length(one, outputs) < description_length(other, outputs);
}

/// What is gained in twice the log-likelihood of normal noise.
double gain_over(const Result& tried, const Result& result, Index outputs) {
  const double equations = static_cast<double>(result.samples * outputs);
  return 2 * equations * std::log(std::max(tried.residual_relative, 1e-300) / std::max(result.residual_relative, 1e-300));
}

/// Where one answer left something to explain, another with as many units and the same samples, and no clearly better, can only pass by
/// luck.
void refuse_second_chance(const Result& tried, Index outputs, Result& result) {
  constexpr double clearly = 30;
  if (result.status != Status::recovered || !tried.figures.contains("something_left")) return;
  if (result.network.units() > tried.network.units() || result.left_out > 0 || gain_over(tried, result, outputs) > clearly) return;
  const std::string why = tried.message;
  fail(result, Status::approximate, why);
  result.detection_limit = std::numeric_limits<double>::quiet_NaN();
}

/// An answer that leaves nothing but noise of ordinary tails: labels that are wrong would show, so nothing is won by looking for them.
bool only_noise_is_left(const Result& result) {
  const auto tail = result.figures.find("residual_tail");
  return !result.certified() && std::isfinite(result.detection_limit) && tail != result.figures.end() && tail->second < heavy_tails;
}

bool takes_labels_for_wrong(const Choice& choice) { return choice.method == "robust" || choice.method == "corrupted-labels"; }

/// In small problems a search that ends in a wrong place costs less than what comes after it: it is worth another beginning. Counted in
/// work, not in seconds, so that a run is the same on every machine.
bool search_may_have_been_stuck(const SampleSource& source, const LearnOptions& options, const Result& result) {
  constexpr double small = 8e3;
  const auto units = static_cast<double>(std::max<Index>(options.units, 4));
  const double work = static_cast<double>(source.samples()) * static_cast<double>(source.inputs() + source.outputs()) * units;
  return result.figures.contains("something_left") && work < small;
}

/// Methods in the order in which they are tried; what one leaves decides about those that come after it.
class Plan {
 public:
  Plan(const SampleSource& source, const LearnOptions& options, const Control& control)
      : source_(source), options_(options), control_(control), choices_(choose_methods(source, options, control)) {
    if (options.any_depth)
      look_for_layers_early();
    else if (!choices_.empty() && choices_.front().method == "prune" && could_be_deeper())
      choices_.front().settings[few_units_setting] = 1;
  }

  const Choice* next() { return at_ < choices_.size() ? &choices_[at_] : nullptr; }
  bool first() const { return at_ == 0; }
  /// Whether nothing can come after this one, as far as is known.
  bool last() const {
    return at_ + 1 == choices_.size() && !(first() && source_.outputs() > 1) && !(options_.units == 0 && !deeper_considered_);
  }

  /// The least relative residual on all samples so far.
  double left() const { return left_; }

  void go_on_after(const Result& result) {
    ++at_;
    if (result.certified()) return;
    if (!leaves_samples_out(result)) left_ = std::min(left_, result.residual_relative);
    if (only_noise_is_left(result)) choices_.erase(std::remove_if(rest(), choices_.end(), takes_labels_for_wrong), choices_.end());
    if (const auto wanted = result.figures.find("wants_more_units_than"); at_ == 1 && wanted != result.figures.end()) {
      // A wide layer, or several: a look for these costs less than ever more units.
      Choice more{"prune", "more units than the first look had"};
      more.settings[least_width_setting] = 2 * wanted->second;
      deeper_considered_ = true;
      choices_.insert(rest(), {several_layers(), std::move(more)});
      return;
    }
    if (at_ == 1 && search_may_have_been_stuck(source_, options_, result)) {
      const std::vector<Choice> again{{"prune", "the search again, from another beginning", 0, 1},
                                      {"prune", "the search again, from a third beginning", 0, 2}};
      choices_.insert(rest(), again.begin(), again.end());
    }
    if (at_ == choices_.size() && !labels_may_be_wrong()) consider_families_and_leftover(result);
    if (at_ == choices_.size() && !deeper_considered_) {
      deeper_considered_ = true;
      if (may_be_deeper(result)) choices_.push_back(several_layers());
    }
  }

 private:
  std::vector<Choice>::iterator rest() { return choices_.begin() + static_cast<std::ptrdiff_t>(at_); }
  void consider_families_and_leftover(const Result& result) {
    if (!families_considered_) {
      families_considered_ = true;
      for (const Family& family : families())
        if (family.suggest)
          for (Choice& choice : family.suggest(source_, options_, control_)) choices_.push_back(std::move(choice));
    }
    if (at_ == choices_.size())
      if (auto choice = choose_after(result, source_.samples())) choices_.push_back(std::move(*choice));
  }

  static Choice several_layers() { return {"deep", "one hidden layer does not explain the data"}; }

  /// Any depth is asked for: one hidden layer gets two starts, then come several, then all else.
  void look_for_layers_early() {
    deeper_considered_ = true;
    if (choices_.empty()) return;
    constexpr Index few = 2;
    Choice again = choices_.front();
    choices_.front().starts = few;
    again.reason += ", with more starts";
    choices_.insert(choices_.begin() + 1, {several_layers(), std::move(again)});
  }

  /// Of units whose number the search chose, one that the samples hardly determine stands in for something else.
  static bool has_units_to_spare(const Result& result) {
    constexpr double hardly = 0.2;  // of its size is not known
    const auto error = result.figures.find("largest_relative_unit_error");
    return error != result.figures.end() && !(error->second < hardly);
  }

  /// Something is left, in labels that nobody rounded: they may come from several layers.
  bool may_be_deeper(const Result& result) const {
    if (result.certified()) return false;
    // A search for ever more units that was stopped far from the samples leaves something too.
    constexpr double far = 1e-3;
    const bool stopped = result.status == Status::budget_exhausted && result.network.inputs() > 0 && result.residual_relative > far;
    if (!stopped && !result.figures.contains("something_left") && !leaves_samples_out(result) && !has_units_to_spare(result)) return false;
    constexpr double mostly_noise = 0.7;
    if (!leaves_samples_out(result) && result.residual_relative > mostly_noise) return false;
    return could_be_deeper();
  }

  /// The number of units is free, and labels are as fine as numbers are. Of one input several layers can do no more than one.
  bool could_be_deeper() const {
    if (source_.inputs() < 2 || options_.units > 0) return false;
    const LabelGrid grid = label_grid(source_, control_);
    constexpr double single_precision = 1e-6;
    return grid.rounding() <= single_precision * grid.largest;
  }

  bool labels_may_be_wrong() const { return std::any_of(choices_.begin(), choices_.end(), takes_labels_for_wrong); }

  const SampleSource& source_;
  const LearnOptions& options_;
  const Control& control_;
  std::vector<Choice> choices_;
  std::size_t at_ = 0;
  double left_ = 1;
  bool families_considered_ = false, deeper_considered_ = false;
};

void run(const Choice& choice, double left, const SampleSource& source, const LearnOptions& options, const Control& control,
         Result& result) {
  LearnOptions chosen = options;
  if (choice.units > 0) chosen.units = choice.units;
  chosen.seed += choice.later_seed;
  if (choice.starts > 0) chosen.starts = std::min(chosen.starts, choice.starts);
  for (const auto& [name, value] : choice.settings) chosen.settings[name] = value;
  chosen.any_depth = choice.method == "deep";
  if (chosen.any_depth && !options.any_depth) chosen.settings[unasked_setting] = left;
  result.method = choice.method;
  result.method_reason = choice.reason;
  learner_named(choice.method).run(source, chosen, control, result);
}

/// The better of two answers, with the stages of both: all that took time is shown.
Result better_with_stages(Result one, Result other, Index outputs) {
  const bool first = better(one, other, outputs);
  Result kept = std::move(first ? one : other), worse = std::move(first ? other : one);
  for (StageRecord& record : worse.stages) record.stage = worse.method + ": " + record.stage;
  kept.stages.insert(kept.stages.begin(), worse.stages.begin(), worse.stages.end());
  kept.notes.push_back(fmt::format("{} was tried too ({}): {}", worse.method, worse.method_reason, worse.message));
  return kept;
}

}  // namespace

void learn_by_plan(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result) {
  constexpr double share_of_time = 0.6;  // of what is left, for a method that others come after
  Plan plan(source, options, control);
  const Result before = result;
  std::vector<TriedMethod> tried;
  while (const Choice* choice = plan.next()) {
    const StageClock clock(choice->method);
    const TriedMethod this_one{choice->method, choice->reason};
    const auto file = [&] {
      tried.push_back(this_one);
      tried.back().seconds = clock.seconds(), tried.back().status = name_of(result.status), tried.back().said = result.message;
      result.plan = tried;
    };
    Result kept = std::move(result);
    const bool first = plan.first();
    result = before;
    try {
      run(*choice, plan.left(), source, options, plan.last() ? control : control.with_time_limit(share_of_time * control.seconds_left()),
          result);
    } catch (const Interrupted& interrupted) {
      if (kept.network.inputs() > 0 && (result.network.inputs() == 0 || kept.residual_relative < result.residual_relative))
        result.network = kept.network, result.residual_rms = kept.residual_rms, result.residual_relative = kept.residual_relative,
        result.holdout_rms = kept.holdout_rms;
      fail(result, Status::budget_exhausted, interrupted.what());
      try {
        control.check();
      } catch (const Interrupted&) {  // the whole time is over, or somebody cancelled
        file();
        throw;
      }
    }
    if (!first) refuse_second_chance(kept, source.outputs(), result);
    file();
    plan.go_on_after(result);
    if (!first) result = better_with_stages(std::move(result), std::move(kept), source.outputs());
    result.plan = tried;
    if (result.certified()) return;
  }
}

}  // namespace relucover
