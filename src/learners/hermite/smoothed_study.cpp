#include "learners/hermite/smoothed_study.hpp"

#include <algorithm>
#include <cmath>

#include "core/blas.hpp"
#include "core/linear_algebra.hpp"
#include "learners/hermite/hermite.hpp"
#include "learners/hermite/moment_methods.hpp"
#include "networks/assignment.hpp"
#include "samples/vector_instances.hpp"

namespace relucover {

namespace {

Network adversary(Index inputs, Index units, double tau, std::uint64_t seed) {
  Network network = planted_network({.inputs = inputs, .units = units, .seed = seed});
  for (Index i = 1; i < units; i += 2) network.W.row(i) = network.W.row(i - 1);
  return canonical(perturbed_weights(network, tau / std::sqrt(static_cast<double>(inputs)), seed));
}

/// Distance of the worst unit to the direction found that is paired with it, up to sign; 2 if there is none.
double worst_direction(const Network& truth, const Matrix& found) {
  if (found.rows() < truth.units()) return 2;
  Matrix distance(truth.units(), found.rows());
  for (Index i = 0; i < truth.units(); ++i)
    for (Index j = 0; j < found.rows(); ++j)
      distance(i, j) = std::min((truth.W.row(i) - found.row(j)).norm(), (truth.W.row(i) + found.row(j)).norm());
  const auto partner = cheapest_assignment(distance);
  double worst = 0;
  for (Index i = 0; i < truth.units(); ++i) worst = std::max(worst, distance(i, partner[static_cast<std::size_t>(i)]));
  return worst;
}

double least_singular_value(const Network& network, Index tuple_order) {
  Matrix powers(packed_size(network.inputs(), tuple_order), network.units());
  for (Index i = 0; i < network.units(); ++i) powers.col(i) = weighted_power(network.W.row(i).transpose(), tuple_order);
  return std::sqrt(std::max(0.0, symmetric_eigenvalues(powers.transpose() * powers)[0]));
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

double learned_error(const Network& truth, Index samples, std::uint64_t seed, const Control& control) {
  const MomentMethodOptions options{.units = truth.units(), .seed = seed};
  if (samples == 0) return worst_direction(truth, pencil_units(ExactMoments(truth), options, control).units.w);
  const auto source = synthetic_samples(truth, {.samples = samples, .seed = seed});
  Result unused;
  return worst_direction(
      truth, best_directions(moment_start(*source, {.units = truth.units(), .method = "hermite", .seed = seed}, control, unused)));
}

}  // namespace

std::vector<SmoothedStudyRow> smoothed_study(const SmoothedStudyOptions& options, const Control& control) {
  const SingleThreadedBlas single_threaded;  // small matrices
  std::vector<SmoothedStudyRow> rows;
  const double total = static_cast<double>(options.samples.size() * options.units_per_input.size() * options.taus.size());
  for (const Index samples : options.samples)
    for (const double ratio : options.units_per_input)
      for (const double tau : options.taus) {
        control.progress("smoothed analysis", static_cast<double>(rows.size()) / total);
        const Index units = std::max<Index>(2, static_cast<Index>(std::lround(ratio * static_cast<double>(options.inputs))));
        SmoothedStudyRow row{tau, options.inputs, units, samples, 0, 0, 0};
        std::vector<double> errors, singular;
        for (Index seed = 1; seed <= options.seeds; ++seed) {
          const Network truth = adversary(options.inputs, units, tau, static_cast<std::uint64_t>(seed));
          singular.push_back(least_singular_value(truth, tuple_order_for(options.inputs, units)));
          errors.push_back(learned_error(truth, samples, static_cast<std::uint64_t>(seed), control));
          row.success += (errors.back() < (samples == 0 ? 1e-6 : 0.1)) / static_cast<double>(options.seeds);
        }
        row.median_error = median(errors);
        row.least_singular_value = median(singular);
        rows.push_back(row);
      }
  return rows;
}

}  // namespace relucover
