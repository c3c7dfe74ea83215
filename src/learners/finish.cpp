#include "learners/finish.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/linear_algebra.hpp"
#include "learners/best_so_far.hpp"
#include "learners/equal_noise.hpp"
#include "learners/give_up.hpp"
#include "learners/polish_data.hpp"
#include "learners/registry.hpp"
#include "learners/stage_clock.hpp"
#include "reduce/reduce.hpp"
#include "samples/subsample.hpp"
#include "samples/views.hpp"
#include "solve/levenberg_marquardt.hpp"
#include "solve/merging.hpp"
#include "solve/pruning.hpp"
#include "solve/relu_form.hpp"
#include "solve/signs.hpp"
#include "solve/uncertainty.hpp"
#include "verify/gate.hpp"
#include "verify/gate_parts.hpp"
#include "verify/network_error.hpp"
#include "verify/statistics.hpp"

namespace relucover {

namespace {

class Finish {
 public:
  Finish(const SampleSource& source, SignFreeModel model, const LearnOptions& options, const Control& control, Result& result,
         std::optional<PartlyExplained> partly)
      : source_(source), options_(options), control_(control), result_(result), partly_(std::move(partly)), model_(std::move(model)),
        variance_(label_variance(source, control)), data_(polish_data(source, model_, control)),
        sums_(reduce(*data_.fit, AffineSum(source.inputs(), source.outputs(), Loss{}), control)), moment_(second_moment(sums_)) {}

  /// `scale`: what labels were multiplied with, so that their noise is alike.
  Finish& of_scaled_labels(const Vector& scale) {
    scale_ = scale;
    return *this;
  }

  void start() {
    keep_as_best_so_far(source_, model_, result_);
    polish();
  }

  /// All 1 where there is no noise or it is alike already.
  Vector equalising() const {
    if (source_.outputs() == 1 || noise_free_ || partly_) return Vector::Ones(source_.outputs());
    const Network network = relu_network(model_, std::vector<int>(static_cast<std::size_t>(model_.units()), 1));
    return equalising_scales(network_error(network, *data_.judge, control_).output_rms);
  }
  const SignFreeModel& model() const { return model_; }

  void go_on() {
    drop_idle_units();
    if (options_.noise_free && !noise_free_ && leaves_more_than_rounding(judged(model_), variance_, source_.outputs(), grid()))
      return give_up_unexplained(source_, model_, result_);
    if (!noise_free_) fit_all_samples();
    measure_uncertainty();
    if (!noise_free_) drop_undetermined_units();
    const Result before = result_;
    resolve_signs();
    judge();
    if (!noise_free_ && !all_known() && model_.units() > options_.units) judge_with_fewer_units(before);
  }

 private:
  // Below this relative squared residual labels carry at most float64 rounding.
  static constexpr double noise_free_cost = 1e-20;

  SolveOutcome solve(const SampleSource& data, SignFreeModel start, Index iterations, double decrease, double enough = 1e-29) const {
    SolverOptions solver;
    solver.label_variance = variance_;
    solver.initial_damping = 1e-7;
    solver.max_iterations = iterations;
    solver.relative_decrease = decrease;
    solver.max_inner_iterations = 300;
    solver.second_moment = moment_;
    solver.relative_cost = enough;
    return levenberg_marquardt(data, std::move(start), solver, control_);
  }
  /// The best that one unit fewer can do: the one that matters least dropped, or the two most alike made one.
  SolveOutcome with_one_unit_fewer(Index iterations, double decrease) const {
    auto pruned = solve(source_, prune(source_, model_, model_.units() - 1, Loss{}, control_).model, iterations, decrease);
    if (pruned.relative_cost < noise_free_cost) return pruned;
    constexpr double alike = 0.9;
    auto merged = merge_closest_units(source_, model_, control_);
    if (merged.agreement < alike) return pruned;
    auto tried = solve(source_, std::move(merged.model), iterations, decrease);
    return tried.relative_cost < pruned.relative_cost ? tried : pruned;
  }
  double judged(const SignFreeModel& model) const { return relative_cost(*data_.judge, model, Loss{}, variance_, control_); }

  void polish() {
    const StageClock clock("polish");
    control_.progress("polish", 0);
    auto solved = solve(*data_.fit, model_, 25, 1e-4);
    model_ = std::move(solved.model);
    noise_free_ = judged(model_) < noise_free_cost;
    clock.file(result_, solved.iterations, solved.relative_cost);
  }

  const LabelGrid& grid() {
    if (!grid_) grid_ = label_grid(source_, control_);
    return *grid_;
  }

