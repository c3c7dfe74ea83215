// The Hermite family on planted networks. Usage: hermite [line] [seeds]; lines: start, overcomplete, printed, bias,
// population, alike (all by default).
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "decompose/pencil.hpp"
#include "learners/hermite/hermite.hpp"
#include "learners/hermite/moment_methods.hpp"
#include "networks/assignment.hpp"
#include "relucover/learn.hpp"
#include "relucover/population.hpp"

using namespace relucover;

namespace {

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}
double worst(const Comparison& errors) { return std::max({errors.max_weight_error, errors.max_bias_error, errors.max_output_error}); }
std::uint64_t seed_of(int seed) { return static_cast<std::uint64_t>(seed); }

void start(int seeds) {
  int exact = 0;
  std::vector<double> shares;
  for (int seed = 1; seed <= seeds; ++seed) {
    const Network truth = planted_network({.inputs = 20, .units = 10, .seed = seed_of(seed)});
    const auto source = synthetic_samples(truth, {.samples = 100000, .seed = seed_of(seed)});
    const Result result = learn(*source, {.units = 10, .method = "hermite"});
    const Comparison errors = compare(truth, result.network);
    const bool good = result.status == Status::exact && worst(errors) < 1e-10;
    exact += good;
    shares.push_back(result.figures.count("start_over_affine") ? result.figures.at("start_over_affine") : 1);
    std::printf("start seed %d: %s, error %.1e, start leaves %.3f of the affine fit's squared error, %.1f s\n", seed,
                name_of(result.status).c_str(), worst(errors), shares.back(), result.seconds);
    std::fflush(stdout);
  }
  std::printf("start: exact %d of %d, median share %.3f (bar: 18 of 20, 0.25)\n", exact, seeds, median(shares));
}

/// Largest 1 - cos of the direction of a unit of the truth and that of the unit paired with it in the best candidate.
double start_error(const Network& truth, const SampleSource& source, const LearnOptions& options) {
  Result unused;
  const MomentStart start = moment_start(source, options, Control(options.threads), unused);
  const Matrix found = best_directions(start);
  if (found.rows() == 0) return 1;
  const Matrix distance = 1 - (canonical(truth).W * found.transpose()).cwiseAbs().array();
  const auto partner = cheapest_assignment(distance);
  double largest = 0;
  for (Index i = 0; i < distance.rows(); ++i) {
    const Index j = partner[static_cast<std::size_t>(i)];
    largest = std::max(largest, j < 0 ? 1.0 : distance(i, j));
  }
  return largest;
}

void overcomplete(int seeds) {
  int exact = 0;
  std::vector<double> starts;
  for (int seed = 1; seed <= seeds; ++seed) {
    const Network truth = planted_network({.inputs = 5, .units = 8, .seed = seed_of(seed)});
    const auto source = synthetic_samples(truth, {.samples = 1000000, .seed = seed_of(seed)});
    const LearnOptions options{.units = 8, .method = "hermite"};
    starts.push_back(start_error(truth, *source, options));
    const Result result = learn(*source, options);
    const Comparison errors = compare(truth, result.network);
    exact += worst(errors) < 1e-10;
    std::printf("overcomplete seed %d: %s, error %.1e%s, pencil alone 1 - cos %.3f, %.1f s\n", seed, name_of(result.status).c_str(),
                worst(errors), errors.up_to_sign ? " up to sign" : "", starts.back(), result.seconds);
    std::fflush(stdout);
  }
  std::printf(
      "overcomplete: every unit to 1e-10 in %d of %d (bar: 16 of 20); pencil alone, worst direction, median 1 - cos %.3f (bar 0.15)\n",
      exact, seeds, median(starts));
}

void printed(int seeds) {
  std::printf("%10s %16s %16s\n", "samples", "printed", "default (error of the worst parameter, median)");
  for (const Index samples : {10000, 100000, 1000000}) {
    std::vector<double> published, ours;
    for (int seed = 1; seed <= seeds; ++seed) {
      const Network truth = planted_network({.inputs = 10, .units = 5, .seed = seed_of(seed)});
      const auto source = synthetic_samples(truth, {.samples = samples, .seed = seed_of(seed)});
      published.push_back(worst(compare(truth, learn(*source, {.units = 5, .method = "hermite-printed"}).network)));
      ours.push_back(worst(compare(truth, learn(*source, {.units = 5, .method = "hermite"}).network)));
    }
    std::printf("%10ld %16.2e %16.2e\n", static_cast<long>(samples), median(published), median(ours));
    std::fflush(stdout);
  }
}

