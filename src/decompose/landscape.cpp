#include "decompose/landscape.hpp"

#include <cmath>
#include <vector>

#include "core/linear_algebra.hpp"
#include "core/random.hpp"
#include "decompose/trust_region.hpp"

namespace relucover {

namespace {

/// The fourth-order tensor with two indices contracted by a matrix.
Matrix contract(const Matrix& fourth, const Matrix& with) {
  const Vector flat = fourth * with.reshaped();
  return flat.reshaped(with.rows(), with.cols());
}

double lambda_of(const LandscapeProblem& problem) {
  return problem.lambda_factor * std::abs(problem.u4) / (problem.u2 * problem.u2 * problem.c_min);
}

/// Divided by |u4| so that tolerances have a scale. E[f H_4(z.x)] = T_4(z,z,z,z) / √24.
SmoothFunction one_by_one_objective(const LandscapeProblem& problem) {
  const double scale = 1 / std::abs(problem.u4), sign = problem.u4 < 0 ? -1 : 1, lambda = lambda_of(problem);
  const double h4 = 1 / std::sqrt(24.0);
  SmoothFunction function;
  function.value = [=, &problem](const Vector& z, Vector* gradient) {
    const Matrix inner = contract(problem.fourth, z * z.transpose());
    const Vector mz = problem.m * z;
    const double excess = z.dot(mz) - problem.u2;
    if (gradient) *gradient = scale * (-4 * sign * h4 * (inner * z) + 4 * lambda * excess * mz);
    return scale * (-sign * h4 * z.dot(inner * z) + lambda * excess * excess);
  };
  function.hessian_times = [=, &problem](const Vector& z, const Vector& v) {
    const Matrix inner = contract(problem.fourth, z * z.transpose());
    const Vector mz = problem.m * z;
    const double excess = z.dot(mz) - problem.u2;
    return Vector(scale * (-12 * sign * h4 * (inner * v) + lambda * (8 * mz.dot(v) * mz + 4 * excess * (problem.m * v))));
  };
  return function;
}

/// Rows of W are flattened one after the other. E[f ψ(v, w)] = T_4(v,v,w,w) / 2.
SmoothFunction simultaneous_objective(const LandscapeProblem& problem, double gamma) {
  const double scale = 1 / std::abs(problem.u4), sign = problem.u4 < 0 ? -1 : 1, lambda = lambda_of(problem);
  const double self = gamma / std::sqrt(24.0);
  const Index q = problem.m.rows();
  SmoothFunction function;
  function.value = [=, &problem](const Vector& flat, Vector* gradient) {
    const Matrix w = flat.reshaped(q, q);  // columns are the rows of W
    const Matrix all = contract(problem.fourth, w * w.transpose());
    double value = 0.5 * sign * (w.transpose() * all * w).trace();
    if (gradient) gradient->resize(flat.size());
    for (Index i = 0; i < q; ++i) {
      const Vector wi = w.col(i), mw = problem.m * wi;
      const Matrix own = contract(problem.fourth, wi * wi.transpose());
      const double quartic = wi.dot(own * wi), excess = wi.dot(mw) - problem.u2;
      value += -sign * (0.5 + self) * quartic + lambda * excess * excess;
      if (gradient)
        gradient->segment(i * q, q) = scale * (2 * sign * (all * wi) - 4 * sign * (0.5 + self) * (own * wi) + 4 * lambda * excess * mw);
    }
    return scale * value;
  };
  function.hessian_times = [=, &problem](const Vector& flat, const Vector& direction) {
    const Matrix w = flat.reshaped(q, q), v = direction.reshaped(q, q);
    const Matrix cross = w * v.transpose();
    const Matrix all = contract(problem.fourth, w * w.transpose());
    const Matrix all_moved = contract(problem.fourth, cross + cross.transpose());
    Vector result(flat.size());
    for (Index i = 0; i < q; ++i) {
      const Vector wi = w.col(i), vi = v.col(i), mw = problem.m * wi;
      const Matrix own = contract(problem.fourth, wi * wi.transpose());
      const double excess = wi.dot(mw) - problem.u2;
      result.segment(i * q, q) = scale * (2 * sign * (all_moved * wi + all * vi) - 12 * sign * (0.5 + self) * (own * vi) +
                                          4 * lambda * (2 * mw.dot(vi) * mw + excess * (problem.m * vi)));
    }
    return result;
  };
  return function;
}

}  // namespace

LandscapeResult landscape_one_by_one(const LandscapeProblem& problem, Index units, const LandscapeOptions& options,
                                     const Control& control) {
  const SmoothFunction objective = one_by_one_objective(problem);
  const Matrix metric = problem.m / problem.u2;
  LandscapeResult result;
  std::vector<Vector> found;
  for (; result.starts < options.starts && static_cast<Index>(found.size()) < units; ++result.starts) {
    RandomStream random(options.seed, purpose::starts, static_cast<std::uint64_t>(result.starts));
    Vector z = random.normal_vector(metric.rows());
    z /= std::sqrt(std::abs(z.dot(metric * z)));
    const TrustRegionResult minimum = trust_region_minimise(objective, z, {}, control);
    result.iterations += minimum.iterations;
    const double norm = minimum.point.dot(metric * minimum.point);
    if (minimum.escaped || !(norm > 0)) continue;
    z = minimum.point / std::sqrt(norm);
    bool fresh = true;
    for (const Vector& other : found) fresh = fresh && std::abs(z.dot(metric * other)) < options.same;
    if (fresh) found.push_back(z);
  }
  result.components.resize(static_cast<Index>(found.size()), metric.rows());
  for (std::size_t i = 0; i < found.size(); ++i) result.components.row(static_cast<Index>(i)) = (metric * found[i]).transpose();
  result.complete = static_cast<Index>(found.size()) == units;
  return result;
}

LandscapeResult landscape_simultaneous(const LandscapeProblem& problem, const LandscapeOptions& options, const Control& control) {
  const SmoothFunction objective = simultaneous_objective(problem, options.gamma);
  const Matrix metric = problem.m / problem.u2;
  const Index q = metric.rows();
  RandomStream random(options.seed, purpose::starts);
  Matrix w = random.normal_matrix(q, q);
  for (Index i = 0; i < q; ++i) w.col(i) /= std::sqrt(std::abs(w.col(i).dot(metric * w.col(i))));
  const TrustRegionResult minimum = trust_region_minimise(objective, w.reshaped(), {.max_iterations = 3000}, control);
  const Matrix rows = minimum.point.reshaped(q, q).transpose();
  LandscapeResult result;
  result.starts = 1;
  result.iterations = minimum.iterations;
  const auto inverse = inverse_if_regular(rows);
  result.complete = !minimum.escaped && inverse.has_value();
  if (result.complete) result.components = inverse->transpose();
  return result;
}

}  // namespace relucover
