#pragma once
// Planted problems of MATH section 4, one per seed.
#include <algorithm>
#include <functional>

#include "core/random.hpp"
#include "networks/squared_errors.hpp"
#include "relucover/relucover.hpp"
#include "samples/vector_instances.hpp"

namespace relucover {

struct Planted {
  Network truth;
  std::unique_ptr<SampleSource> source;
};

inline Planted planted_vector(VectorNetworkOptions network, SyntheticOptions samples, std::uint64_t seed) {
  network.seed = samples.seed = seed;
  Planted planted{vector_network(network), nullptr};
  planted.source = synthetic_samples(planted.truth, samples);
  return planted;
}

inline SyntheticOptions of_samples(Index samples, const char* distribution = "gaussian", double noise = 0) {
  return {.samples = samples, .distribution = InputDistribution::parse(distribution), .noise = noise};
}

/// Rows turned at random and moved by `error` in a random direction.
inline Matrix disturbed(const Matrix& W, double error, std::uint64_t seed) {
  RandomStream random(seed, purpose::study);
  Matrix rows = W.rowwise().normalized();
  for (Index i = 0; i < rows.rows(); ++i) {
    rows.row(i) += error * random.normal_vector(W.cols()).normalized().transpose();
    rows.row(i) *= random.sign() / rows.row(i).norm();
  }
  return rows;
}

/// Errors of a stage over seeds 1..seeds, ascending.
inline std::vector<double> errors_over_seeds(int seeds, const std::function<double(std::uint64_t)>& run) {
  std::vector<double> errors;
  for (int seed = 1; seed <= seeds; ++seed) errors.push_back(run(static_cast<std::uint64_t>(seed)));
  std::sort(errors.begin(), errors.end());
  return errors;
}
inline double median(const std::vector<double>& sorted) { return sorted[sorted.size() / 2]; }
inline int count_at_most(const std::vector<double>& sorted, double bar) {
  return static_cast<int>(std::upper_bound(sorted.begin(), sorted.end(), bar) - sorted.begin());
}

}  // namespace relucover