  void drop_idle_units() {
    if (!noise_free_) return;
    constexpr double nothing = 1e-11;
    while (model_.units() > 0) {
      auto pruned = prune_while(*data_.fit, model_, nothing, Loss{}, control_, &sums_);
      if (pruned.model.units() == model_.units()) return;
      auto smaller = solve(*data_.fit, std::move(pruned.model), 25, 1e-4).model;
      if (judged(smaller) >= noise_free_cost) return;
      result_.notes.push_back(fmt::format("{} unit{} not needed: equal to others or without effect on the data",
                                          model_.units() - smaller.units(), model_.units() - smaller.units() == 1 ? " was" : "s were"));
      model_ = std::move(smaller);
    }
  }

  void fit_all_samples() {
    const StageClock clock("fit all samples");
    control_.progress("fit all samples", 0);
    auto solved = solve(source_, model_, 100, 1e-9);
    model_ = std::move(solved.model);
    clock.file(result_, solved.iterations, solved.relative_cost);
    relative_cost_ = solved.relative_cost;
    noise_free_ = relative_cost_ < noise_free_cost && judged(model_) < noise_free_cost;
  }

  void measure_uncertainty() {
    if (model_.unknowns() > most_unknowns_for_uncertainty) return;
    if (noise_free_) {
      known_ = uncertainty(*data_.fit, model_, Loss{}, control_);
      if (well_known()) return;
      fit_all_samples();  // some unit is bent by so few samples that all are needed
    }
    known_ = uncertainty(source_, model_, Loss{}, control_);
    while (noise_free_ && !well_known() && model_.units() > 0) {
      auto smaller = with_one_unit_fewer(25, 1e-4);
      if (smaller.relative_cost >= noise_free_cost) return;
      ++not_needed_;
      model_ = std::move(smaller.model);
      known_ = uncertainty(source_, model_, Loss{}, control_);
    }
  }

  bool well_known() const { return known_->determined && (model_.units() == 0 || known_->unit_error.maxCoeff() < 1e6); }

  double sigma() const {
    const double equations = static_cast<double>(source_.samples() * source_.outputs());
    const double freedom = std::max(1.0, equations - static_cast<double>(model_.unknowns()));
    return std::sqrt(relative_cost_ * variance_ * static_cast<double>(source_.samples()) / freedom);
  }

  bool labels_are_float32() { return grid().float32 && !grid().rounded(); }

  /// Rounding to float32 is not quite random: a unit too many can follow it. What stays within it needs no such unit.
  bool at_float32_rounding(const SolveOutcome& solved) {
    if (!labels_are_float32()) return false;
    const Network network = relu_network(solved.model, std::vector<int>(static_cast<std::size_t>(solved.model.units()), 1));
    const double rms = std::sqrt(solved.relative_cost * variance_ / static_cast<double>(source_.outputs()));
    return rms <= float32_rounding(network, *data_.judge);
  }

  double worst_unit_error() const {
    if (!known_ || !known_->determined) return std::numeric_limits<double>::infinity();
    return model_.units() == 0 ? 0 : sigma() * known_->unit_error.maxCoeff();
  }
  bool all_known() const { return worst_unit_error() < noisy_claims::largest_unit_error; }

  /// By how much χ² is larger with this residual.
  double increase_to(double cost) const {
    const double noise = sigma();
    return std::max(0.0, (cost - relative_cost_) * variance_ * static_cast<double>(source_.samples())) / (noise * noise);
  }

  /// Whether some unit may have been made of noise: without it, other units where they are, χ² is hardly larger.
  bool some_unit_is_doubtful() const {
    constexpr double clear = 20, alike = 0.9;  // times the unknowns of a unit; agreement of two units
    if (model_.units() > 1 && merge_closest_units(source_, model_, control_).agreement >= alike) return true;
    const SignFreeModel fewer = prune(source_, model_, model_.units() - 1, Loss{}, control_).model;
    return increase_to(relative_cost(source_, fewer, Loss{}, variance_, control_)) <
           clear * static_cast<double>(model_.inputs() + model_.outputs());
  }

