// Vector outputs that break the assumptions of the moment methods: 200 cases, 0 false claims allowed, and the moment
// methods have to name what failed.
//   bench_accuracy_vector_false_claims [cases]     or, to look at one:  bench_accuracy_vector_false_claims case NUMBER
// A claim is false if the status is exact or recovered and the network is not the one behind the labels: another number
// of units, or units further from the truth than the certificate's own predicted errors (with room for chance).
#include <fmt/format.h>

#include <cmath>

#include "accuracy/claims.hpp"
#include "core/random.hpp"
#include "relucover/relucover.hpp"
#include "samples/hard_instances.hpp"
#include "samples/subsample.hpp"
#include "samples/vector_instances.hpp"

using namespace relucover;

namespace {

constexpr int kinds = 10;
const std::vector<std::string> tried = {"auto", "pure-neuron", "order-two", "independent-components", "proportional-labels"};

MemorySource<double> labelled(const Network& truth, Index samples, const char* distribution, double noise, std::uint64_t seed) {
  const auto source =
      synthetic_samples(truth, {.samples = samples, .distribution = InputDistribution::parse(distribution), .noise = noise, .seed = seed});
  return gather(*source, 0, samples, Control(1));
}

/// Inputs whose coordinates share a sign, so that units with positive weights always share one too.
RowMatrix one_sided_cones(Index samples, Index inputs, std::uint64_t seed) {
  RandomStream random(seed, purpose::study, 2);
  RowMatrix x(samples, inputs);
  for (Index i = 0; i < samples; ++i) {
    const double side = random.sign();
    for (Index j = 0; j < inputs; ++j) x(i, j) = side * (0.1 + random.uniform());
  }
  return x;
}

Problem make_problem(int number) {
  const std::uint64_t seed = static_cast<std::uint64_t>(300 + number);
  RandomStream random(seed, purpose::study, 1);
  const Index inputs = 5 + random.below(4), units = 2 + random.below(3), outputs = units + random.below(3);
  const Index samples = 800 + random.below(2500);
  const double noise = number % 3 == 2 ? 0.1 : 0;
  Network truth =
      vector_network({.inputs = inputs, .units = units, .outputs = outputs, .weight_condition = 2, .output_condition = 2, .seed = seed});
  LearnOptions options{.units = number % 4 == 3 ? 0 : units, .seed = seed, .threads = 2, .time_limit = 60};
  options.method = tried[static_cast<std::size_t>(number / kinds) % tried.size()];
  switch (number % kinds) {
    case 0: return {"exponential inputs", labelled(truth, samples, "exponential", noise, seed), options, truth};
    case 1: {  // symmetric inputs, mean moved away
      MemorySource<double> data = labelled(truth, samples, "gaussian", 0, seed);
      RowMatrix x = data.x().array() + 0.8;
      RowMatrix y = truth.evaluate(x) + noise * RowMatrix(random.normal_matrix(samples, outputs));
      return {"inputs off centre", MemorySource<double>(std::move(x), std::move(y)), options, truth};
    }
    case 2:
      truth.A.col(units - 1) = truth.A.leftCols(units - 1).rowwise().sum();
      return {"rank-deficient A", labelled(truth, samples, "gaussian", noise, seed), options, truth};
    case 3:
      truth.W.row(units - 1) = truth.W.topRows(units - 1).colwise().sum().normalized();
      return {"rank-deficient W", labelled(truth, samples, "gaussian", noise, seed), options, truth};
    case 4: truth.A.col(1) = -truth.A.col(0); return {"columns [u, -u]", labelled(truth, samples, "gaussian", noise, seed), options, truth};
    case 5: {
      truth.W = truth.W.cwiseAbs();
      RowMatrix x = one_sided_cones(samples, inputs, seed);
      RowMatrix y = truth.evaluate(x) + noise * RowMatrix(random.normal_matrix(samples, outputs));
      return {"units share a sign", MemorySource<double>(std::move(x), std::move(y)), options, truth};
    }
    case 6: {
      const Network upper = planted_network({.inputs = outputs, .units = 3, .outputs = outputs, .seed = seed + 1});
      MemorySource<double> data = labelled(truth, samples, "gaussian", 0, seed);
      RowMatrix y = upper.evaluate(data.y()) + noise * RowMatrix(random.normal_matrix(samples, outputs));
      return {"deeper network", MemorySource<double>(data.x(), std::move(y)), options, {}};
    }
    case 7: {
      MemorySource<double> data = labelled(truth, samples, "gaussian", 0, seed);
      RowMatrix y = (data.x() * truth.W.transpose()).array().sin().matrix() * truth.A.transpose();
      y += noise * RowMatrix(random.normal_matrix(samples, outputs));
      return {"sines", MemorySource<double>(data.x(), std::move(y)), options, {}};
    }
    case 8: {  // more than half of the entries wrong
      const MemorySource<double> data = labelled(truth, samples, "gaussian", 0, seed);
      return {"most labels wrong", corrupted(data, 0.7, 1, seed), options, truth};
    }
    default: {
      RowMatrix x = random.normal_matrix(samples, inputs), y = random.normal_matrix(samples, outputs);
      return {"pure noise", MemorySource<double>(std::move(x), std::move(y)), options, {}};
    }
  }
}

/// Units without bias and with the same direction are one.
bool same_unit(const Network& truth, Index i, Index j) {
  return (truth.W.row(i).normalized() - truth.W.row(j).normalized()).norm() < 1e-12;
}

}  // namespace

int main(int argc, char** argv) { return count_false_claims(argc, argv, 200, make_problem, same_unit); }
