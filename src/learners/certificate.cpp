#include "learners/certificate.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "core/linear_algebra.hpp"
#include "core/random.hpp"
#include "learners/kink_leftover.hpp"
#include "moments/whitening.hpp"
#include "reduce/reduce.hpp"
#include "samples/views.hpp"
#include "solve/levenberg_marquardt.hpp"
#include "verify/statistics.hpp"

namespace relucover {

namespace {

Certificate refuse(std::string reason) { return {false, std::move(reason)}; }

/// Squared residuals of two models on the same samples: does the second explain more?
struct PairedResiduals {
  using Scalar = double;
  const SignFreeModel *first, *second;
  double first_squares = 0, first_fourths = 0, difference = 0, difference_squares = 0;
  Index samples = 0;
  void add(const Block<double>& block) {
    SeenBlock seen;
    seen.look(block, *first, Loss{});
    const Vector before = seen.residual.rowwise().squaredNorm();
    seen.look(block, *second, Loss{});
    const Vector gained = before - seen.residual.rowwise().squaredNorm();
    first_squares += before.sum();
    first_fourths += before.squaredNorm();
    difference += gained.sum();
    difference_squares += gained.squaredNorm();
    samples += block.rows();
  }
  void merge(const PairedResiduals& other) {
    first_squares += other.first_squares;
    first_fourths += other.first_fourths;
    difference += other.difference;
    difference_squares += other.difference_squares;
    samples += other.samples;
  }
  template <class Visit>
  void fields(Visit& visit) {
    visit(first_squares, first_fourths, difference, difference_squares, samples);
  }
  double mean() const { return first_squares / static_cast<double>(samples); }
  double mean_error() const {
    const double n = static_cast<double>(samples);
    return std::sqrt(std::max(0.0, first_fourths / n - mean() * mean()) / n);
  }
  /// Mean gain over its standard error.
  double gain_score() const {
    const double n = static_cast<double>(samples), mean_gain = difference / n;
    const double variance = std::max(difference_squares / n - mean_gain * mean_gain, 1e-300);
    return mean_gain / std::sqrt(variance / n);
  }
};

/// Sum of s_k r (z z^T), for the residual as it is (k = 0) and with random signs (k > 0): what chance makes of it.
struct ResidualHessian {
  using Scalar = double;
  const SignFreeModel* model;
  const Whitening* whitening;
  std::uint64_t seed;
  static constexpr int replicates = 6;
  std::vector<Matrix> sums;
  std::vector<double> totals;
  ResidualHessian(const SignFreeModel& at, const Whitening& white, std::uint64_t seed_)
      : model(&at), whitening(&white), seed(seed_), sums(replicates + 1, Matrix::Zero(at.inputs(), at.inputs())),
        totals(replicates + 1, 0.0) {}
  void add(const Block<double>& block) {
    SeenBlock seen;
    seen.look(block, *model, Loss{});
    const RowMatrix z = whitening->whiten(block.x);
    const Vector residual = seen.residual.rowwise().sum();
    for (int k = 0; k <= replicates; ++k) {
      Vector weight = residual;
      if (k > 0)
        for (Index i = 0; i < block.rows(); ++i)
          weight[i] *= RandomStream(seed + static_cast<std::uint64_t>(k), purpose::split, static_cast<std::uint64_t>(block.first + i)).sign();
      sums[static_cast<std::size_t>(k)].noalias() += z.transpose() * (weight.asDiagonal() * z);
      totals[static_cast<std::size_t>(k)] += weight.sum();
    }
  }
  void merge(const ResidualHessian& other) {
    for (std::size_t k = 0; k < sums.size(); ++k) {
      sums[k] += other.sums[k];
      totals[k] += other.totals[k];
    }
  }
  template <class Visit>
  void fields(Visit& visit) {
    visit(sums, totals);
  }
  double norm(int k) const {
    const Matrix centred = sums[static_cast<std::size_t>(k)] - totals[static_cast<std::size_t>(k)] * Matrix::Identity(model->inputs(), model->inputs());
    return spectral_radius(centred);
  }
};

/// Products of the signs of units, summed over samples.
struct SignProducts {
  using Scalar = double;
  const SignFreeModel* model;
  Matrix sums;
  Index samples = 0;
  void add(const Block<double>& block) {
    SeenBlock seen;
    seen.look(block, *model, Loss{});
    const RowMatrix signs = seen.signs();
    sums.noalias() += signs.transpose() * signs;
    samples += block.rows();
  }
  void merge(const SignProducts& other) {
    sums += other.sums;
    samples += other.samples;
  }
  template <class Visit>
  void fields(Visit& visit) {
    visit(sums, samples);
  }
  /// Least share of samples, over pairs of units, on which the two stand on the same side (or on which they do not).
  double least_difference() const {
    double least = 1;
    for (Index i = 0; i < sums.rows(); ++i)
      for (Index j = 0; j < i; ++j) least = std::min(least, (1 - std::abs(sums(i, j)) / static_cast<double>(samples)) / 2);
    return least;
  }
};

/// Waves in random directions among the units': a linear family rich enough to follow any smooth leftover there.
struct Waves {
  Matrix frequency;  // inputs by waves
  Eigen::RowVectorXd phase;
  RowMatrix at(const RowMatrix& z) const { return ((z * frequency).rowwise() + phase).array().cos(); }
};

Waves waves_among(const SignFreeModel& model, const Whitening& whitening, std::uint64_t seed) {
  constexpr Index count = 120;
  // Directions of the units in whitened inputs: factor^T w.
  Matrix directions = whitening.factor.transpose() * model.theta.leftCols(model.inputs()).transpose();
  directions.colwise().normalize();
  RandomStream random(seed, purpose::sketch);
  Waves waves{Matrix(model.inputs(), count), Eigen::RowVectorXd(count)};
  for (Index k = 0; k < count; ++k) {
    constexpr double scales[] = {0.7, 1.5, 3.0};
    Vector mixed = directions * random.normal_vector(directions.cols());
    waves.frequency.col(k) = scales[k % 3] * mixed.normalized();
    waves.phase[k] = 6.283185307179586 * random.uniform();
  }
  return waves;
}

/// Regression of a model's residual on waves.
struct WaveRegression {
  using Scalar = double;
  const SignFreeModel* model;
  const Whitening* whitening;
  const Waves* waves;
  Matrix gram, labels;
  void add(const Block<double>& block) {
    SeenBlock seen;
    seen.look(block, *model, Loss{});
    const RowMatrix features = waves->at(whitening->whiten(block.x));
    gram.noalias() += features.transpose() * features;
    labels.noalias() += features.transpose() * seen.residual;
  }
  void merge(const WaveRegression& other) {
    gram += other.gram;
    labels += other.labels;
  }
  template <class Visit>
  void fields(Visit& visit) {
    visit(gram, labels);
  }
};

/// What the regression gains on other samples.
struct WaveGain {
  using Scalar = double;
  const SignFreeModel* model;
  const Whitening* whitening;
  const Waves* waves;
  const Matrix* weights;
  double sum = 0, squares = 0;
  Index samples = 0;
  void add(const Block<double>& block) {
    SeenBlock seen;
    seen.look(block, *model, Loss{});
    const RowMatrix explained = waves->at(whitening->whiten(block.x)) * *weights;
    const Vector gained = seen.residual.rowwise().squaredNorm() - (seen.residual - explained).rowwise().squaredNorm();
    sum += gained.sum();
    squares += gained.squaredNorm();
    samples += block.rows();
  }
  void merge(const WaveGain& other) {
    sum += other.sum;
    squares += other.squares;
    samples += other.samples;
  }
  template <class Visit>
  void fields(Visit& visit) {
    visit(sum, squares, samples);
  }
  double score() const {
    const double n = static_cast<double>(samples), mean = sum / n;
    return mean / std::sqrt(std::max(squares / n - mean * mean, 1e-300) / n);
  }
};

/// Fits waves to the residual on [begin, end) and scores what they explain on [other_begin, other_end).
double wave_score(const SampleSource& source, const SignFreeModel& model, const Whitening& whitening, const Waves& waves,
                  std::array<Index, 2> fit, std::array<Index, 2> judge, const Control& control) {
  const Index count = waves.phase.size();
  const auto sums = reduce(source, WaveRegression{&model, &whitening, &waves, Matrix::Zero(count, count), Matrix::Zero(count, source.outputs())},
                           control, fit[0], fit[1]);
  const double ridge = 0.01 * sums.gram.diagonal().mean();
  const Matrix weights = solve_semidefinite(sums.gram + ridge * Matrix::Identity(count, count), sums.labels);
  return reduce(source, WaveGain{&model, &whitening, &waves, &weights}, control, judge[0], judge[1]).score();
}

SignFreeModel converge(const SampleSource& source, const SignFreeModel& start, Index iterations, const Control& control) {
  SolverOptions solver;
  solver.max_iterations = iterations;
  solver.relative_decrease = 1e-8;
  solver.precision = GramPrecision::float32;  // noise decides how close is close enough, not rounding
  solver.initial_damping = 1e-6;
  solver.max_inner_iterations = 200;
  return levenberg_marquardt(source, start, solver, control).model;
}

/// A few more units of small size in random directions, at the scale of the data.
SignFreeModel with_more_units(const SignFreeModel& model, Index extra, const Whitening& whitening, double size, std::uint64_t seed) {
  SignFreeModel wider(model.inputs(), model.units() + extra, model.outputs());
  wider.theta.topRows(model.units()) = model.theta;
  wider.output.leftCols(model.units()) = model.output;
  wider.affine = model.affine;
  RandomStream random(seed, purpose::starts, 1000);
  Matrix forms(extra, model.inputs() + 1);
  for (Index i = 0; i < extra; ++i) {
    forms.row(i).head(model.inputs()) = random.normal_vector(model.inputs()).normalized().transpose();
    forms(i, model.inputs()) = 0.7 * random.normal();
  }
  wider.theta.bottomRows(extra) = size * whitening.forms_to_inputs(forms);
  for (Index i = 0; i < extra; ++i)
    wider.output.col(model.units() + i) = model.outputs() == 1 ? Vector::Constant(1, i % 2 == 0 ? 1.0 : -1.0)
                                                               : Vector(random.normal_vector(model.outputs()).normalized());
  return wider;
}

}  // namespace

Certificate certify_exact(const SampleSource& source, const SignFreeModel& model, const Uncertainty& known,
                          double rounding_rms, const Control& control) {
  if (model.unknowns() >= source.samples() * source.outputs())
    return refuse(fmt::format("{} equations for {} unknowns", source.samples() * source.outputs(), model.unknowns()));
  const auto barely = barely_split_units(source, model, model.inputs() + 2, control);
  if (!barely.empty())
    return refuse(fmt::format("{} unit{} of the answer have fewer than {} samples on one side of their kink, so some "
                              "parameters are free",
                              barely.size(), barely.size() == 1 ? "" : "s", model.inputs() + 2));
  if (known.inverse.size() == 0 && !known.determined) return refuse("some parameters are not determined by the data");
  constexpr double largest_error = 1e-4;
  const std::string seen = "residual at rounding level on held-out samples";
  if (model.units() == 0) return {true, seen};
  if (known.unit_error.size() == 0)
    return {true, seen + "; too many parameters to predict the error of each, but from a disturbed copy the solver returns to the answer"};
  const double worst = rounding_rms * known.unit_error.maxCoeff();
  if (!(worst < largest_error))
    return refuse(fmt::format("rounding alone leaves a relative error of {:.1e} in some unit", worst));
  return {true, fmt::format("{}; predicted relative error of the worst unit {:.1e}", seen, worst)};
}

namespace {

Certificate halves_agree(const SignFreeModel& first, const SignFreeModel& second, const Uncertainty& known_first,
                         const Uncertainty& known_second, double sigma, double allowed) {
  if (!known_first.determined || !known_second.determined) return refuse("one half of the data does not determine the answer");
  const Index width = first.inputs() + 1;
  double worst = 0;
  for (Index i = 0; i < first.units(); ++i) {
    // The two fits may have turned a unit around or shared its scale differently: compare the unit's direction and size.
    Vector one = first.theta.row(i).transpose(), two = second.theta.row(i).transpose();
    if (one.dot(two) < 0) two = -two;
    if (first.output_is_free()) {
      two *= one.norm() / two.norm();
    }
    const Matrix covariance = sigma * sigma * (known_first.inverse.block(i * width, i * width, width, width) +
                                               known_second.inverse.block(i * width, i * width, width, width));
    worst = std::max(worst, chi_square_score(mahalanobis_square(one - two, covariance), static_cast<double>(width)));
  }
  if (worst > allowed) return refuse(fmt::format("two halves of the data disagree about a unit by {:.1f} standard deviations", worst));
  return {true, fmt::format("two halves agree unit by unit (worst score {:.1f})", worst)};
}

}  // namespace

Certificate certify_recovered(const SampleSource& source, const SignFreeModel& model, const Uncertainty& known, double sigma,
                              const NoiseCertificateOptions& options, const Control& control, Result& result) {
  const Index samples = source.samples(), middle = samples / 2, unknowns = model.unknowns();
  if (middle * source.outputs() < options.equations_per_unknown * unknowns)
    return refuse(fmt::format("{} samples are too few to judge {} unknowns with noisy labels", samples, unknowns));
  if (model.units() == 0) return refuse("no unit stands out of the noise");
  if (!known.determined) return refuse("some parameters are not determined by the data");
  const double largest = known.unit_error.size() > 0 ? sigma * known.unit_error.maxCoeff() : 0;  // none: an affine function
  result.figures["largest_relative_unit_error"] = largest;
  if (!(largest < options.largest_unit_error))
    return refuse(fmt::format("a unit is known only to {:.0f}% of its size", 100 * largest));
  if (model.output_is_free() && model.units() > 1) {
    // Two units that bend together can be mixed: only samples on which their signs differ say how.
    constexpr double least_share = 0.05;  // units 9 degrees apart, for Gaussian inputs
    const double share = reduce(source, SignProducts{&model, Matrix::Zero(model.units(), model.units())}, control).least_difference();
    result.figures["least_sign_difference"] = share;
    if (share < least_share)
      return refuse(fmt::format("two units stand on the same side (or on opposite sides) of {:.1f}% of the samples, so noise hides how they mix",
                                100 * (1 - share)));
  }

  const RowRange first(source, 0, middle), second(source, middle, samples);
  const SignFreeModel model_first = converge(first, model, 40, control), model_second = converge(second, model, 40, control);
  const auto agree = halves_agree(model_first, model_second, uncertainty(first, model_first, Loss{}, control),
                                  uncertainty(second, model_second, Loss{}, control), sigma, options.halves_score);
  if (!agree.given) return agree;

  const Whitening whitening = whitening_of(input_moments(source, control));
  const auto held_out = reduce(source, PairedResiduals{&model_first, &model_first}, control, middle, samples);
  const double outputs = static_cast<double>(source.outputs());
  const double predicted = outputs * sigma * sigma * (1 + static_cast<double>(unknowns) / outputs / static_cast<double>(middle));
  const double holdout_score = (held_out.mean() - predicted) / std::max(held_out.mean_error(), 1e-300);
  result.figures["holdout_score"] = holdout_score;
  if (std::abs(holdout_score) > options.holdout_score)
    return refuse(fmt::format("the held-out residual is {:.1f} standard errors from what the noise predicts", holdout_score));
  // Fitted to nothing but noise, more units make held-out errors larger: any clear gain is structure.
  double gain_score = -std::numeric_limits<double>::infinity();
  for (const Index extra : {Index{1}, Index{3}, std::max<Index>(5, model.units())}) {
    const double spread = sigma / std::sqrt(static_cast<double>(extra));
    const SignFreeModel wider_first = converge(first, with_more_units(model_first, extra, whitening, spread, options.seed), 60, control);
    gain_score = std::max(gain_score, reduce(source, PairedResiduals{&model_first, &wider_first}, control, middle, samples).gain_score());
    const SignFreeModel wider_second = converge(second, with_more_units(model_second, extra, whitening, spread, options.seed + 1), 60, control);
    gain_score = std::max(gain_score, reduce(source, PairedResiduals{&model_second, &wider_second}, control, 0, middle).gain_score());
    if (gain_score > options.leftover_score) break;
  }
  result.figures["leftover_score"] = gain_score;
  if (gain_score > options.leftover_score)
    return refuse(fmt::format("more units explain more on held-out samples ({:.1f} standard errors): these units are not the whole truth", gain_score));
  const KinkLeftover at_kinks = kink_leftover(source, model, whitening, control);
  result.figures["leftover_at_kinks_score"] = at_kinks.score;
  if (at_kinks.score > options.kink_score)
    return refuse(fmt::format("errors gather within {:g} standard deviations of the kink of a unit ({:.1f} standard errors): "
                              "it may stand for several that are nearly parallel",
                              at_kinks.distance, at_kinks.score));
  const Waves waves = waves_among(model, whitening, options.seed);
  const double wave = std::max(wave_score(source, model_first, whitening, waves, {0, middle}, {middle, samples}, control),
                               wave_score(source, model_second, whitening, waves, {middle, samples}, {0, middle}, control));
  result.figures["leftover_wave_score"] = wave;
  if (wave > options.wave_score)
    return refuse(fmt::format("the residual is still a function of the inputs ({:.1f} standard errors on held-out samples)", wave));
  if (source.inputs() <= 400) {
    const auto hessian = reduce(source, ResidualHessian(model, whitening, options.seed + 17), control);
    double chance = 0;
    for (int k = 1; k <= ResidualHessian::replicates; ++k) chance = std::max(chance, hessian.norm(k));
    const double ratio = hessian.norm(0) / std::max(chance, 1e-300);
    result.figures["leftover_curvature_ratio"] = ratio;
    if (ratio > 1.5)
      return refuse(fmt::format("the residual still has second-order structure ({:.1f} times what chance gives)", ratio));
  }
  return {true, agree.reason + ", the held-out residual is what the noise predicts, and more units explain no more"};
}

}  // namespace relucover
