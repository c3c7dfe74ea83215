#include "learners/threshold/refine_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/random.hpp"

namespace relucover {

namespace {

constexpr std::uint64_t refine_streams = std::uint64_t{1} << 40;  // beyond the streams of samples that are asked for

double normal_below(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

/// A value of N(0,1) conditioned on [low, high]: bands are so narrow that the density is all but constant across them.
double normal_between(double low, double high, RandomStream& random) {
  for (int tries = 0; tries < 1000; ++tries) {
    const double s = low + (high - low) * random.uniform();
    const double nearest = low > 0 ? low : high < 0 ? high : 0;
    if (random.uniform() < std::exp(0.5 * (nearest * nearest - s * s))) return s;
  }
  return 0.5 * (low + high);
}

/// Share of fresh samples with z.x in [place - ε, place] that are not at rest.
double active_share(const Oracle& oracle, const Vector& z, double place, double epsilon, const RefineEstimateOptions& options,
                    RandomStream& random) {
  RowMatrix x(options.band_samples, z.size());
  for (double& value : x.reshaped()) value = random.normal();
  for (Index i = 0; i < x.rows(); ++i) x.row(i) += (normal_between(place - epsilon, place, random) - x.row(i).dot(z)) * z.transpose();
  const Vector f = oracle.answer(x);
  return static_cast<double>(((f.array() - options.rest).abs() > options.tolerance).count()) / static_cast<double>(x.rows());
}

/// Bisection for the place where the share crosses the level; NaN if it ends where it began, at 0 or at the highest threshold.
double crossing(const Oracle& oracle, const Vector& z, double level, double epsilon, const RefineEstimateOptions& options,
                RandomStream& random, Index& queries) {
  double low = 0, high = options.highest_threshold;
  for (int step = 0; step < 40 && high - low >= epsilon / 4; ++step) {
    const double middle = 0.5 * (low + high);
    (active_share(oracle, z, middle, epsilon, options, random) < level ? low : high) = middle;
    queries += options.band_samples;
  }
  if (low == 0 || high == options.highest_threshold) return std::numeric_limits<double>::quiet_NaN();
  return 0.5 * (low + high);
}

}  // namespace

double estimate_tan_alpha(const Oracle& oracle, const Vector& z, double epsilon, const RefineEstimateOptions& options, std::uint64_t stream,
                          Index& queries) {
  RandomStream random(options.seed, purpose::queries, refine_streams + stream);
  static const double spread = 2 * [] {  // Φ⁻¹(.6) = -Φ⁻¹(.4)
    double low = 0, high = 1;
    while (high - low > 1e-15) {
      const double middle = 0.5 * (low + high);
      (normal_below(middle) < 0.6 ? low : high) = middle;
    }
    return low;
  }();
  const double t1 = crossing(oracle, z, 0.4, epsilon, options, random, queries);
  const double t2 = crossing(oracle, z, 0.6, epsilon, options, random, queries);
  return (t2 - t1) / spread;
}

RefineEstimate refine_estimate(const Oracle& oracle, const Vector& start, const RefineEstimateOptions& options, const Control& control) {
  RefineEstimate estimate;
  estimate.w = start.normalized();
  const double n = static_cast<double>(start.size());
  std::uint64_t stream = 0;
  const auto angle_of = [&](const Vector& z, double epsilon) {
    const double tangent = estimate_tan_alpha(oracle, z, epsilon, options, stream++, estimate.queries);
    return std::isnan(tangent) ? std::numbers::pi / 2 : std::atan(std::max(tangent, 1e-9));
  };
  RandomStream random(options.seed, purpose::queries, refine_streams - 1);
  estimate.angle = angle_of(estimate.w, 0.01);
  estimate.lost = estimate.angle == std::numbers::pi / 2;
  if (estimate.lost) return estimate;
  for (; estimate.iterations < options.iterations && estimate.angle > options.stop; ++estimate.iterations) {
    control.check();
    const double epsilon = std::max(1e-5, estimate.angle / 10);
    Vector move = random.normal_vector(start.size());
    move -= move.dot(estimate.w) * estimate.w;
    const Vector trial = (estimate.w + 0.5 * std::sin(estimate.angle) / std::sqrt(n) * move).normalized();
    const double angle = angle_of(trial, epsilon);
    if (angle > (1 - 0.01 / n) * estimate.angle) continue;
    estimate.w = trial;
    estimate.angle = 0.5 * (angle + angle_of(trial, epsilon));  // measured again, or lucky noise would be kept
    ++estimate.accepted;
  }
  RandomStream last(options.seed, purpose::queries, refine_streams - 2);
  const double epsilon = std::max(1e-5, estimate.angle / 10);
  estimate.threshold =
      crossing(oracle, estimate.w, 0.5, epsilon, options, last, estimate.queries) - epsilon / 2;  // the band lies below its place
  estimate.lost = std::isnan(estimate.threshold);
  return estimate;
}

}  // namespace relucover