/// Distance in (w, b) and relative error of a of each unit of the truth from the nearest unit of the answer, up to sign.
std::vector<double> unit_errors(const Network& truth, const Network& answer) {
  const Network a = canonical(truth), b = canonical(answer);
  std::vector<double> errors;
  for (Index i = 0; i < a.units(); ++i) {
    double nearest = 10;
    for (Index j = 0; j < b.units(); ++j)
      for (const double sign : {1.0, -1.0})
        nearest = std::min(nearest, std::max({(a.W.row(i) - sign * b.W.row(j)).norm(), std::abs(a.b[i] - sign * b.b[j]),
                                              std::abs(a.A(0, i) - b.A(0, j))}));
    errors.push_back(nearest);
  }
  std::sort(errors.begin(), errors.end());
  return errors;
}

void bias(int seeds) {
  for (const char* method : {"hermite-regression", "hermite"}) {
    int good = 0;
    double largest_function = 0, largest_unit = 0;
    for (int seed = 1; seed <= seeds; ++seed) {
      Network truth = planted_network({.inputs = 10, .units = 6, .seed = seed_of(seed)});
      truth.b[0] = 4;
      truth.b[1] = -4;
      const auto source = synthetic_samples(truth, {.samples = 100000, .seed = seed_of(seed)});
      const Result result = learn(*source, {.units = 6, .method = method});
      const double function = compare(truth, result.network).function_rms;
      const double unit = unit_errors(truth, result.network)[3];  // the fourth best: the four with ordinary biases
      const auto figure = [&](const char* name) { return result.figures.count(name) ? result.figures.at(name) : -1.0; };
      const bool bars = function <= 5e-3 && unit <= 1e-3 && static_cast<double>(result.network.units()) <= figure("units_separated") + 2 &&
                        figure("samples_to_separate") > 0;
      good += bars && !result.certified();
      largest_function = std::max(largest_function, function);
      largest_unit = std::max(largest_unit, unit);
      std::printf(
          "bias seed %d %s: %s, %ld units, function %.1e, other four units %.1e, separated %.0f, like linear %.0f, like zero %.0f, "
          "samples to separate %.1e\n",
          seed, method, name_of(result.status).c_str(), static_cast<long>(result.network.units()), function, unit,
          figure("units_separated"), figure("units_like_linear"), figure("units_like_zero"), figure("samples_to_separate"));
      if (seed == 1)
        for (const std::string& note : result.notes) std::printf("  note: %s\n", note.c_str());
      std::fflush(stdout);
    }
    std::printf("bias %s: all bars in %d of %d; worst function %.1e (bar 5e-3), worst of the other four units %.1e (bar 1e-3)\n", method,
                good, seeds, largest_function, largest_unit);
  }
}

