#include "learners/threshold/first_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/check.hpp"
#include "core/linear_algebra.hpp"
#include "decompose/joint_diagonalisation.hpp"
#include "decompose/landscape.hpp"
#include "moments/label_moments.hpp"

namespace relucover {

namespace {

using Kind = UnitFunction::Kind;
using Label = FirstStepOptions::Label;

bool rests(const UnitFunction& unit) { return unit.kind == Kind::relu || unit.kind == Kind::step; }

/// Eigenpairs of T_2, largest size first.
struct EigenRange {
  Matrix basis;   // n by units
  Vector values;  // units
  Vector spectrum;
};

EigenRange range_of(const Matrix& t2, Index units) {
  const SymmetricEigen eigen = symmetric_eigen(t2);
  const Vector& values = eigen.values;
  std::vector<Index> order(static_cast<std::size_t>(values.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return std::abs(values[a]) > std::abs(values[b]); });
  const std::vector<Index> top(order.begin(), order.begin() + units);
  return {eigen.vectors(Eigen::all, top), values(top), values(order)};
}

LabelView choose_view(const SampleSource& source, const FirstStepOptions& options, FirstStep& step, const Control& control) {
  LabelView view;
  view.complement = options.complement;
  if (options.biased) {
    view.tolerance = -1;
    return view;
  }
  step.rounding = label_rounding(source, control);
  const bool centred = options.label == Label::centred || (options.label == Label::automatic && !rests(options.unit));
  if (centred) {
    view.rest = mean_label(source, control);
    view.tolerance = -1;
    return view;
  }
  step.rest = rest_value(source, step.rounding, control);
  if (options.complement) step.rest.value = 1 - step.rest.value;
  view.rest = step.rest.value;
  view.tolerance = step.rest.noisy() ? -1 : std::max(1e-12 * std::max(1.0, std::abs(view.rest)), 1.5 * step.rounding);
  if (step.rest.noisy()) step.notes.push_back("no label value is repeated: the value at rest is the mode of the labels");
  if (options.label == Label::activity) view.kind = LabelView::Kind::activity;
  return view;
}

/// Largest eigenvalue of a sum of N random matrices g (xxᵀ - I)/N: about 2 √(n E[g²] / N).
double t2_noise(Index inputs, const LabelMoments& moments) {
  return 2 * std::sqrt(static_cast<double>(inputs) * moments.mean_square / static_cast<double>(moments.samples));
}

/// T_2 on all inputs; where its range has eigenvalues of both signs, again from the activity of the labels.
EigenRange second_order(const SampleSource& source, const FirstStepOptions& options, FirstStep& step, const Control& control) {
  const Matrix identity = Matrix::Identity(source.inputs(), source.inputs());
  const auto measure = [&] {
    const LabelMoments moments = label_moments(source, step.view, identity, 2, control, {options.begin, options.end});
    step.noise_level = t2_noise(source.inputs(), moments);
    return range_of(moments.t2, options.units);
  };
  const auto indefinite = [](const EigenRange& range) { return range.values.minCoeff() < 0 && range.values.maxCoeff() > 0; };
  EigenRange range = measure();
  step.indefinite = indefinite(range);
  if (step.indefinite && options.label == Label::automatic && step.view.kind == LabelView::Kind::value && rests(options.unit) &&
      !step.rest.noisy() && !options.biased) {
    step.view.kind = LabelView::Kind::activity;
    step.notes.push_back("T_2 is indefinite (upper weights of both signs): the first step uses whether labels are at rest");
    range = measure();
    step.indefinite = indefinite(range);
  }
  step.spectrum = range.spectrum;
  return range;
}

struct Components {
  Matrix rows;  // in the range's coordinates, not normalised
  bool complete = false;
  double off_diagonal = 0;
};

/// What the moments of orders 2 to 4 say, measured once or again.
struct Measured {
  EigenRange range;
  LabelMoments moments;
  double noise_level = 0;
  Components components;
};

/// Whitened by T_2, all slices of T_3 and of T_4 scaled by √(median |eigenvalue of T_2|) share one eigenbasis.
Components joint_components(const LabelMoments& moments, const Vector& values, const Control& control) {
  const Vector root = values.cwiseAbs().cwiseSqrt();
  const Matrix whiten = root.cwiseInverse().asDiagonal();
  const auto whitened = [&](const std::vector<Matrix>& slices, std::vector<Matrix>& into, double scale) {
    for (const Matrix& slice : slices) into.push_back(scale * (whiten * slice * whiten));
  };
  // The last index (or pair of indices) of each tensor is whitened by mixing slices; coordinates are already eigenvectors.
  std::vector<Matrix> third = moments.t3, fourth = moments.t4_slices(), matrices;
  Vector sizes = values.cwiseAbs();
  std::nth_element(sizes.begin(), sizes.begin() + sizes.size() / 2, sizes.end());
  const double balance = std::sqrt(sizes[sizes.size() / 2]);
  for (Index c = 0; c < values.size(); ++c) third[static_cast<std::size_t>(c)] /= root[c];
  for (Index d = 0; d < values.size(); ++d)
    for (Index c = 0; c <= d; ++c) fourth[static_cast<std::size_t>(pair_index(c, d))] /= root[c] * root[d];
  whitened(third, matrices, 1);
  whitened(fourth, matrices, balance);
  const JointDiagonalisation common = jointly_diagonalise(std::move(matrices), control);
  return {(root.asDiagonal() * common.vectors).transpose(), true, common.off_diagonal};
}

Components landscape_components(const LabelMoments& moments, const FirstStepOptions& options, const FirstStep& step,
                                const Control& control) {
  const Matrix fourth = moments.t4_square();
  const Matrix m = moments.t2 / std::sqrt(2.0);
  // m = û_2 Σ c_i w_i w_iᵀ, so its trace is û_2 Σ c_i.
  const double mean_weight = m.trace() / (step.u2 * static_cast<double>(m.rows()));
  const LandscapeProblem problem{m, fourth, step.u2, step.u4, 0.7 * std::abs(mean_weight), 3};
  const LandscapeOptions landscape{.seed = options.seed};
  const LandscapeResult result = options.method == FirstStepOptions::Method::landscape
                                     ? landscape_one_by_one(problem, options.units, landscape, control)
                                     : landscape_simultaneous(problem, landscape, control);
  return {result.components, result.complete, 0};
}

/// All orders inside the range of T_2, and the components they show; then both again with what is known of the label
/// subtracted, as long as that makes the moments agree better. (A fourth-order polynomial of few samples may be far off where
/// samples are rare, and then subtracting it adds noise.)
Measured measure_components(const SampleSource& source, const FirstStepOptions& options, EigenRange first, const FirstStep& step,
                            const Control& control) {
  const SampleRange samples{options.begin, options.end};
  const bool joint = options.method == FirstStepOptions::Method::joint;
  const auto components_of = [&](const Measured& measured) {
    return joint ? joint_components(measured.moments, measured.range.values, control)
                 : landscape_components(measured.moments, options, step, control);
  };
  Measured best{std::move(first), {}, step.noise_level, {}};
  best.moments = label_moments(source, step.view, best.range.basis, 4, control, samples);
  if (joint || options.refinements == 0 || options.biased) best.components = components_of(best);
  const Matrix identity = Matrix::Identity(source.inputs(), source.inputs());
  const int refinements = options.biased ? 0 : options.refinements;  // what is subtracted is an expansion over N(0, I)
  for (int round = 0; round < refinements; ++round) {
    const HermiteExpansion expansion{best.range.basis, best.moments};
    const LabelMoments second = refined_moments(source, step.view, expansion, identity, 2, control, samples);
    Measured next{range_of(second.t2, options.units), {}, t2_noise(source.inputs(), second), {}};
    next.moments = refined_moments(source, step.view, expansion, next.range.basis, 4, control, samples);
    next.components = components_of(next);
    if (joint && next.components.off_diagonal > best.components.off_diagonal) break;
    best = std::move(next);
  }
  return best;
}

/// Weights of the components in T_1, T_2 and T_3 by least squares, in the range's coordinates.
void component_weights(const LabelMoments& moments, const Matrix& rows, FirstStep& step) {
  const Index units = rows.rows(), q = rows.cols();
  Matrix second(q * q, units), third(q * q * q, units);
  for (Index i = 0; i < units; ++i) {
    const Matrix square = rows.row(i).transpose() * rows.row(i);
    second.col(i) = square.reshaped();
    for (Index c = 0; c < q; ++c) third.col(i).segment(c * q * q, q * q) = rows(i, c) * square.reshaped();
  }
  Vector flat(q * q * q);
  for (Index c = 0; c < q; ++c) flat.segment(c * q * q, q * q) = moments.t3[static_cast<std::size_t>(c)].reshaped();
  step.weight1 = least_squares(rows.transpose(), moments.t1);
  step.weight2 = least_squares(second, moments.t2.reshaped());
  step.weight3 = least_squares(third, flat);
}

/// The threshold whose Hermite coefficients have the measured ratios. ReLU: T_3/T_2 = t; step: T_2/T_1 = t.
double estimate_threshold(const UnitFunction& unit, double w1, double w2, double w3) {
  if (unit.kind == Kind::relu) return w3 / w2;
  if (unit.kind == Kind::step) return w2 / w1;
  double best = std::numeric_limits<double>::infinity(), threshold = 0;
  constexpr int steps = 160;
  for (int i = 0; i <= steps; ++i) {
    const double t = 0.05 * i;
    const double u1 = unit.hermite_coefficient(1, t), u2 = std::sqrt(2.0) * unit.hermite_coefficient(2, t),
                 u3 = std::sqrt(6.0) * unit.hermite_coefficient(3, t);
    const double miss = std::pow(w2 / w1 - u2 / u1, 2) + std::pow(w3 / w2 - u3 / u2, 2);
    if (miss < best) {
      best = miss;
      threshold = t;
    }
  }
  return threshold;
}

/// Turns components so that the unit grows along w: T_1 = Σ c_i û_1 w_i with the sign of c_i from T_2.
void resolve_signs(const FirstStepOptions& options, Matrix& rows, FirstStep& step) {
  if (options.unit.even()) return;
  for (Index i = 0; i < rows.rows(); ++i) {
    const double upper = step.weight2[i] * (step.u2 < 0 ? -1 : 1);
    if (step.weight1[i] * upper >= 0) continue;
    rows.row(i) *= -1;
    step.weight1[i] *= -1;
    step.weight3[i] *= -1;
  }
}

void hermite_coefficients(const FirstStepOptions& options, double threshold, FirstStep& step) {
  const UnitFunction seen = step.view.kind == LabelView::Kind::activity ? UnitFunction{Kind::step} : options.unit;
  step.u2 = seen.hermite_coefficient(2, threshold);
  step.u3 = seen.hermite_coefficient(3, threshold);
  step.u4 = seen.hermite_coefficient(4, threshold);
}

}  // namespace

FirstStep first_step(const SampleSource& source, const FirstStepOptions& options, const Control& control) {
  check_positive("units", options.units);
  if (options.units > source.inputs())
    throw std::invalid_argument(
        fmt::format("{} units in {} inputs: the first step needs independent directions", options.units, source.inputs()));
  const bool threshold_known = std::isfinite(options.threshold);
  if (options.method != FirstStepOptions::Method::joint && !threshold_known)
    throw std::invalid_argument("the landscape methods need the threshold");

  FirstStep step;
  step.view = choose_view(source, options, step, control);
  const EigenRange second_order_range = second_order(source, options, step, control);
  if (options.spectrum_only) return step;
  if (threshold_known) hermite_coefficients(options, options.threshold, step);
  const Measured measured = measure_components(source, options, second_order_range, step, control);
  const LabelMoments& moments = measured.moments;
  const Components& components = measured.components;
  step.noise_level = measured.noise_level;
  step.spectrum = measured.range.spectrum;
  step.complete = components.complete;
  step.off_diagonal = components.off_diagonal;
  if (components.rows.rows() == 0) return step;

  Matrix rows = components.rows.rowwise().normalized();
  component_weights(moments, rows, step);
  if (!threshold_known) step.u2 = 1;  // thresholds are above zero, where û_2 > 0
  resolve_signs(options, rows, step);
  const UnitFunction seen = step.view.kind == LabelView::Kind::activity ? UnitFunction{Kind::step} : options.unit;
  step.t.resize(rows.rows());
  for (Index i = 0; i < rows.rows(); ++i)
    step.t[i] = threshold_known ? options.threshold
                                : std::clamp(estimate_threshold(seen, step.weight1[i], step.weight2[i], step.weight3[i]), -2.0, 8.0);
  if (!threshold_known) hermite_coefficients(options, step.t.mean(), step);
  step.W = (rows * measured.range.basis.transpose()).rowwise().normalized();
  return step;
}

}  // namespace relucover
