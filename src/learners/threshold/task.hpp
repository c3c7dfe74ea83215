#pragma once
// What both tasks about a first layer share: held-out samples, number of units, stages with their time.
#include <chrono>

#include "learners/threshold/first_step.hpp"
#include "relucover/first_layer.hpp"
#include "verify/gate.hpp"

namespace relucover {

/// The last fifth of the samples, at most 200,000, is held out.
struct HoldOut {
  Index begin, end;
  explicit HoldOut(Index samples) : begin(samples - std::min<Index>(samples / 5, 200'000)), end(samples) {}
};

class TaskClock {
 public:
  explicit TaskClock(FirstLayerResult& result) : result_(result) {}
  /// Ends the stage that began with the last call.
  void record(const std::string& stage, Index iterations = 0, double residual = 0);
  double seconds() const;

 private:
  using Clock = std::chrono::steady_clock;
  FirstLayerResult& result_;
  Clock::time_point begin_ = Clock::now(), last_ = begin_;
};

/// First step on the samples that are not held out, with the number of units counted where it is not given; fills the
/// result's figures and notes.
FirstStep run_first_step(const SampleSource& source, const FirstLayerOptions& options, const UnitFunction& unit, bool complement,
                         const HoldOut& holdout, FirstLayerResult& result, const Control& control);

/// The first step on each half of the samples that are not held out: half the largest angle between the two, paired by `step`.
double halves_of_first_step(const SampleSource& source, const FirstLayerOptions& options, const UnitFunction& unit, bool complement,
                            const HoldOut& holdout, const FirstStep& step, const Control& control);

/// Status and message of directions from moments alone: how far halves of the data differ, or that no order carries them.
void judge_first_step(const SampleSource& source, const FirstLayerOptions& options, const UnitFunction& unit, bool complement,
                      const HoldOut& holdout, const FirstStep& step, FirstLayerResult& result, const Control& control);

/// Runs a task; interruption becomes a status, misuse an exception.
FirstLayerResult run_task(const std::string& name, const SampleSource& source, const FirstLayerOptions& options,
                          void (*task)(const SampleSource&, const FirstLayerOptions&, FirstLayerResult&, const Control&));

/// Status and message: the claim if all conditions hold, else what does not.
void settle(FirstLayerResult& result, Status claim, const std::vector<Condition>& conditions, const std::string& seen);

/// Certificate by activity: two halves agree, and held-out labels leave nothing to explain.
void certify_by_activity(const SampleSource& source, const LabelView& activity, const HoldOut& holdout, FirstLayerResult& result,
                         const Control& control);

}  // namespace relucover
