#include "learners/finish/sides_of_units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/linear_algebra.hpp"
#include "learners/stage_clock.hpp"
#include "solve/relu_form.hpp"
#include "solve/signs.hpp"
#include "verify/statistics.hpp"

namespace relucover {

namespace {

/// The linear part of an affine map (outputs by inputs + 1) as one vector.
Vector slopes(const Matrix& affine) { return affine.leftCols(affine.cols() - 1).transpose().reshaped(); }

/// How far the sum of the units' linear parts may be from the affine part for the signs to fit.
double sign_tolerance(const Fitted& fit, double scale) {
  const double tolerance = 1e-9 * scale;
  if (fit.noise_free() || !fit.known() || !fit.known()->determined) return tolerance;
  const SignFreeModel& model = fit.model();
  const Matrix& inverse = fit.known()->inverse;
  const Index width = model.inputs() + 1;
  double variance = inverse.diagonal().tail(model.outputs() * width).sum();
  for (Index i = 0; i < model.units(); ++i)
    variance += model.output.col(i).squaredNorm() * inverse.block(i * width, i * width, width, width).trace();
  return tolerance + 4 * fit.sigma() * std::sqrt(variance);
}

/// Orthonormal basis of all changes of linear parts along the directions that noise-free data leave free.
Matrix slopes_of_freedom(const Fitted& fit) {
  if (!fit.noise_free() || !fit.known() || fit.known()->determined) return {};
  const SignFreeModel& model = fit.model();
  std::vector<Vector> changes;
  for (const auto& direction : fit.known()->freedom.colwise()) {
    const SignFreeModel change = unflatten(direction, model);
    changes.push_back(slopes(change.affine));
    for (Index i = 0; i < model.units(); ++i) {
      changes.push_back(slopes(model.output.col(i) * change.theta.row(i)));
      if (model.output_is_free()) changes.push_back(slopes(change.output.col(i) * model.theta.row(i)));
    }
  }
  Matrix all(model.inputs() * model.outputs(), static_cast<Index>(changes.size()));
  for (Index k = 0; k < all.cols(); ++k) all.col(k) = changes[static_cast<std::size_t>(k)];
  if (all.cols() == 0) return {};
  return PivotedQr(std::move(all), 1e-7).basis();
}

/// Moves along the free directions to a network without skip and offset, if there is one as exact as this: the data
/// and the shape of a network together may determine what the data alone do not.
bool moved_to_no_affine_part(Fitted& fit, const std::vector<int>& signs, double tolerance, Result& result) {
  const SignFreeModel& model = fit.model();
  const Matrix& freedom = fit.known()->freedom;
  const Matrix left = leftover_affine(model, signs);
  Matrix changes(left.size(), freedom.cols());
  for (Index k = 0; k < changes.cols(); ++k) {
    const SignFreeModel change = unflatten(freedom.col(k), model);
    Matrix moved = change.affine;
    for (Index i = 0; i < model.units(); ++i) {
      const double sign = signs[static_cast<std::size_t>(i)];
      moved -= sign * model.output.col(i) * change.theta.row(i);
      if (model.output_is_free()) moved -= sign * change.output.col(i) * model.theta.row(i);
    }
    changes.col(k) = moved.reshaped();
  }
  const Vector along = minimum_norm_solution(changes, -left.reshaped());
  SignFreeModel moved = model;
  moved.add(1, unflatten(freedom * along, model));
  if (leftover_affine(moved, signs).norm() > tolerance) return false;
  if (fit.cost_of_all(moved) >= Fitted::noise_free_cost) return false;
  Uncertainty tied = tied_uncertainty(fit.samples(), moved, signs, fit.control());
  if (!tied.determined) return false;
  result.notes.push_back("the data alone leave a part of the answer free; it is fixed by the network having no linear term of its own");
  fit.take(std::move(moved), std::move(tied));
  return true;
}

/// Ties the affine part to the units: fewer unknowns with noisy labels, the last digits without noise.
void tie_affine_part(Fitted& fit, SidesOfUnits& sides, Result& result) {
  const StageClock clock("refine as relu");
  const bool exact = fit.noise_free();
  auto tied =
      refine_in_relu_form(exact && fit.well_known() ? fit.few() : fit.samples(), fit.model(), sides.signs, exact ? 2 : 20, fit.control());
  if (!exact) {
    // A wrong tie would cost more than the freedom that it takes away.
    const double increase = fit.increase_to(tied.relative_cost);
    const bool fits = std::isfinite(tied.relative_cost) && std::isfinite(increase) &&
                      chi_square_score(increase, static_cast<double>(fit.model().affine.size())) < 5;
    if (!fits) {
      sides.without_skip = sides.without_offset = false;
      result.sign_ambiguous = true;
      result.notes.push_back(
          "the linear parts of the units do not add up to the function's within the noise: the network has a linear term of its own, or "
          "units that are linear on the data; it is given as skip and offset, and signs are a convention");
      return;
    }
  }
  clock.file(result, tied.iterations, tied.relative_cost);
  fit.take(std::move(tied.model));
}

}  // namespace

SidesOfUnits choose_sides(Fitted& fit, Result& result) {
  const Index inputs = fit.model().inputs(), outputs = fit.model().outputs(), units = fit.model().units();
  SidesOfUnits sides;
  if (units == 0) return sides;
  Matrix rows(units, inputs * outputs);
  for (Index i = 0; i < units; ++i) rows.row(i) = slopes(fit.model().output.col(i) * fit.model().theta.row(i)).transpose();
  Vector target = slopes(fit.model().affine);
  const double scale = target.norm() + rows.rowwise().norm().sum();
  const double tolerance = sign_tolerance(fit, scale);
  // What the data leave free must not decide about signs.
  const Matrix free_slopes = slopes_of_freedom(fit);
  if (free_slopes.cols() > 0) {
    rows -= rows * free_slopes * free_slopes.transpose();
    target -= free_slopes * (free_slopes.transpose() * target);
  }
  const SignSolution found = find_signs(rows, target, tolerance, 1024, fit.control());
  if (found.signs.empty()) {
    sides.signs.assign(static_cast<std::size_t>(units), 1);
    result.sign_ambiguous = true;
    result.notes.push_back(
        found.complete
            ? "no choice of signs makes the linear parts of the units add up: the network has a linear term of its own, "
              "or units that are linear on the data; it is given as skip and offset, and signs are a convention"
            : fmt::format("the signs of {} units were not searched: too many combinations; the affine part is given as skip and offset",
                          units));
    return sides;
  }
  // Among equivalent choices prefer the one without an offset: that is how networks are usually built.
  std::vector<double> offsets;
  for (const auto& signs : found.signs) offsets.push_back(leftover_affine(fit.model(), signs).col(inputs).norm());
  const auto best = std::min_element(offsets.begin(), offsets.end());
  sides.signs = found.signs[static_cast<std::size_t>(best - offsets.begin())];
  if (free_slopes.cols() > 0)
    *best = moved_to_no_affine_part(fit, sides.signs, tolerance, result) ? 0 : std::numeric_limits<double>::infinity();
  const SignFreeModel& model = fit.model();
  const double offset_scale = model.theta.col(inputs).cwiseAbs().sum() + model.affine.col(inputs).cwiseAbs().sum() + scale;
  const double no_offset = std::max(tolerance, sign_tolerance(fit, offset_scale));
  sides.without_offset = *best <= no_offset;
  sides.without_skip = free_slopes.cols() == 0 || sides.without_offset;
  const auto alike =
      std::count_if(offsets.begin(), offsets.end(), [&](double offset) { return !sides.without_offset || offset <= no_offset; });
  result.sign_ambiguous = alike > 1 || !found.complete;
  if (alike > 1) result.notes.push_back(fmt::format("{} choices of signs give the same function", alike));
  return sides;
}

Network network_of(Fitted& fit, SidesOfUnits& sides, Result& result) {
  const bool no_linear_term = sides.without_skip && sides.without_offset;
  if (no_linear_term && fit.model().unknowns() <= most_unknowns_for_uncertainty) tie_affine_part(fit, sides, result);
  if (!fit.noise_free() && !sides.without_offset) sides.without_skip = false;  // within the noise, but not fitted so
  Network network = relu_network(fit.model(), sides.signs);
  if (sides.without_skip) network.skip.setZero();
  if (sides.without_skip && sides.without_offset) network.offset.setZero();
  return network;
}

}  // namespace relucover
