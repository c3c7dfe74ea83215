#include "learners/finish/finish.hpp"

#include <fmt/format.h>

#include "learners/best_so_far.hpp"
#include "learners/finish/equal_noise.hpp"
#include "learners/finish/fitted.hpp"
#include "learners/finish/give_up.hpp"
#include "learners/finish/sides_of_units.hpp"
#include "learners/finish/spare_units.hpp"
#include "learners/stage_clock.hpp"
#include "reduce/reduce.hpp"
#include "samples/views.hpp"
#include "solve/relu_form.hpp"
#include "verify/network_error.hpp"

namespace relucover {

namespace {

class Finish {
 public:
  Finish(const SampleSource& source, SignFreeModel model, const LearnOptions& options, const Control& control, Result& result,
         std::optional<PartlyExplained> partly)
      : source_(source), options_(options), control_(control), result_(result), partly_(std::move(partly)),
        fit_(source, std::move(model), control) {}

  /// `scale`: what labels were multiplied with, so that their noise is alike.
  Finish& of_scaled_labels(const Vector& scale) {
    scale_ = scale;
    return *this;
  }

  void start() {
    keep_as_best_so_far(source_, fit_.model(), result_);
    fit_.polish(result_);
  }

  /// All 1 where there is no noise or it is alike already.
  Vector equalising() const {
    if (source_.outputs() == 1 || fit_.noise_free() || partly_) return Vector::Ones(source_.outputs());
    const Network network = relu_network(fit_.model(), std::vector<int>(static_cast<std::size_t>(fit_.model().units()), 1));
    return equalising_scales(network_error(network, fit_.held_out(), control_).output_rms);
  }
  const SignFreeModel& model() const { return fit_.model(); }

  void go_on() {
    drop_idle_units(fit_, result_);
    if (options_.noise_free && !fit_.noise_free() &&
        leaves_more_than_rounding(fit_.cost_held_out(fit_.model()), fit_.variance(), source_.outputs(), fit_.grid()))
      return give_up_unexplained(source_, fit_.model(), result_);
    if (!fit_.noise_free()) fit_.fit_all_samples(result_);
    fit_.measure_uncertainty(result_);
    if (!fit_.noise_free()) drop_undetermined_units(fit_, options_.units, result_);
    const Result before = result_;
    conclude();
    if (!fit_.noise_free() && !fit_.all_known() && fit_.model().units() > options_.units) conclude_with_fewer_units(before);
  }

 private:
  void conclude() {
    sides_ = choose_sides(fit_, result_);
    judge();
  }

  /// Noise that is larger in places lets a unit follow it there. Such an answer is no claim; without the unit it may be one, and
  /// the gate has tests for a missing unit that noise does not fool.
  void conclude_with_fewer_units(const Result& before) {
    const Result with_all = result_;
    const auto units = [this] { return fit_.model().units(); };
    const Index all = units();
    constexpr double hopeless = 100;  // times the unknowns of a unit
    while (fit_.known() && units() > 1 && units() < 200) {
      auto smaller = fit_.with_one_unit_fewer(40, 1e-7);
      if (fit_.increase_to(smaller.relative_cost) > hopeless * static_cast<double>(fit_.model().inputs() + fit_.model().outputs())) break;
      fit_.take(std::move(smaller), result_);
      if (!fit_.all_known()) continue;
      result_ = before;
      result_.notes.push_back(
          fmt::format("{} of {} units are not known well enough to be told from noise, and were dropped", all - units(), all));
      conclude();
      if (result_.certified()) return;
    }
    result_ = with_all;
  }