  /// With noisy labels a unit that explains no more than a search makes of noise is not in the answer.
  void drop_undetermined_units() {
    constexpr double by_search = 4.9, by_luck = 3, if_asked_for = 3.5;  // standard deviations; by_luck: for a unit that is known well
    const Index before = model_.units();
    while (known_ && model_.units() > 0 && model_.units() < 200) {
      constexpr double known_to_rounding = 1e-4;
      const bool follows_rounding = worst_unit_error() >= known_to_rounding && labels_are_float32();
      const bool asked_for = model_.units() <= options_.units;  // least squares may see less in them than whoever asked
      if (all_known() && !follows_rounding && (asked_for || !some_unit_is_doubtful())) break;
      auto smaller = with_one_unit_fewer(40, 1e-7);
      const double freedom = static_cast<double>(model_.inputs() + model_.outputs());
      const bool by_chance =
          !(all_known() && asked_for) && chi_square_score(increase_to(smaller.relative_cost), freedom) <= (asked_for     ? if_asked_for
                                                                                                           : all_known() ? by_luck
                                                                                                                         : by_search);
      if (!by_chance && !(follows_rounding && at_float32_rounding(smaller))) break;
      take(std::move(smaller));
    }
    if (model_.units() < before)
      result_.notes.push_back(
          fmt::format("{} of {} units explained nothing that noise would not, and were dropped", before - model_.units(), before));
  }

  void take(SolveOutcome solved) {
    model_ = std::move(solved.model);
    relative_cost_ = solved.relative_cost;
    measure_uncertainty();
  }

  /// Noise that is larger in places lets a unit follow it there. Such an answer is no claim; without the unit it may be one, and
  /// the gate has tests for a missing unit that noise does not fool.
  void judge_with_fewer_units(const Result& before) {
    const Result with_all = result_;
    const Index units = model_.units();
    constexpr double hopeless = 100;  // times the unknowns of a unit
    while (known_ && model_.units() > 1 && model_.units() < 200) {
      auto smaller = with_one_unit_fewer(40, 1e-7);
      if (increase_to(smaller.relative_cost) > hopeless * static_cast<double>(model_.inputs() + model_.outputs())) break;
      take(std::move(smaller));
      if (!all_known()) continue;
      result_ = before;
      without_skip_ = without_offset_ = false;
      result_.notes.push_back(
          fmt::format("{} of {} units are not known well enough to be told from noise, and were dropped", units - model_.units(), units));
      resolve_signs();
      judge();
      if (result_.certified()) return;
    }
    result_ = with_all;
  }

  /// How far the sum of the units' linear parts may be from the affine part for the signs to fit.
  double sign_tolerance(double scale) const {
    double tolerance = 1e-9 * scale;
    if (noise_free_ || !known_ || !known_->determined) return tolerance;
    const Index width = model_.inputs() + 1;
    double variance = known_->inverse.diagonal().tail(model_.outputs() * width).sum();
    for (Index i = 0; i < model_.units(); ++i)
      variance += model_.output.col(i).squaredNorm() * known_->inverse.block(i * width, i * width, width, width).trace();
    return tolerance + 4 * sigma() * std::sqrt(variance);
  }

  void resolve_signs() {
    const Index inputs = model_.inputs(), outputs = model_.outputs(), units = model_.units();
    if (units == 0) return;
    Matrix rows(units, inputs * outputs);
    for (Index i = 0; i < units; ++i) rows.row(i) = slopes(model_.output.col(i) * model_.theta.row(i)).transpose();
    Vector target = slopes(model_.affine);
    const double scale = target.norm() + rows.rowwise().norm().sum();
    const double tolerance = sign_tolerance(scale);
    // What the data leave free must not decide about signs.
    const Matrix free_slopes = slopes_of_freedom();
    if (free_slopes.cols() > 0) {
      rows -= rows * free_slopes * free_slopes.transpose();
      target -= free_slopes * (free_slopes.transpose() * target);
    }
    const SignSolution found = find_signs(rows, target, tolerance, 1024, control_);
    const auto offset_of = [&](const std::vector<int>& signs) { return leftover_affine(model_, signs).col(inputs).norm(); };
    if (found.signs.empty()) {
      signs_.assign(static_cast<std::size_t>(units), 1);
      result_.sign_ambiguous = units > 0;
      result_.notes.push_back(
          found.complete
              ? "no choice of signs makes the linear parts of the units add up: the network has a linear term of its own, "
                "or units that are linear on the data; it is given as skip and offset, and signs are a convention"
              : fmt::format("the signs of {} units were not searched: too many combinations; the affine part is given as skip and offset",
                            units));
      return;
    }
    // Among equivalent choices prefer the one without an offset: that is how networks are usually built.
    std::vector<double> offsets;
    for (const auto& signs : found.signs) offsets.push_back(offset_of(signs));
    const auto best = std::min_element(offsets.begin(), offsets.end());
    signs_ = found.signs[static_cast<std::size_t>(best - offsets.begin())];
    if (free_slopes.cols() > 0) *best = without_affine_part(tolerance) ? 0 : std::numeric_limits<double>::infinity();
    const double offset_scale = model_.theta.col(inputs).cwiseAbs().sum() + model_.affine.col(inputs).cwiseAbs().sum() + scale;
    const double no_offset = std::max(tolerance, sign_tolerance(offset_scale));
    without_offset_ = *best <= no_offset;
    const auto alike = std::count_if(offsets.begin(), offsets.end(), [&](double o) { return without_offset_ ? o <= no_offset : true; });
    result_.sign_ambiguous = alike > 1 || !found.complete;
    without_skip_ = free_slopes.cols() == 0 || without_offset_;
    if (alike > 1) result_.notes.push_back(fmt::format("{} choices of signs give the same function", alike));
  }

