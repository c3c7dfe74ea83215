// Data that must not be certified as another network than made it: 220 cases, 0 false claims allowed.
//   bench_accuracy_false_claims [cases]        or, to look at one:  bench_accuracy_false_claims case NUMBER
// A claim is false if the status is exact or recovered and the network is not the one behind the labels: a different
// number of units, or units further from the truth than the certificate's own predicted errors (with room for chance).
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "core/random.hpp"
#include "relucover/relucover.hpp"

using namespace relucover;

namespace {

struct Problem {
  std::string kind;
  MemorySource<double> samples;
  LearnOptions options;
  Network truth;            // no units: there is no network behind the labels
  bool has_truth = false;
};

MemorySource<double> gather_all(const SampleSource& source) {
  BlockBuffer<double> buffer;
  source.read(0, source.samples(), buffer);
  return MemorySource<double>(std::move(buffer.x), std::move(buffer.y));
}

template <class Function>
MemorySource<double> labelled(Index samples, Index inputs, std::uint64_t seed, Function label) {
  RandomStream random(seed, purpose::study);
  RowMatrix x = random.normal_matrix(samples, inputs), y(samples, 1);
  for (Index i = 0; i < samples; ++i) y(i, 0) = label(Vector(x.row(i).transpose()), random);
  return MemorySource<double>(std::move(x), std::move(y));
}

MemorySource<double> planted(const Network& truth, Index samples, double noise, std::uint64_t seed) {
  return gather_all(*synthetic_samples(truth, {.samples = samples, .noise = noise, .seed = seed}));
}

constexpr int kinds = 11;  // odd, so that each kind meets labels with and without noise

Problem make_problem(int number) {
  const std::uint64_t seed = static_cast<std::uint64_t>(100 + number);
  RandomStream random(seed, purpose::study, 1);
  const Index inputs = 3 + random.below(8), units = 2 + random.below(6), samples = 800 + random.below(8000);
  const Network truth = planted_network({.inputs = inputs, .units = units, .seed = seed});
  LearnOptions options{.units = units, .seed = seed, .threads = 2, .time_limit = 60};
  const double noise = number % 2 == 0 ? 0 : 0.1;
  switch (number % kinds) {
    case 0: {  // barely more equations than unknowns
      const Index few = (units + 1) * (inputs + 1) + 1 + random.below(20);
      return {"too few samples", planted(truth, few, 0, seed), options, truth, true};
    }
    case 1: options.units = std::max<Index>(1, units - 1 - random.below(2));
      return {"units asked too few", planted(truth, samples, noise, seed), options, truth, true};
    case 2: options.units = units + 1 + random.below(4);
      return {"units asked too many", planted(truth, samples, noise, seed), options, truth, true};
    case 3: {
      const Vector w = random.normal_vector(inputs);
      return {"sine", labelled(samples, inputs, seed, [=](const Vector& x, RandomStream&) { return std::sin(w.dot(x)); }), options, {}, false};
    }
    case 4: {
      return {"decision tree", labelled(samples, inputs, seed, [](const Vector& x, RandomStream&) {
                return x[0] > 0.2 ? (x[1] > -0.3 ? 1.5 : -0.7) : (x[2] > 0.4 ? 0.3 : -1.1); }), options, {}, false};
    }
    case 5: {
      const Network lower = planted_network({.inputs = inputs, .units = units + 1, .outputs = 3, .seed = seed}),
                    upper = planted_network({.inputs = 3, .units = 3, .seed = seed + 1});
      return {"deeper network", labelled(samples, inputs, seed, [=](const Vector& x, RandomStream& draw) {
                return upper.evaluate(lower.evaluate(x.transpose()).cwiseMax(0))(0, 0) + noise * draw.normal(); }), options, {}, false};
    }
    case 6: {
      MemorySource<double> data = planted(truth, samples, 0, seed);
      const RowMatrix rounded = (data.y() * 1000).array().round() / 1000;
      return {"rounded to 3 digits", MemorySource<double>(data.x(), rounded), options, truth, true};
    }
    case 7: {
      Network equal = truth;
      equal.W.row(1) = equal.W.row(0);
      equal.b[1] = equal.b[0];
      equal.A(0, 1) = std::copysign(equal.A(0, 1), equal.A(0, 0));  // opposite ones could leave a unit too small to see
      return {"equal units", planted(equal, samples, noise, seed), options, equal, true};
    }
    case 9: {  // units far out are barely touched, if at all
      const Index few = (units + 1) * (inputs + 1) * 2 + random.below(400);
      SyntheticOptions draw{.samples = few, .noise = noise, .seed = seed};
      draw.distribution = InputDistribution::parse("rademacher");
      return {"sign vectors", gather_all(*synthetic_samples(truth, draw)), options, truth, true};
    }
    case 8: return {"pure noise", labelled(samples, inputs, seed, [](const Vector&, RandomStream& draw) { return draw.normal(); }), options, {}, false};
    default: {
      const Vector w = random.normal_vector(inputs);
      return {"product", labelled(samples, inputs, seed, [=](const Vector& x, RandomStream& draw) { return x[0] * x[1] + 0.3 * w.dot(x) + noise * draw.normal(); }), options, {}, false};
    }
  }
}

/// Equal units of the truth count as one.
Network merged(Network truth) {
  for (Index i = 0; i < truth.units(); ++i)
    for (Index j = 0; j < i; ++j)
      if (truth.W.row(i) == truth.W.row(j) && truth.b[i] == truth.b[j]) {
        truth.A.col(j) += truth.A.col(i);
        truth.A.col(i).setZero();
      }
  return canonical(truth);
}

bool claim_is_true(const Problem& problem, const Result& result) {
  if (!problem.has_truth) return false;
  const Network truth = merged(problem.truth);
  const Comparison errors = compare(truth, result.network);
  if (errors.units_matched != truth.units() || result.network.units() != truth.units()) return false;
  const auto series = result.series.find("unit_relative_error");
  double predicted = 0;
  if (series != result.series.end())
    for (const double error : series->second) predicted = std::max(predicted, error);
  const double allowed = std::max(1e-9, 6 * predicted);
  return std::max(errors.max_weight_error, errors.function_rms) <= allowed;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "case") {
    const Problem problem = make_problem(std::atoi(argv[2]));
    fmt::print("{}, {} samples\n{}", problem.kind, problem.samples.samples(), learn(problem.samples, problem.options).full());
    return 0;
  }
  const int cases = argc > 1 ? std::atoi(argv[1]) : 220;
  struct Count {
    int all = 0, certified = 0, wrong = 0;
  };
  std::map<std::string, Count> counts;
  int wrong = 0;
  for (int number = 0; number < cases; ++number) {
    const Problem problem = make_problem(number);
    const Result result = learn(problem.samples, problem.options);
    Count& count = counts[problem.kind];
    ++count.all;
    if (!result.certified()) continue;
    ++count.certified;
    if (claim_is_true(problem, result)) continue;
    ++count.wrong;
    ++wrong;
    fmt::print("false claim, case {} ({}): {}\n", number, problem.kind, result.brief());
    std::fflush(stdout);
  }
  fmt::print("{:<24}{:>8}{:>12}{:>14}\n", "labels", "cases", "certified", "false claims");
  for (const auto& [kind, count] : counts) fmt::print("{:<24}{:>8}{:>12}{:>14}\n", kind, count.all, count.certified, count.wrong);
  fmt::print("{} false claims in {} cases\n", wrong, cases);
  return wrong == 0 ? 0 : 1;
}
