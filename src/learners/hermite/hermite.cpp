#include "learners/hermite/hermite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/random.hpp"
#include "decompose/pencil.hpp"
#include "decompose/relu_units.hpp"
#include "learners/finish/finish.hpp"
#include "learners/hermite/gaussianity.hpp"
#include "learners/hermite/hidden_units.hpp"
#include "learners/hermite/moment_methods.hpp"
#include "learners/hermite/refined_forms.hpp"
#include "learners/stage_clock.hpp"
#include "moments/hermite.hpp"
#include "moments/subspace.hpp"
#include "samples/subsample.hpp"
#include "solve/levenberg_marquardt.hpp"

namespace relucover {

namespace {

struct HermiteStartOptions {
  Index draws = 60;
  /// Biases from noisy moments are cut to this size: a kink further out is not seen by a start.
  double largest_bias = 2;
  Index scoring_samples = 20000;
  /// An order of moments takes part if its sampling error is below this share of its norm.
  double usable_noise = 0.7;
};

/// Where candidates live: directions among the whitened inputs, number of units, ℓ.
struct Setting {
  Index units = 0, tuple_order = 1;
  Matrix directions;
};

/// Random output combination for several outputs; the one output itself otherwise.
Vector label_combination(const InputMoments& moments, std::uint64_t seed) {
  const Index outputs = moments.label_mean.size();
  if (outputs == 1) return Vector::Ones(1);
  RandomStream random(seed, purpose::pencil, 1u << 20);
  return random.normal_vector(outputs).cwiseQuotient(moments.label_covariance.diagonal().cwiseMax(1e-300).cwiseSqrt());
}

/// Says how far out a kink may be before T_2 no longer shows it, and what a kink one further out would need.
void report_visibility(Index moment_samples, const Vector& spectrum, Index found, Result& result) {
  if (found >= spectrum.size()) return;
  const double edge = std::abs(spectrum[found]);  // what sampling leaves where there is no unit
  double bias = 0;
  while (bias < 8 && normal_density(bias) > edge) bias += 0.01;
  result.figures["largest_visible_bias"] = bias;
  const double samples = static_cast<double>(moment_samples);
  // The edge falls as 1/√N: φ(b) above it needs N (edge/φ(b))².
  const double ratio = edge / normal_density(bias + 1);
  result.figures["samples_for_one_more"] = samples * ratio * ratio;
}

Setting choose_setting(const MomentSource& moments, Index moment_samples, const LearnOptions& options, const Control& control,
                       Result& result) {
  const Index d = moments.inputs();
  Setting setting;
  const auto asked = options.settings.find("order");
  setting.tuple_order = asked != options.settings.end() ? static_cast<Index>(asked->second)
                        : options.units > 0             ? tuple_order_for(d, options.units)
                                                        : 1;
  setting.units = options.units;
  if (setting.tuple_order > 1) {
    setting.directions = Matrix::Identity(d, d);
    return setting;
  }
  const Subspace subspace = subspace_of(moments, setting.units > 0 ? setting.units : d, {.excess = 1.0, .seed = options.seed}, control);
  result.series["t2_spectrum"] = {subspace.spectrum.data(), subspace.spectrum.data() + subspace.spectrum.size()};
  if (setting.units == 0) setting.units = std::max<Index>(1, count_by_spectrum(subspace.spectrum, false));
  result.figures["t2_gap"] = subspace.gap;
  setting.directions = subspace.directions.topRows(std::min(setting.units, subspace.directions.rows()));
  report_visibility(moment_samples, subspace.spectrum, setting.units, result);
  return setting;
}

std::vector<Candidate> draw_candidates(const MomentSource& source, const Setting& setting, std::uint64_t seed,
                                       const HermiteStartOptions& options, const Control& control, Result& result) {
  const Index bottom = 2 * setting.tuple_order;
  const HermiteMoments moments = source.moments(setting.directions, bottom + 2, control);
  const auto noise_share = [&](Index order) {
    const auto k = static_cast<std::size_t>(order);
    return moments.noise[k] / std::max(std::sqrt(moments.tensors[k].squared_norm()), 1e-300);
  };
  for (Index k = 2; k <= bottom + 2; ++k) result.figures[fmt::format("noise_of_order_{}", k)] = noise_share(k);
  PencilOptions pencil{.tuple_order = setting.tuple_order};
  if (setting.tuple_order > 1) {
    pencil.use_top = noise_share(bottom + 2) < options.usable_noise;
    pencil.use_middle = !pencil.use_top || noise_share(bottom + 1) < options.usable_noise;
  }
  const Pencils pencils(moments, setting.units, pencil);
  std::vector<Candidate> candidates;
  for (Index draw = 0; draw < options.draws; ++draw) {
    control.check();
    RandomStream random(seed, purpose::pencil, static_cast<std::uint64_t>(draw));
    const Matrix directions = pencils.draw(random).directions;
    if (directions.rows() == 0) continue;
    const ReluUnits units = recover_scalars(moments, directions, setting.tuple_order);
    Candidate candidate;
    candidate.forms.resize(directions.rows(), directions.cols() + 1);
    candidate.forms.leftCols(directions.cols()) = directions;
    for (Index i = 0; i < directions.rows(); ++i)
      candidate.forms(i, directions.cols()) =
          std::isfinite(units.b[i]) ? std::clamp(units.b[i], -options.largest_bias, options.largest_bias) : 0.0;
    candidates.push_back(std::move(candidate));
  }
  return candidates;
}

/// The candidate as a model of whitened inputs.
SignFreeModel whitened_model(const Candidate& candidate, const Matrix& directions) {
  const Index q = directions.rows(), d = directions.cols();
  SignFreeModel model(d, candidate.forms.rows(), candidate.output.rows());
  model.theta.leftCols(d) = candidate.forms.leftCols(q) * directions;
  model.theta.col(d) = candidate.forms.col(q);
  model.affine.leftCols(d) = candidate.affine.leftCols(q) * directions;
  model.affine.col(d) = candidate.affine.col(q);
  model.output = candidate.output;
  balance(model);
  return model;
}

/// Solves the best few candidates on a part of the samples; stops when one fits to rounding or two agree.
SignFreeModel solve_best(const SampleSource& source, const MomentStart& start, const LearnOptions& options, const Control& control,
                         Result& result) {
  const StageClock clock("solve");
  const Whitening& whitening = start.whitening;
  const std::vector<Candidate>& candidates = start.candidates;
  const Index unknowns = (candidates.front().forms.rows() + 1) * (whitening.size() + 1);
  const Index wanted = std::min(source.samples(), std::max<Index>(5000, 20 * unknowns));
  const auto part = gather(source, spread_rows(source.samples(), wanted, options.seed), control);
  const MemorySource<double> data(RowMatrix(whitening.whiten(part.x())), part.y());
  constexpr double fits_to_rounding = 1e-18, agree = 1e-3;
  SolveOutcome best;
  Index iterations = 0;
  const std::size_t tries = std::min(candidates.size(), static_cast<std::size_t>(options.starts));
  for (std::size_t i = 0; i < tries; ++i) {
    control.progress("solve", static_cast<double>(i) / static_cast<double>(tries));
    auto outcome = levenberg_marquardt(data, whitened_model(candidates[i], start.directions), {}, control);
    iterations += outcome.iterations;
    const double cost = outcome.relative_cost;
    const bool again = i > 0 && std::abs(cost - best.relative_cost) < agree * best.relative_cost;
    if (i == 0 || cost < best.relative_cost) best = std::move(outcome);
    if (best.relative_cost < fits_to_rounding || (again && cost <= best.relative_cost * (1 + agree))) break;
  }
  clock.file(result, iterations, best.relative_cost);
  SignFreeModel model = best.model;
  model.theta = whitening.forms_to_inputs(best.model.theta);
  model.affine = whitening.forms_to_inputs(best.model.affine);
  return model;
}

/// Kinks that only a few samples see pull at all units, and may bring in units that share the work of others.
void repair(const SampleSource& source, const Whitening& whitening, const LearnOptions& options, const Result& before,
            const Control& control, Result& result) {
  const StageClock clock("repair");
  const RefinedForms refined = refine_forms(source, sign_free(result.network), whitening, control);
  if (!refined.found_more) return;
  Result again = before;
  clock.file(again, refined.iterations, refined.relative_cost);
  finish(source, refined.model, options, control, again);
  result = std::move(again);
}

}  // namespace

MomentStart moment_start(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result) {
  const InputMoments inputs = input_moments(source, control);
  const EstimatedMoments moments(source, inputs, whitening_of(inputs), label_combination(inputs, options.seed));
  return moment_start(moments, source, options, control, result);
}

MomentStart moment_start(const SampledMoments& moments, const SampleSource& judge, const LearnOptions& options, const Control& control,
                         Result& result) {
  const StageClock preparing("affine fit");
  const Setting setting = choose_setting(moments, moments.samples(), options, control, result);
  const double affine = moments.affine_residual() / moments.label_variance();
  preparing.file(result, 1, affine);

  const StageClock starting("start");
  control.progress("moments", 0);
  const HermiteStartOptions start_options;
  MomentStart start{moments.whitening(), setting.directions, {}};
  start.candidates = draw_candidates(moments, setting, options.seed, start_options, control, result);
  score_candidates(judge, moments.view(setting.directions), start.candidates, start_options.scoring_samples, control);
  if (start.candidates.empty()) return start;
  const double left = start.candidates.front().residual / moments.total_label_variance();
  starting.file(result, static_cast<Index>(start.candidates.size()), left);
  result.figures["start_over_affine"] = affine > 0 ? left / affine : 0;
  return start;
}

Matrix best_directions(const MomentStart& start) {
  if (start.candidates.empty()) return Matrix(0, start.whitening.inputs);
  const Matrix& forms = start.candidates.front().forms;
  Matrix whitened = Matrix::Zero(forms.rows(), start.whitening.size() + 1);
  whitened.leftCols(start.whitening.size()) = forms.leftCols(forms.cols() - 1) * start.directions;
  Matrix found = start.whitening.forms_to_inputs(whitened).leftCols(start.whitening.inputs);
  found.rowwise().normalize();
  return found;
}

void learn_hermite(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result) {
  report_gaussianity(source, options, control, result);
  learn_from_start(source, moment_start(source, options, control, result), options, control, result);
}

void learn_from_start(const SampleSource& source, const MomentStart& start, const LearnOptions& options, const Control& control,
                      Result& result) {
  if (start.candidates.empty()) {
    result.status = Status::numerical_failure;
    result.message = "no draw of the moment pencils gave a candidate: the moments are degenerate";
    return;
  }
  const SignFreeModel model = solve_best(source, start, options, control, result);
  const Result before = result;
  finish(source, model, options, control, result);
  if (source.outputs() == 1 && !result.certified()) repair(source, start.whitening, options, before, control, result);
  if (source.outputs() == 1)
    report_hidden_units(
        find_hidden_units(source, sign_free(result.network), start.whitening, options.units, result.residual_relative, control),
        source.samples(), result);
}

std::vector<Learner> hermite_learners() {
  const std::vector<std::pair<std::string, std::string>> printed = {
      {"order", "tuples of indices (1 for independent weight vectors, 2 or 3 for more units than inputs; 0: chosen)"},
      {"eta1", "singular values above this count for the rank (0: from the sampling error)"},
      {"eta2", "rank-one terms below this are dropped (0: half of eta1)"},
      {"eta3", "directions nearer than this, up to sign, are one (0: 0.3 on samples, 1e-4 on exact moments)"},
      {"decomposition", "0 Jennrich, 1 subspace power method, 2 alternating least squares"},
      {"draws", "random contractions or starts of the decomposition"},
      {"printed_signs", "1: signs by sign(z) as printed, 0: by the margin rule"}};
  auto regression = printed;
  regression.push_back({"refine", "1: units are refined by the engine before the regression, 0: moments alone, as printed"});
  regression.push_back({"gradient", "1: projected gradient descent as printed, 0: the least squares solved directly"});
  return {
      {{"hermite", "Gaussian inputs of any covariance: pencils of Hermite moments, then the engine", {{"order", printed[0].second}}},
       learn_hermite},
      {{"hermite-printed", "Gaussian inputs: tensor decompositions of two Hermite moments alone, as published", printed},
       learn_hermite_printed},
      {{"hermite-regression", "Gaussian inputs: the published moment method, then linear regression on features of both signs", regression},
       learn_hermite_regression},
  };
}

}  // namespace relucover