  void judge() {
    control_.progress("verify", 0);
    if (const Index idle = fit_.not_needed(); idle > 0)
      result_.notes.push_back(
          fmt::format("{} unit{} of the search {} not needed by any sample", idle, idle == 1 ? "" : "s", idle == 1 ? "was" : "were"));
    result_.network = network_of(fit_, sides_, result_);
    const StageClock clock("verify");  // the last refinement is a stage of its own
    if (!result_.network.problems().empty()) {
      result_.network = Network(source_.inputs(), 0, source_.outputs());
      result_.status = Status::numerical_failure;
      result_.message = "the weights of the answer overflow: the labels may be too noisy for so many units";
      return;
    }
    const NetworkError all = network_error(result_.network, source_, control_);
    const NetworkError held_out = network_error(result_.network, fit_.held_out(), control_);
    result_.samples = source_.samples();
    noise_of_outputs_ = all.output_rms;
    result_.residual_rms = all.rms;
    result_.residual_relative = all.relative;
    result_.holdout_rms = held_out.rms;
    fit_.has_cost(all.rms * all.rms * static_cast<double>(source_.outputs()) / fit_.variance());
    result_.noise_estimate = fit_.noise_free() ? 0 : fit_.sigma();
    decide(all, held_out);
    clock.file(result_, 1, all.relative * all.relative);
    if (const auto& known = fit_.known(); known && known->determined) {
      const double level = fit_.noise_free() ? std::max(all.rms, fit_.grid().rounding() / std::sqrt(3.0)) : result_.noise_estimate;
      const Vector errors = level * known->unit_error;
      result_.series["unit_relative_error"] = {errors.begin(), errors.end()};
    }
  }

  std::string noise_in_words() const {
    if (scale_.size() == 0) return fmt::format("standard deviation {:.3g}", result_.noise_estimate);
    const Vector noise = noise_of_outputs_.cwiseQuotient(scale_);
    return fmt::format("standard deviations of the outputs {:.3g} to {:.3g}", noise.minCoeff(), noise.maxCoeff());
  }

  void decide(const NetworkError& all, const NetworkError& held_out) {
    const SignFreeModel& model = fit_.model();
    const Certificate certificate =
        Gate::judge({.samples = source_,
                     .held_out = fit_.held_out(),
                     .network = result_.network,
                     .model = model,
                     .grid = fit_.grid(),
                     .noise = fit_.sigma(),
                     .error = all,
                     .error_held_out = held_out,
                     .known = fit_.known(),
                     .large_known = [&] { return large_uncertainty(source_, model, second_moment(source_, true, control_), control_); },
                     .partly = partly_,
                     .asked_units = options_.units,
                     .seed = options_.seed},
                    control_);
    result_.status = certificate.status;
    result_.detection_limit = certificate.detection_limit;
    result_.left_out = certificate.left_out;
    if (certificate.something_left) result_.figures["something_left"] = 1;
    result_.figures.insert(certificate.figures.begin(), certificate.figures.end());
    const std::string rounded = fit_.grid().words().empty() ? "" : ", " + fit_.grid().words();
    if (!certificate.given())
      result_.message = "not certified: " + certificate.reason;
    else if (certificate.status == Status::recovered)
      result_.message = fmt::format("recovered to the noise of the labels ({}{}): {}", noise_in_words(), rounded, certificate.reason);
    else
      result_.message = certificate.reason;
    if (certificate.status == Status::exact && options_.units > 0 && model.units() != options_.units)
      result_.message += fmt::format("; {} units are enough, {} were asked for", model.units(), options_.units);
  }

  const SampleSource& source_;
  const LearnOptions& options_;
  const Control& control_;
  Result& result_;
  std::optional<PartlyExplained> partly_;
  Fitted fit_;
  SidesOfUnits sides_;
  Vector scale_;  // of the labels; empty: as they are
  Vector noise_of_outputs_;
};

}  // namespace

void finish(const SampleSource& source, SignFreeModel model, const LearnOptions& options, const Control& control, Result& result,
            std::optional<PartlyExplained> partly) {
  Finish as_given(source, std::move(model), options, control, result, std::move(partly));
  as_given.start();
  const Vector scale = as_given.equalising();
  if ((scale.array() == 1).all()) return as_given.go_on();
  const ScaledOutputs alike(source, scale);
  try {
    Finish finishing(alike, scaled_outputs(as_given.model(), scale), options, control, result, std::nullopt);
    finishing.of_scaled_labels(scale).start();
    finishing.go_on();
  } catch (const Interrupted&) {
    unscale(source, scale, result);
    throw;
  }
  unscale(source, scale, result);
}

}  // namespace relucover