  /// The linear part of an affine map (outputs by inputs + 1) as one vector.
  static Vector slopes(const Matrix& affine) { return affine.leftCols(affine.cols() - 1).transpose().reshaped(); }

  /// Orthonormal basis of all changes of linear parts along the directions that noise-free data leave free.
  Matrix slopes_of_freedom() const {
    if (!noise_free_ || !known_ || known_->determined) return {};
    std::vector<Vector> changes;
    for (const auto& direction : known_->freedom.colwise()) {
      const SignFreeModel change = unflatten(direction, model_);
      changes.push_back(slopes(change.affine));
      for (Index i = 0; i < model_.units(); ++i) {
        changes.push_back(slopes(model_.output.col(i) * change.theta.row(i)));
        if (model_.output_is_free()) changes.push_back(slopes(change.output.col(i) * model_.theta.row(i)));
      }
    }
    Matrix all(model_.inputs() * model_.outputs(), static_cast<Index>(changes.size()));
    for (Index k = 0; k < all.cols(); ++k) all.col(k) = changes[static_cast<std::size_t>(k)];
    if (all.cols() == 0) return {};
    return PivotedQr(std::move(all), 1e-7).basis();
  }

  /// Moves along the free directions to a network without skip and offset, if there is one as exact as this: the data
  /// and the shape of a network together may determine what the data alone do not.
  bool without_affine_part(double tolerance) {
    const Matrix left = leftover_affine(model_, signs_);
    Matrix changes(left.size(), known_->freedom.cols());
    for (Index k = 0; k < changes.cols(); ++k) {
      const SignFreeModel change = unflatten(known_->freedom.col(k), model_);
      Matrix moved = change.affine;
      for (Index i = 0; i < model_.units(); ++i) {
        const double sign = signs_[static_cast<std::size_t>(i)];
        moved -= sign * model_.output.col(i) * change.theta.row(i);
        if (model_.output_is_free()) moved -= sign * change.output.col(i) * model_.theta.row(i);
      }
      changes.col(k) = moved.reshaped();
    }
    const Vector along = minimum_norm_solution(changes, -left.reshaped());
    SignFreeModel moved = model_;
    moved.add(1, unflatten(known_->freedom * along, model_));
    if (leftover_affine(moved, signs_).norm() > tolerance) return false;
    if (relative_cost(source_, moved, Loss{}, variance_, control_) >= noise_free_cost) return false;
    const Uncertainty tied = tied_uncertainty(source_, moved, signs_, control_);
    if (!tied.determined) return false;
    result_.notes.push_back("the data alone leave a part of the answer free; it is fixed by the network having no linear term of its own");
    model_ = std::move(moved);
    known_ = tied;
    return true;
  }

  /// Ties the affine part to the units: fewer unknowns with noisy labels, the last digits without noise.
  void refine_as_relu() {
    const StageClock clock("refine as relu");
    auto tied = refine_in_relu_form(noise_free_ && well_known() ? *data_.fit : source_, model_, signs_, noise_free_ ? 2 : 20, control_);
    if (!noise_free_) {
      // A wrong tie would cost more than the freedom that it takes away.
      const double freedom = static_cast<double>(model_.affine.size());
      const double noise = sigma();
      const double increase = (tied.relative_cost - relative_cost_) * variance_ * static_cast<double>(source_.samples());
      const bool fits = std::isfinite(increase) && chi_square_score(std::max(0.0, increase) / (noise * noise), freedom) < 5;
      if (!fits) {
        without_skip_ = without_offset_ = false;
        result_.sign_ambiguous = true;
        result_.notes.push_back(
            "the linear parts of the units do not add up to the function's within the noise: the network has a linear term of its own, or "
            "units that are linear on the data; it is given as skip and offset, and signs are a convention");
        return;
      }
    }
    clock.file(result_, tied.iterations, tied.relative_cost);
    model_ = std::move(tied.model);
  }

