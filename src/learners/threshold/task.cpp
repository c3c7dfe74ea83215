#include "learners/threshold/task.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "core/check.hpp"
#include "learners/threshold/band_fit.hpp"
#include "learners/threshold/certificate.hpp"
#include "moments/label_moments.hpp"
#include "moments/whitening.hpp"
#include "samples/subsample.hpp"
#include "verify/first_layer.hpp"
#include "verify/input_diagnostics.hpp"
#include "verify/normal_statistics.hpp"

namespace relucover {

std::vector<std::string> FirstLayerOptions::problems() const {
  std::vector<std::string> found;
  if (units < 0) found.push_back(fmt::format("units is {}, expected 0 or more", units));
  if (method != "joint" && method != "landscape" && method != "simultaneous" && method != "directions")
    found.push_back(fmt::format("method is \"{}\", expected joint, landscape, simultaneous or directions", method));
  else if (method != "joint" && !std::isfinite(threshold))
    found.push_back(fmt::format("method {} needs the threshold", method));
  if (method == "directions" && units < 1) found.push_back("method directions needs the number of units");
  if (rounds < 1) found.push_back(fmt::format("rounds is {}, expected 1 or more", rounds));
  if (questions_per_band < 10) found.push_back(fmt::format("questions_per_band is {}, expected 10 or more", questions_per_band));
  if (degree < 0 || degree > 6) found.push_back(fmt::format("degree is {}, expected 0 to 6", degree));
  if (power < 1 || power > 8) found.push_back(fmt::format("power is {}, expected 1 to 8", power));
  if (threads < 0) found.push_back(fmt::format("threads is {}, expected 0 or more", threads));
  if (!(time_limit > 0)) found.push_back("time_limit must be above zero");
  return found;
}

void TaskClock::record(const std::string& stage, Index iterations, double residual) {
  const auto now = Clock::now();
  result_.stages.push_back({stage, std::chrono::duration<double>(now - last_).count(), iterations, residual});
  last_ = now;
}

double TaskClock::seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

void settle(FirstLayerResult& result, Status claim, const std::vector<Condition>& conditions, const std::string& seen) {
  const Certificate certificate = Gate::judge_first_layer(claim, conditions, seen);
  result.status = certificate.status;
  result.message = certificate.given() ? certificate.reason : "not certified: " + certificate.reason;
}

namespace {

/// What all of the methods take for granted: inputs N(0, I). Empty if the samples agree, else what does not.
std::string departure_from_standard_normal(const SampleSource& source, const Control& control) {
  constexpr double chance = 6;  // standard deviations
  const InputMoments moments = input_moments(source, control);
  const double root = std::sqrt(static_cast<double>(source.samples()));
  Index column = 0, row = 0;
  const double mean = moments.mean.cwiseAbs().maxCoeff(&column);
  if (mean * root > chance) return fmt::format("input {} has mean {:.3g}, expected 0 ± {:.2g}", column, moments.mean[column], 1 / root);
  const Matrix excess = moments.covariance - Matrix::Identity(source.inputs(), source.inputs());
  if (excess.cwiseAbs().maxCoeff(&row, &column) * root / std::sqrt(2.0) > chance)
    return fmt::format("the covariance of inputs {} and {} is {:.3g}, expected {} ± {:.2g}", row, column, moments.covariance(row, column),
                       row == column ? 1 : 0, 1 / root);
  constexpr Index most_samples = 20000;
  const auto part = gather(source, spread_rows(source.samples(), std::min(source.samples(), most_samples), 0), control);
  if (part.samples() < fewest_for_normality) return {};
  const Test gaussian = gaussian_inputs(part, {.level = 1e-6}, control);
  if (!gaussian.passed)
    return fmt::format("{} is {:.1f} standard deviations from that of Gaussian inputs ({:.1f} would pass)", gaussian.worst,
                       gaussian.worst_z, gaussian.threshold);
  return {};
}

}  // namespace

namespace {

/// A claim that holds by its own checks must leave nothing either.
void look_at_what_is_left(const SampleSource& source, const FirstLayerOptions& options, FirstLayerResult& result, const Control& control) {
  if (result.status != Status::recovered) return;
  const Thresholds units{result.model.W, result.model.t};
  const double distance = std::max(0.02, 5 * result.direction_error * std::sqrt(static_cast<double>(units.W.cols())));
  std::string left;
  if (result.task == "halfspaces") {
    const double active = result.figures["intersection"] != 0 ? 0 : 1;
    left = flips_are_accidents(source, units, active, distance, options.seed, control);
    if (left.empty()) left = boundaries_are_planes(source, units, active, distance, options.seed, control);
  } else if (result.figures.contains("activity_error")) {
    left = rest_is_at_rest(source, units, result.figures["rest_value"], distance, control);
    if (left.empty()) left = cells_follow_their_unit(source, units, result.figures["rest_value"], distance, control);
  } else if (result.figures.contains("halves_ratio"))
    left = cells_are_lines(source, units, options.seed, control);
  if (left.empty()) return;
  result.status = Status::approximate;
  result.message = "not certified: " + left;
}

}  // namespace

FirstLayerResult run_task(const std::string& name, const SampleSource& source, const FirstLayerOptions& options,
                          void (*task)(const SampleSource&, const FirstLayerOptions&, FirstLayerResult&, const Control&)) {
  std::vector<std::string> problems = options.problems();
  if (source.outputs() != 1) problems.push_back(fmt::format("the data have {} outputs, expected 1", source.outputs()));
  if (options.units > source.inputs())
    problems.push_back(fmt::format("{} units in {} inputs: directions must be independent", options.units, source.inputs()));
  if (source.samples() < 100) problems.push_back(fmt::format("{} samples are too few, expected 100 or more", source.samples()));
  check_no_problems(name, problems);

  FirstLayerResult result;
  result.task = name;
  result.samples = source.samples();
  const int threads = options.threads > 0 ? options.threads : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const TaskClock clock(result);
  try {
    const Control control(threads, options.time_limit, options.observer);
    const std::string departure = departure_from_standard_normal(source, control);
    FirstLayerOptions asked = options;
    if (!departure.empty() && name == "lowest-layer" && constant_label(source, control) == 1.0) asked.biased = true;
    if (departure.empty() || asked.biased) {
      task(source, asked, result, control);
      if (!asked.biased) look_at_what_is_left(source, asked, result, control);
    } else {
      result.status = Status::assumption_failed;
      result.message = fmt::format(
          "the inputs are not standard normal: {}; give inputs of mean 0 and covariance I (`relucover diagnose` says more)", departure);
    }
  } catch (const Interrupted& stopped) {
    result.status = Status::budget_exhausted;
    result.message = stopped.what();
  }
  result.seconds = clock.seconds();
  return result;
}

namespace {

/// Eigenvalues of T_2 that stand out: above the noise, and before the largest drop.
Index count_units(const Vector& spectrum, double noise) {
  const Vector size = spectrum.cwiseAbs();
  Index above = 0;
  while (above < size.size() && size[above] > noise) ++above;
  Index best = above;
  double drop = 1;
  for (Index i = 1; i <= std::min(above, size.size() - 1); ++i)
    if (size[i - 1] / std::max(size[i], 0.2 * noise) > drop) {
      drop = size[i - 1] / std::max(size[i], 0.2 * noise);
      best = i;
    }
  return above == size.size() ? above : best;
}

}  // namespace

namespace {

FirstStepOptions first_step_options(const FirstLayerOptions& options, const UnitFunction& unit, bool complement, const HoldOut& holdout) {
  FirstStepOptions first{.units = options.units,
                         .unit = unit,
                         .threshold = options.threshold,
                         .complement = complement,
                         .biased = options.biased,
                         .seed = options.seed,
                         .begin = 0,
                         .end = holdout.begin};
  // The landscape is of order 4; where that order vanishes, order 3 has the directions.
  const bool fourth_vanishes =
      std::isfinite(options.threshold) &&
      std::abs(unit.hermite_coefficient(4, options.threshold)) < vanishing_share * std::abs(unit.hermite_coefficient(2, options.threshold));
  if (options.method == "landscape" && !fourth_vanishes) first.method = FirstStepOptions::Method::landscape;
  if (options.method == "simultaneous" && !fourth_vanishes) first.method = FirstStepOptions::Method::simultaneous;
  return first;
}

}  // namespace

FirstStep run_first_step(const SampleSource& source, const FirstLayerOptions& options, const UnitFunction& unit, bool complement,
                         const HoldOut& holdout, FirstLayerResult& result, const Control& control) {
  FirstStepOptions first = first_step_options(options, unit, complement, holdout);
  result.method = first.method == FirstStepOptions::Method::joint ? "joint" : options.method;
  if (result.method != options.method && options.method != "directions")
    result.notes.push_back(
        fmt::format("{} was asked for: its objective is of order 4, and the Hermite coefficient of order 4 is {:.1e} at this "
                    "threshold ({:.1e} of order 3): directions are from both orders together (joint)",
                    options.method, unit.hermite_coefficient(4, options.threshold), unit.hermite_coefficient(3, options.threshold)));
  if (options.units == 0) {
    first.units = 1;
    first.spectrum_only = true;
    const FirstStep probe = first_step(source, first, control);
    first.spectrum_only = false;
    first.units = count_units(probe.spectrum, probe.noise_level);
    result.notes.push_back(fmt::format("{} eigenvalues of T_2 stand out: that many units", first.units));
    if (first.units == 0) return {};
  }
  FirstStep step = first_step(source, first, control);
  result.notes.insert(result.notes.end(), step.notes.begin(), step.notes.end());
  result.first_step_W = step.W;
  result.figures["rest_value"] = step.view.rest;
  result.figures["u2"] = step.u2;
  result.figures["u3"] = step.u3;
  result.figures["u4"] = step.u4;
  result.figures["t2_smallest"] = std::abs(step.spectrum[first.units - 1]);
  result.figures["t2_noise"] = step.noise_level;
  for (const auto& [order, value] : {std::pair{3, step.u3}, std::pair{4, step.u4}})
    if (std::abs(value) < vanishing_share * std::abs(step.u2))
      result.notes.push_back(
          fmt::format("the Hermite coefficient of order {} nearly vanishes at this threshold ({:.2e} against {:.2e} of "
                      "order 2): the other order carries the directions",
                      order, value, step.u2));
  return step;
}

double halves_of_first_step(const SampleSource& source, const FirstLayerOptions& options, const UnitFunction& unit, bool complement,
                            const HoldOut& holdout, const FirstStep& step, const Control& control) {
  const auto directions = [&](Index begin, Index end) {
    FirstStepOptions first = first_step_options(options, unit, complement, holdout);
    first.units = step.W.rows();
    first.begin = begin;
    first.end = end;
    const Matrix found = first_step(source, first, control).W;
    Matrix paired = Matrix::Zero(step.W.rows(), step.W.cols());
    for (Index i = 0; i < paired.rows() && found.rows() > 0; ++i) {
      Index best = 0;
      (found * step.W.row(i).transpose()).maxCoeff(&best);
      paired.row(i) = found.row(best);
    }
    return paired;
  };
  return largest_angle(directions(0, holdout.begin / 2), directions(holdout.begin / 2, holdout.begin)) / 2;
}

void judge_first_step(const SampleSource& source, const FirstLayerOptions& options, const UnitFunction& unit, bool complement,
                      const HoldOut& holdout, const FirstStep& step, FirstLayerResult& result, const Control& control) {
  constexpr double lost = 0.3;  // radians: halves that differ by more than twice this show no common direction
  result.direction_error = halves_of_first_step(source, options, unit, complement, holdout, step, control);
  if (!(result.direction_error <= lost)) {
    result.status = Status::assumption_failed;
    result.message = fmt::format(
        "halves of the data differ by {:.2f} rad: these moments do not carry the directions (normalised Hermite coefficients of "
        "orders 2, 3, 4: {:.1e}, {:.1e}, {:.1e}); give more samples",
        2 * result.direction_error, step.u2, step.u3, step.u4);
    return;
  }
  result.status = Status::approximate;
  result.message =
      fmt::format("first step only: halves of the data differ by {:.3f} rad; what products of units add to the moments is in both",
                  2 * result.direction_error);
}

void certify_by_activity(const SampleSource& source, const LabelView& activity, const HoldOut& holdout, FirstLayerResult& result,
                         const Control& control) {
  const Matrix& W = result.model.W;
  const Vector& t = result.model.t;
  // Halves on their own, from where the narrow fits begin.
  const BandFitOptions narrow{.widths = {0.02, 0.01, 0.005, 0.002, 0.001, 0.0005}, .rounds = 1, .begin = 0, .end = holdout.begin / 2};
  BandFitOptions other = narrow;
  other.begin = holdout.begin / 2;
  other.end = holdout.begin;
  const BandFit a = band_fit(source, activity, W, t, narrow, control), b = band_fit(source, activity, W, t, other, control);
  result.direction_error = largest_angle(a.W, b.W) / 2;
  const double threshold_difference = (a.t - b.t).cwiseAbs().maxCoeff();
  // The answer itself may come from elsewhere (questions): it is at no other place than the halves.
  const double off = std::max(largest_angle(W, a.W), largest_angle(W, b.W));
  const double threshold_off = std::max((t - a.t).cwiseAbs().maxCoeff(), (t - b.t).cwiseAbs().maxCoeff());
  // A direction that is off by e moves the boundary by about e |x|.
  const double distance = std::max(0.02, 5 * result.direction_error * std::sqrt(static_cast<double>(W.cols())));
  const ActivityCheck check = check_activity(source, activity, W, t, distance, holdout.begin, holdout.end, control);
  result.holdout_samples = check.samples;
  result.figures["activity_error"] = check.error();
  result.figures["flips"] = check.flips();
  result.figures["halves_threshold_difference"] = threshold_difference;
  constexpr double agree = 0.02, most_flips = 0.1;
  settle(result, Status::recovered,
         {{a.width.allFinite() && b.width.allFinite(), "half of the data has too few samples near a boundary to place it"},
          {result.direction_error <= agree, fmt::format("two halves of the data differ by {:.3f} rad", 2 * result.direction_error)},
          {off <= 2 * agree && threshold_off <= 2 * agree,
           fmt::format("boundaries fitted to halves of the data are {:.3f} rad and {:.3f} away from the answer", off, threshold_off)},
          {check.nothing_missing(), fmt::format("{} of {} held-out samples far from every boundary are active although no unit is, {} of "
                                                "{} the other way: something is missing",
                                                check.far_rest_wrong, check.far_rest, check.far_active_wrong, check.far_active)},
          {check.flips() <= most_flips, fmt::format("{:.1f}% of labels far from every boundary are wrong", 100 * check.flips())}},
         fmt::format("directions agree between halves to {:.1e} rad, and held-out labels leave no unit to be found",
                     2 * result.direction_error));
}

}  // namespace relucover
