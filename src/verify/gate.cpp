#include "verify/gate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/linear_algebra.hpp"
#include "verify/distinct_rows.hpp"
#include "verify/gate_parts.hpp"
#include "verify/leftover/features.hpp"
#include "verify/leftover/leftover_tests.hpp"
#include "verify/leftover/noise_shape.hpp"
#include "verify/leftover/row_tests.hpp"
#include "verify/sign_differences.hpp"
#include "verify/untested_samples.hpp"

namespace relucover {

namespace {

/// Root mean square of the absolute values that are added up to a prediction: rounding is a part of this.
double summed_magnitude(const Network& network, const SampleSource& source) {
  BlockBuffer<double> buffer;
  const auto block = source.read(0, std::min<Index>(source.samples(), 1000), buffer);
  Network absolute = network;
  absolute.W = network.W.cwiseAbs();
  absolute.b = network.b.cwiseAbs();
  absolute.A = network.A.cwiseAbs();
  absolute.skip = network.skip.cwiseAbs();
  absolute.offset = network.offset.cwiseAbs();
  const RowMatrix sums = absolute.evaluate(block.x.cwiseAbs());
  return std::sqrt(sums.squaredNorm() / static_cast<double>(std::max<Index>(sums.size(), 1)));
}

/// How large the units are beside what they add up to, as multiples of the labels' spread.
double cancelling(const Network& network, const SampleSource& source) {
  BlockBuffer<double> buffer;
  const auto block = source.read(0, std::min<Index>(source.samples(), 1000), buffer);
  RowMatrix t = block.x * network.W.transpose();
  t.rowwise() += network.b.transpose();
  const RowMatrix sums = t.cwiseMax(0) * network.A.cwiseAbs().transpose();
  const double spread = (block.y.rowwise() - block.y.colwise().mean().eval()).norm();
  return sums.norm() / std::max(spread, 1e-300);
}

/// Labels that the answer is not near: a mark for each.
Matrix wrong_entries(const Judged& answer) {
  constexpr double roundings = 64;
  return (answer.residual.array().abs() > roundings * answer.rounding.array()).cast<double>();
}

/// The reason is empty where labels that an otherwise exact answer does not explain look like accidents.
Certificate wrong_labels_are_accidents(const Claimed& claimed, const Control& control) {
  constexpr double most_wrong = 0.4;
  const PartlyExplained& partly = *claimed.partly;
  const Judged answer = judged(*partly.all, claimed.network, claimed.grid, partly.kept);
  const bool by_entries = partly.kept.empty();
  const Matrix wrong = by_entries ? wrong_entries(answer) : Matrix();
  Certificate certificate;
  certificate.left_out = by_entries ? static_cast<Index>(wrong.sum()) : answer.left_out();
  const Index all = by_entries ? wrong.size() : answer.rows();
  const double share = share_of(certificate.left_out, all);
  const auto refused = [&](std::string why) {
    certificate.reason = std::move(why);
    return certificate;
  };
  if (share > most_wrong)
    return refused(
        fmt::format("{:.0f}% of the labels are not explained; at more than {:.0f}% wrong labels can't be told from another function",
                    100 * share, 100 * most_wrong));
  if (by_entries) {
    if (const double worst = wrong.colwise().mean().maxCoeff(); worst > most_wrong)
      return refused(fmt::format("{:.0f}% of the labels of one output are not explained: this is no accident", 100 * worst));
    const auto right = static_cast<double>(answer.rows() * answer.outputs()) * (1 - share);
    if (right < 1.2 * static_cast<double>(unknowns_of(claimed.network)))
      return refused("too few labels are explained for the number of unknowns");
    RandomStream random(claimed.seed, purpose::judge);
    const double chance = share > 0 ? mask_depends_on_inputs(wrong, answer, random) : 1;
    certificate.figures["chance_left_out"] = chance;
    if (chance < false_alarms::left_out)
      return refused(fmt::format("which labels are not explained depends on the inputs (chance {:.1e}): they are no accidents", chance));
    return certificate;
  }
  control.check();
  const LeftoverVerdict accident = left_out_by_accident(answer, claimed.seed);
  for (const auto& [name, chance] : accident.chances) certificate.figures["chance_" + name] = chance;
  if (!accident.refusal.empty())
    return refused(fmt::format("{} of {} samples are explained to rounding, but the others are no accidents: {}",
                               answer.rows() - certificate.left_out, answer.rows(), accident.refusal));
  return certificate;
}

std::string except_words(Index left_out) { return fmt::format("exact, except {} label{}", left_out, left_out == 1 ? "" : "s"); }

}  // namespace

double float32_rounding(const Network& network, const SampleSource& samples) {
  return 2 * static_cast<double>(std::numeric_limits<float>::epsilon()) * summed_magnitude(network, samples);
}

Certificate Gate::certain(Status status, std::string reason) {
  Certificate certificate;
  certificate.status.value_ = status;
  certificate.reason = std::move(reason);
  return certificate;
}

Certificate Gate::judge(const Claimed& claimed, const Control& control) {
  const NetworkError &all = claimed.error, &held_out = claimed.error_held_out;
  constexpr double float64_roundings = 32;
  const double rounding = float64_roundings * std::numeric_limits<double>::epsilon() * summed_magnitude(claimed.network, claimed.held_out);
  const double single = float32_rounding(claimed.network, claimed.held_out);
  const double stored = claimed.grid.rounding() / std::sqrt(3.0);
  if (all.rms <= rounding && held_out.rms <= rounding) return exact(claimed, std::max(all.rms, stored), "float64", control);
  if (claimed.grid.float32 && !claimed.grid.rounded() && all.rms <= single && held_out.rms <= 1.5 * single)
    return exact(claimed, std::max(all.rms, stored), "float32", control);
  return recovered(claimed, control);
}

Certificate Gate::exact(const Claimed& claimed, double rounding_rms, const char* precision, const Control& control) {
  const std::string so_far = "the function is exact on the data, but ";
  if (const auto problem = too_few_equations(claimed.samples, claimed.network, claimed.grid, control)) return refuse(so_far + *problem);
  // Rounding of units so large would excuse anything: a step between two samples.
  constexpr double most_cancelling = 1e6;
  if (const double times = cancelling(claimed.network, claimed.held_out); times > most_cancelling)
    return refuse(so_far + fmt::format("units cancel each other that are {:.0e} times as large as what they explain", times));
  const Index sides = claimed.model.inputs() + 2;
  const auto barely = barely_split_units(claimed.samples, claimed.model, sides, control);
  if (!barely.empty())
    return refuse(so_far +
                  fmt::format("{} unit{} of the answer ha{} fewer than {} samples on one side of {} kink, so some parameters are free",
                              barely.size(), barely.size() == 1 ? "" : "s", barely.size() == 1 ? "s" : "ve", sides,
                              barely.size() == 1 ? "its" : "their"));
  if (const Index between = fewest_between_units(claimed.samples, claimed.model, control); between >= 0 && between < sides)
    return refuse(so_far + fmt::format("only {} sample{} between two kinks, so nothing tests what the answer says there", between,
                                       between == 1 ? " lies" : "s lie"));
  if (const Index alone = untested_samples(claimed, control); alone > 0)
    return refuse(so_far + fmt::format("{} sample{} a piece of it that no other could contradict", alone,
                                       alone == 1 ? " determines" : "s determine"));
  const Unseen unseen(claimed.samples, unknowns_of(claimed.network), claimed.model.units(), claimed.asked_units, control);
  if (!unseen.refused.empty()) return refuse(so_far + unseen.refused);
  std::string seen = fmt::format("residual at rounding level ({} labels) on held-out samples{}", precision, unseen.words);
  std::map<std::string, double> figures = {{"unseen_share", unseen.share}};
  const auto leaves_error = [&](double worst) {
    return so_far + fmt::format("rounding alone leaves a relative error of {:.1e} in some unit", worst);
  };
  constexpr double largest_error = 1e-4;
  if (!claimed.known) {
    const LargeUncertainty large = claimed.large_known ? claimed.large_known() : LargeUncertainty{};
    if (!large.determined)
      return refuse(
          so_far +
          fmt::format("some parameters are not determined by the data (least eigenvalue of the scaled Gram matrix {:.1e} of the largest)",
                      large.least / std::max(large.largest, 1e-300)));
    const double worst = rounding_rms * large.unit_error.maxCoeff();
    if (!(worst < largest_error)) return refuse(leaves_error(worst));
    figures["least_eigenvalue"] = large.bound;
    figures["certificate_products"] = static_cast<double>(large.products);
    seen += fmt::format(
        "; least eigenvalue of the scaled Gram matrix {:.1e} or more, so that the worst unit has a relative error of {:.1e} at most",
        large.bound, worst);
  } else {
    if (claimed.known->inverse.size() == 0 && !claimed.known->determined)
      return refuse(so_far + "some parameters are not determined by the data");
    const double worst = claimed.model.units() == 0 ? 0 : rounding_rms * claimed.known->unit_error.maxCoeff();
    if (!(worst < largest_error)) return refuse(leaves_error(worst));
    if (claimed.model.units() > 0) seen += fmt::format("; predicted relative error of the worst unit {:.1e}", worst);
  }
  if (!claimed.partly) {
    Certificate certificate = certain(Status::exact, seen);
    certificate.figures = std::move(figures);
    return certificate;
  }
  Certificate accidents = wrong_labels_are_accidents(claimed, control);
  if (!accidents.reason.empty()) return accidents;
  Certificate certificate =
      certain(Status::exact, accidents.left_out > 0 ? fmt::format("{}: {}", except_words(accidents.left_out), seen) : seen);
  certificate.left_out = accidents.left_out;
  certificate.figures = std::move(accidents.figures);
  certificate.figures.merge(figures);
  return certificate;
}

Certificate Gate::recovered(const Claimed& claimed, const Control& control) {
  using namespace noisy_claims;
  constexpr double least_sign_difference = 0.05, as_small_as_rounding = 1e-5;
  const SignFreeModel& model = claimed.model;
  if (claimed.partly && claimed.partly->kept.empty()) return refuse("the labels that agree are not explained to rounding");
  if (!claimed.known) return refuse(fmt::format("{} unknowns are too many to certify with noisy labels", model.unknowns()));
  const Judged answer =
      claimed.partly ? judged(*claimed.partly->all, claimed.network, claimed.grid, claimed.partly->kept)
                     : judged(judged_rows(claimed.samples, claimed.network, claimed.seed, control), claimed.network, claimed.grid, {});
  Certificate certificate = refuse("");
  certificate.left_out = answer.left_out();
  certificate.figures["residual_tail"] = tail_weight(answer.residual);
  const auto refused = [&](std::string why) {
    certificate.reason = std::move(why);
    return certificate;
  };
  const Index equations = claimed.samples.samples() * claimed.samples.outputs();
  const std::string too_few =
      fmt::format("{} samples are too few to judge {} unknowns with noisy labels", claimed.samples.samples(), model.unknowns());
  if (equations < fewest_equations * model.unknowns()) return refused(too_few);
  if (model.units() == 0) return refused("no unit stands out of the noise");
  if (!claimed.known->determined) return refused("some parameters are not determined by the data");
  if (const auto problem = repeated_samples(answer)) return refused(*problem);
  const double largest = claimed.noise * claimed.known->unit_error.cwiseProduct(noise_at_units(answer)).maxCoeff();
  certificate.figures["largest_relative_unit_error"] = largest;
  if (!(largest < largest_unit_error)) return refused(fmt::format("a unit is known only to {:.0f}% of its size", 100 * largest));
  const Index between = fewest_between_units(claimed.samples, model, control), sides = model.inputs() + 2;
  if (between >= 0 && between < sides)
    return refused(fmt::format("only {} sample{} between two kinks, so nothing tests what the answer says there", between,
                               between == 1 ? " lies" : "s lie"));
  if (model.output_is_free() && model.units() > 1) {
    const double share = share_of(between, claimed.samples.samples());
    certificate.figures["least_sign_difference"] = share;
    if (share < least_sign_difference)
      return refused(
          fmt::format("two units stand on the same side (or on opposite sides) of {:.1f}% of the samples, so noise hides how they mix",
                      100 * (1 - share)));
  }
  // What hides in noise as small as rounding is no larger than that.
  const double about_means = (answer.y.rowwise() - answer.y.colwise().mean()).norm();
  const bool like_rounding = answer.residual.norm() < as_small_as_rounding * about_means;
  const bool enough = like_rounding || equations >= equations_per_unknown * model.unknowns();
  const LeftoverVerdict left = nothing_left(answer, claimed.network, claimed.grid, claimed.seed, control, enough);
  for (const auto& [name, chance] : left.chances) certificate.figures["chance_" + name] = chance;
  certificate.figures["residual_tail"] = left.tail;
  if (!left.refusal.empty()) {
    certificate.something_left = true;
    return refused(left.refusal);
  }
  if (!enough) return refused(too_few);
  certificate.detection_limit = left.detection_limit;
  if (!(left.detection_limit < largest_limit)) {
    const double factor = std::pow(left.detection_limit / largest_limit, 2);
    return refused(
        fmt::format("a further unit of {:.2g} times the smallest one found could hide in the noise; about {:.2g} samples would show it",
                    left.detection_limit, 1.1 * factor * static_cast<double>(answer.rows())));
  }
  Certificate given = certain(
      Status::recovered,
      fmt::format("nothing is left that noise would not leave, and a further unit of {:.2g} times the smallest one would have shown",
                  left.detection_limit));
  given.figures = std::move(certificate.figures);
  given.detection_limit = certificate.detection_limit;
  given.left_out = certificate.left_out;
  return given;
}

Certificate Gate::judge_population(const Network& truth, const Network& answer) {
  constexpr double same = 1e-8;
  const Comparison errors = compare(truth, answer);
  const double worst = std::max({errors.max_weight_error, errors.max_bias_error, errors.max_output_error});
  const bool all = errors.units_matched == errors.units_truth && answer.units() == errors.units_truth;
  if (!all || !(worst <= same) || !(errors.function_rms <= same))
    return refuse(fmt::format("{} of {} units from exact moments, relative error of the function {:.1e}", errors.units_matched,
                              errors.units_truth, errors.function_rms));
  return certain(Status::exact, fmt::format("{} units from exact moments, parameters within {:.1e} of the given network{}", answer.units(),
                                            worst, errors.up_to_sign ? " up to sign" : ""));
}

Certificate Gate::judge_first_layer(Status claim, const std::vector<Condition>& conditions, std::string seen) {
  if (conditions.empty()) throw std::logic_error("a claim needs conditions that were looked at");
  std::string reasons;
  for (const Condition& condition : conditions)
    if (!condition.holds) reasons += (reasons.empty() ? "" : "; ") + condition.words;
  return reasons.empty() ? certain(claim, std::move(seen)) : refuse(std::move(reasons));
}

}  // namespace relucover