  Network network() {
    if (without_skip_ && without_offset_ && model_.unknowns() <= most_unknowns_for_uncertainty) refine_as_relu();
    if (!noise_free_ && !without_offset_) without_skip_ = false;  // within the noise, but not fitted so
    Network network = relu_network(model_, signs_);
    if (without_skip_) network.skip.setZero();
    if (without_skip_ && without_offset_) network.offset.setZero();
    return network;
  }

  void judge() {
    const StageClock clock("verify");
    control_.progress("verify", 0);
    if (not_needed_ > 0)
      result_.notes.push_back(fmt::format("{} unit{} of the search {} not needed by any sample", not_needed_, not_needed_ == 1 ? "" : "s",
                                          not_needed_ == 1 ? "was" : "were"));
    result_.network = network();
    if (!result_.network.problems().empty()) {
      result_.network = Network(model_.inputs(), 0, model_.outputs());
      result_.status = Status::numerical_failure;
      result_.message = "the weights of the answer overflow: the labels may be too noisy for so many units";
      return;
    }
    const NetworkError all = network_error(result_.network, source_, control_);
    const NetworkError held_out = network_error(result_.network, *data_.judge, control_);
    result_.samples = source_.samples();
    noise_of_outputs_ = all.output_rms;
    result_.residual_rms = all.rms;
    result_.residual_relative = all.relative;
    result_.holdout_rms = held_out.rms;
    relative_cost_ = all.rms * all.rms * static_cast<double>(source_.outputs()) / variance_;
    result_.noise_estimate = noise_free_ ? 0 : sigma();
    decide();
    clock.file(result_, 1, all.relative * all.relative);
    if (known_ && known_->determined) {
      const double level = noise_free_ ? std::max(all.rms, grid().rounding() / std::sqrt(3.0)) : result_.noise_estimate;
      const Vector errors = level * known_->unit_error;
      result_.series["unit_relative_error"] = {errors.begin(), errors.end()};
    }
  }

  std::string noise_in_words() const {
    if (scale_.size() == 0) return fmt::format("standard deviation {:.3g}", result_.noise_estimate);
    const Vector noise = noise_of_outputs_.cwiseQuotient(scale_);
    return fmt::format("standard deviations of the outputs {:.3g} to {:.3g}", noise.minCoeff(), noise.maxCoeff());
  }

  void decide() {
    const Certificate certificate =
        Gate::judge({.samples = source_,
                     .held_out = *data_.judge,
                     .network = result_.network,
                     .model = model_,
                     .grid = grid(),
                     .noise = sigma(),
                     .known = known_,
                     .large_known = [this] { return large_uncertainty(source_, model_, second_moment(source_, true, control_), control_); },
                     .partly = partly_,
                     .asked_units = options_.units,
                     .seed = options_.seed},
                    control_);
    result_.status = certificate.status;
    result_.detection_limit = certificate.detection_limit;
    result_.left_out = certificate.left_out;
    if (certificate.something_left) result_.figures["something_left"] = 1;
    result_.figures.insert(certificate.figures.begin(), certificate.figures.end());
    const std::string rounded = grid().words().empty() ? "" : ", " + grid().words();
    if (!certificate.given())
      result_.message = "not certified: " + certificate.reason;
    else if (certificate.status == Status::recovered)
      result_.message = fmt::format("recovered to the noise of the labels ({}{}): {}", noise_in_words(), rounded, certificate.reason);
    else
      result_.message = certificate.reason;
    if (certificate.status == Status::exact && options_.units > 0 && model_.units() != options_.units)
      result_.message += fmt::format("; {} units are enough, {} were asked for", model_.units(), options_.units);
  }

  const SampleSource& source_;
  const LearnOptions& options_;
  const Control& control_;
  Result& result_;
  std::optional<PartlyExplained> partly_;
  SignFreeModel model_;
  double variance_ = 1;
  PolishData data_;
  AffineSum sums_;  // of data_.fit
  Matrix moment_;   // of the inputs: damps and preconditions
  bool noise_free_ = false;
  double relative_cost_ = 0;
  std::optional<Uncertainty> known_;
  std::optional<LabelGrid> grid_;
  std::vector<int> signs_;
  Index not_needed_ = 0;
  Vector scale_;  // of the labels; empty: as they are
  Vector noise_of_outputs_;
  bool without_skip_ = false, without_offset_ = false;
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
