#include "learners/prune/residual_search.hpp"

#include <algorithm>
#include <cmath>

#include "solve/residual_source.hpp"

namespace relucover {

namespace {

SignFreeModel affine_fit(const InputMoments& moments, const Whitening& whitening, Index inputs, Index outputs) {
  SignFreeModel model(inputs, 0, outputs);
  model.affine(Eigen::all, whitening.kept) = affine_slopes(moments, whitening).transpose();
  model.affine.rightCols(1) = moments.label_mean - model.affine.leftCols(inputs) * moments.mean;
  return model;
}

double unexplained_by(const SignFreeModel& affine, const InputMoments& moments) {
  const double explained = (affine.affine.leftCols(affine.inputs()) * moments.cross_covariance).trace();
  return std::max(1 - explained / moments.label_covariance.trace(), 1e-12);
}

SignFreeModel side_by_side(const SignFreeModel& one, const SignFreeModel& other) {
  SignFreeModel sum(one.inputs(), one.units() + other.units(), one.outputs());
  sum.theta.topRows(one.units()) = one.theta;
  sum.theta.bottomRows(other.units()) = other.theta;
  sum.output.leftCols(one.units()) = one.output;
  sum.output.rightCols(other.units()) = other.output;
  sum.affine = one.affine + other.affine;
  return sum;
}

}  // namespace

SignFreeModel ResidualSearch::first_units(Index units, Effort effort, std::uint64_t seed) const {
  const SignFreeModel affine = affine_fit(moments_, scaling_.inputs, source_.inputs(), source_.outputs());
  return with_units_beside(affine, unexplained_by(affine, moments_), units, effort, seed);
}

SignFreeModel ResidualSearch::with_units_beside(const SignFreeModel& model, double left, Index units, Effort effort,
                                                std::uint64_t seed) const {
  const ResidualSource rest(source_, model);
  InputMoments moments = moments_;
  moments.label_mean.setZero();
  moments.cross_covariance.setZero();
  moments.label_covariance *= left;
  Scaling scaling = scaling_;
  scaling.outputs *= std::sqrt(left);
  scaling.centre.setZero();  // the model beside has it
  const auto found = found_in_subspace(rest, moments, scaling, units, seed, effort, control_, result_);
  return side_by_side(model, unscaled(found, scaling));
}

}  // namespace relucover
