#include "decompose/trust_region.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace relucover {

namespace {

/// The step from `inside` along `direction` that ends on the sphere of the given radius.
Vector to_sphere(const Vector& inside, const Vector& direction, double radius) {
  const double a = direction.squaredNorm(), b = 2 * inside.dot(direction), c = inside.squaredNorm() - radius * radius;
  const double root = std::sqrt(std::max(0.0, b * b - 4 * a * c));
  return inside + (-b + root) / (2 * a) * direction;
}

struct RegionStep {
  Vector move;
  double predicted = 0;  // change of the quadratic model
};

RegionStep steihaug_step(const SmoothFunction& function, const Vector& point, const Vector& gradient, double radius) {
  Vector move = Vector::Zero(point.size()), residual = gradient, direction = -gradient;
  const double target = std::min(0.1, std::sqrt(gradient.norm())) * gradient.norm();
  const auto finish = [&](const Vector& end) {
    return RegionStep{end, gradient.dot(end) + 0.5 * end.dot(function.hessian_times(point, end))};
  };
  for (Index k = 0; k < 2 * point.size(); ++k) {
    const Vector curved = function.hessian_times(point, direction);
    const double curvature = direction.dot(curved), size = residual.squaredNorm();
    if (curvature <= 0) return finish(to_sphere(move, direction, radius));
    const double length = size / curvature;
    if ((move + length * direction).norm() >= radius) return finish(to_sphere(move, direction, radius));
    move += length * direction;
    residual += length * curved;
    if (residual.norm() < target) break;
    direction = -residual + residual.squaredNorm() / size * direction;
  }
  return finish(move);
}

}  // namespace

TrustRegionResult trust_region_minimise(const SmoothFunction& function, Vector start, const TrustRegionOptions& options,
                                        const Control& control) {
  TrustRegionResult result;
  result.point = std::move(start);
  Vector gradient(result.point.size());
  result.value = function.value(result.point, &gradient);
  double radius = options.first_radius;
  for (; result.iterations < options.max_iterations; ++result.iterations) {
    control.check();
    if (gradient.norm() <= options.gradient_tolerance * (1 + std::abs(result.value))) {
      result.converged = true;
      return result;
    }
    const RegionStep step = steihaug_step(function, result.point, gradient, radius);
    const Vector trial = result.point + step.move;
    const double value = function.value(trial, nullptr);
    const double gain = step.predicted < 0 ? (value - result.value) / step.predicted : -1;
    if (!(gain >= 0.25)) radius = 0.25 * step.move.norm();
    if (gain > 0.75 && step.move.norm() > 0.9 * radius) radius = std::min(2 * radius, options.largest_radius);
    if (gain > 1e-4) {
      result.point = trial;
      result.value = function.value(trial, &gradient);
    }
    if (result.point.norm() > options.escape_norm) {
      result.escaped = true;
      return result;
    }
    // Steps below rounding change nothing any more.
    if (radius < 1e-15 * (1 + result.point.norm())) {
      result.converged = gradient.norm() <= 1e-6 * (1 + std::abs(result.value));
      return result;
    }
  }
  return result;
}

}  // namespace relucover