void population(int seeds) {
  struct Case {
    Index inputs, units;
    bool without_bias;
    const char* method;
    std::map<std::string, double> settings;
    double bar;
  };
  const std::vector<Case> cases = {
      {10, 10, false, "hermite", {}, 1e-10},
      {10, 10, false, "hermite-printed", {{"decomposition", 0}}, 1e-8},
      {10, 10, false, "hermite-printed", {{"decomposition", 1}}, 1e-8},
      {10, 10, false, "hermite-printed", {{"decomposition", 2}}, 1e-8},
      {10, 10, false, "hermite-printed", {{"decomposition", 0}, {"printed_signs", 1}}, 1e-8},
      {6, 15, false, "hermite", {}, 1e-10},
      {6, 15, true, "hermite", {}, 1e-10},
      {4, 15, false, "hermite", {}, 1e-10},
      {4, 15, true, "hermite", {}, 1e-10},
      {5, 25, false, "hermite", {}, 1e-10},
      {5, 25, true, "hermite", {}, 1e-10},
      {6, 15, false, "hermite-printed", {{"decomposition", 0}}, 1e-8},
      {6, 15, false, "hermite-printed", {{"decomposition", 2}}, 1e-8},
  };
  for (const Case& c : cases) {
    int good = 0;
    double largest = 0, seconds = 0;
    for (int seed = 1; seed <= seeds; ++seed) {
      Network truth = planted_network({.inputs = c.inputs, .units = c.units, .seed = seed_of(seed)});
      if (c.without_bias)
        truth.b.setZero();
      else
        truth.b.head(5) << 0.0, 1.0, -1.0, std::sqrt(3.0), -std::sqrt(3.0);
      const Result result = learn_from_network(truth, {.units = c.units, .method = c.method, .settings = c.settings});
      const Comparison errors = compare(truth, result.network);
      const double error = errors.units_matched == truth.units() ? worst(errors) : 1;
      good += error <= c.bar;
      largest = std::max(largest, error);
      seconds += result.seconds / seeds;
    }
    std::string settings;
    for (const auto& [name, value] : c.settings) settings += " " + name + "=" + std::to_string(static_cast<int>(value));
    std::printf("population %ld inputs, %ld units%s, %s%s: within %.0e in %d of %d, worst %.1e, %.2f s each\n", static_cast<long>(c.inputs),
                static_cast<long>(c.units), c.without_bias ? " without bias" : "", c.method, settings.c_str(), c.bar, good, seeds, largest,
                seconds);
    std::fflush(stdout);
  }
}

void alike(int seeds) {
  int false_claims = 0, runs = 0;
  const auto look = [&](const char* what, double size, int seed, const Network& truth) {
    const auto source = synthetic_samples(truth, {.samples = 50000, .seed = seed_of(seed)});
    const Result result = learn(*source, {.units = truth.units(), .method = "hermite"});
    const double function = compare(truth, result.network).function_rms;
    const bool honest = !result.certified() || function < 1e-8;
    false_claims += !honest;
    ++runs;
    std::printf("alike %s %.0e seed %d: %s, %ld units, function %.1e%s; %s\n", what, size, seed, name_of(result.status).c_str(),
                static_cast<long>(result.network.units()), function, honest ? "" : " FALSE CLAIM",
                result.certified() && !result.notes.empty() ? result.notes.back().c_str() : result.message.c_str());
    std::fflush(stdout);
  };
  for (int seed = 1; seed <= std::min(seeds, 5); ++seed) {
    const Network planted = planted_network({.inputs = 8, .units = 4, .seed = seed_of(seed)});
    for (const double angle : {0.0, 1e-3, 1e-2}) {
      Network truth = planted;
      RandomStream random(seed_of(seed), purpose::study);
      truth.W.row(1) = (truth.W.row(0) + angle * random.normal_vector(8).normalized().transpose()).normalized();
      truth.b[1] = truth.b[0];
      truth.A(0, 1) = std::abs(truth.A(0, 1)) * (truth.A(0, 0) > 0 ? 1 : -1);
      look("angle", angle, seed, truth);
    }
    Network tiny = planted;
    tiny.A(0, 0) = 1e-4;
    look("output weight", 1e-4, seed, tiny);
    Network vanishing = planted;
    vanishing.b << 0, 1, -1, 0;
    look("biases 0 and ±1, worst", 0, seed, vanishing);
  }
  std::printf("alike: %d false claims in %d runs (bar 0)\n", false_claims, runs);
}

}  // namespace

int main(int count, char** arguments) {
  const std::string line = count > 1 ? arguments[1] : "all";
  const int seeds = count > 2 ? std::atoi(arguments[2]) : 20;
  const auto wanted = [&](const char* name) { return line == "all" || line == name; };
  if (wanted("population")) population(seeds);
  if (wanted("start")) start(seeds);
  if (wanted("overcomplete")) overcomplete(seeds);
  if (wanted("printed")) printed(std::min(seeds, 10));
  if (wanted("bias")) bias(seeds);
  if (wanted("alike")) alike(seeds);
  return 0;
}
