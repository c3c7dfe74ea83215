// Vector outputs end to end: planted problems through learn() as `relucover learn` calls it (the number of units is not
// given), one line each. Usage: vector_acceptance [SEEDS] [LINE or part of a name] [METHOD] [known];
// `known` gives the number of units.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include "networks/squared_errors.hpp"
#include "relucover/relucover.hpp"
#include "samples/hard_instances.hpp"
#include "samples/vector_instances.hpp"

using namespace relucover;

namespace {

struct Case {
  std::string line, name;
  double bar;
  std::string method;
  std::function<Network(std::uint64_t)> truth;
  SyntheticOptions samples;
  double corrupted_share = 0;
};

double largest_error(const Network& truth, const Result& result) {
  if (!result.usable() || result.network.units() != truth.units()) return 10;
  const Comparison errors = compare(truth, result.network);
  return errors.up_to_sign ? 5 : std::max({errors.max_weight_error, errors.max_bias_error, errors.max_output_error});
}

void run(const Case& given, int seeds, const std::string& method, bool units_known) {
  int within = 0, certified = 0, wrong_claims = 0;
  double worst = 0, seconds = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    const Network truth = given.truth(static_cast<std::uint64_t>(seed));
    SyntheticOptions samples = given.samples;
    samples.seed = static_cast<std::uint64_t>(seed) + 500;
    std::unique_ptr<SampleSource> source = synthetic_samples(truth, samples);
    if (given.corrupted_share > 0)
      source = std::make_unique<MemorySource<double>>(corrupted(*source, given.corrupted_share, 100, samples.seed));
    LearnOptions options;
    options.units = units_known ? truth.units() : 0;
    options.method = method.empty() ? given.method : method;
    options.seed = static_cast<std::uint64_t>(seed);
    const Result result = learn(*source, options);
    const double error =
        samples.noise > 0 && result.usable() ? squared_errors(truth, result.network).worst() : largest_error(truth, result);
    within += error <= given.bar;
    certified += result.certified();
    wrong_claims += result.status == Status::exact && error > 1e-6;
    worst = std::max(worst, error);
    seconds += result.seconds / seeds;
    if (error > given.bar) std::printf("    seed %d: %.2e %s: %s\n", seed, error, name_of(result.status).c_str(), result.message.c_str());
  }
  std::printf("%-3s %-44s bar %.1e: %d of %d, worst %.1e, certified %d, false claims %d, %.2f s each\n", given.line.c_str(),
              given.name.c_str(), given.bar, within, seeds, worst, certified, wrong_claims, seconds);
  std::fflush(stdout);
}

std::function<Network(std::uint64_t)> orthonormal(Index inputs, Index units, Index outputs) {
  return [=](std::uint64_t seed) {
    return planted_network(
        {.inputs = inputs, .units = units, .outputs = outputs, .bias = 0, .weights = PlantedOptions::Weights::orthonormal, .seed = seed});
  };
}
std::function<Network(std::uint64_t)> conditioned(double weights, double outputs) {
  return [=](std::uint64_t seed) {
    return vector_network(
        {.inputs = 10, .units = 10, .outputs = 10, .weight_condition = weights, .output_condition = outputs, .seed = seed});
  };
}
std::function<Network(std::uint64_t)> planted(Index inputs, Index units, Index outputs, double bias) {
  return [=](std::uint64_t seed) {
    return planted_network({.inputs = inputs, .units = units, .outputs = outputs, .bias = bias, .seed = seed});
  };
}

SyntheticOptions of(Index samples, const char* distribution = "gaussian", double noise = 0) {
  return {.samples = samples, .distribution = InputDistribution::parse(distribution), .noise = noise};
}

}  // namespace

int main(int count, char** arguments) {
  const int seeds = count > 1 ? std::atoi(arguments[1]) : 20;
  const std::string line = count > 2 ? arguments[2] : "all", method = count > 3 ? arguments[3] : "";
  const bool units_known = count > 4 && std::string(arguments[4]) == "known";
  const auto noise_bar = [](double sigma) { return 10 * sigma * sigma * 10 * 9 / 10000; };
  const std::vector<Case> cases = {
      {"1", "10x10x10, 10000 samples", 1e-12, "auto", orthonormal(10, 10, 10), of(10000)},
      {"2", "32x32x32, 10000 samples", 1e-12, "auto", orthonormal(32, 32, 32), of(10000)},
      {"2", "10x10x10, mixture, 10000 samples", 1e-12, "auto", orthonormal(10, 10, 10), of(10000, "mixture")},
      {"2", "10x10x10, 100 samples", 1e-12, "auto", orthonormal(10, 10, 10), of(100)},
      {"3", "condition of W 100, mixture, 20000", 1e-8, "auto", conditioned(100, 1), of(20000, "mixture")},
      {"3", "condition of A 100, mixture, 20000", 1e-8, "auto", conditioned(1, 100), of(20000, "mixture")},
      {"4", "noise 0.1 (squared errors)", noise_bar(0.1), "auto", conditioned(1, 1), of(10000, "gaussian", 0.1)},
      {"4", "noise 0.5 (squared errors)", noise_bar(0.5), "auto", conditioned(1, 1), of(10000, "gaussian", 0.5)},
      {"4", "noise 1 (squared errors)", noise_bar(1), "auto", conditioned(1, 1), of(10000, "gaussian", 1)},
      {"5", "biases, 20x10x10, 20000", 1e-10, "auto", planted(20, 10, 10, 0.7), of(20000)},
      {"5", "biases, 20x10x3, 20000", 1e-10, "auto", planted(20, 10, 3, 0.7), of(20000)},
      {"6", "units 10, outputs 20, 10000", 1e-10, "auto", planted(10, 10, 20, 0), of(10000)},
      {"6", "units 10, outputs 4, 10000", 1e-10, "auto", planted(10, 10, 4, 0), of(10000)},
      {"8", "5% corrupted, 10x5x30, 5000", 1e-9, "auto", planted(10, 5, 30, 0), of(5000), 0.05},
      {"8", "15% corrupted, 10x5x60, 5000", 1e-9, "auto", planted(10, 5, 60, 0), of(5000), 0.15},
  };
  for (const Case& given : cases)
    if (line == "all" || line == given.line || (line.size() > 1 && given.name.find(line) != std::string::npos))
      run(given, seeds, method, units_known);
}
