// Data that must not be certified as another network than made it: 220 cases, 0 false claims allowed.
//   bench_accuracy_false_claims [cases]        or, to look at one:  bench_accuracy_false_claims case NUMBER
// A claim is false if the status is exact or recovered and the network is not the one behind the labels: a different
// number of units, or units further from the truth than the certificate's own predicted errors (with room for chance).
#include <fmt/format.h>

#include <cmath>

#include "accuracy/claims.hpp"
#include "core/random.hpp"
#include "relucover/relucover.hpp"

using namespace relucover;

namespace {

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
      return {"too few samples", planted(truth, few, 0, seed), options, truth};
    }
    case 1:
      options.units = std::max<Index>(1, units - 1 - random.below(2));
      return {"units asked too few", planted(truth, samples, noise, seed), options, truth};
    case 2:
      options.units = units + 1 + random.below(4);
      return {"units asked too many", planted(truth, samples, noise, seed), options, truth};
    case 3: {
      const Vector w = random.normal_vector(inputs);
      return {"sine", labelled(samples, inputs, seed, [=](const Vector& x, RandomStream&) { return std::sin(w.dot(x)); }), options, {}};
    }
    case 4: {
      return {"decision tree",
              labelled(samples, inputs, seed,
                       [](const Vector& x, RandomStream&) { return x[0] > 0.2 ? (x[1] > -0.3 ? 1.5 : -0.7) : (x[2] > 0.4 ? 0.3 : -1.1); }),
              options,
              {}};
    }
    case 5: {
      const Network lower = planted_network({.inputs = inputs, .units = units + 1, .outputs = 3, .seed = seed}),
                    upper = planted_network({.inputs = 3, .units = 3, .seed = seed + 1});
      return {"deeper network",
              labelled(samples, inputs, seed,
                       [=](const Vector& x, RandomStream& draw) {
                         return upper.evaluate(lower.evaluate(x.transpose()).cwiseMax(0))(0, 0) + noise * draw.normal();
                       }),
              options,
              {}};
    }
    case 6: {
      MemorySource<double> data = planted(truth, samples, 0, seed);
      const RowMatrix rounded = (data.y() * 1000).array().round() / 1000;
      return {"rounded to 3 digits", MemorySource<double>(data.x(), rounded), options, truth};
    }
    case 7: {
      Network equal = truth;
      equal.W.row(1) = equal.W.row(0);
      equal.b[1] = equal.b[0];
      equal.A(0, 1) = std::copysign(equal.A(0, 1), equal.A(0, 0));  // opposite ones could leave a unit too small to see
      return {"equal units", planted(equal, samples, noise, seed), options, equal};
    }
    case 9: {  // units far out are barely touched, if at all
      const Index few = (units + 1) * (inputs + 1) * 2 + random.below(400);
      SyntheticOptions draw{.samples = few, .noise = noise, .seed = seed};
      draw.distribution = InputDistribution::parse("rademacher");
      return {"sign vectors", gather_all(*synthetic_samples(truth, draw)), options, truth};
    }
    case 8:
      return {"pure noise", labelled(samples, inputs, seed, [](const Vector&, RandomStream& draw) { return draw.normal(); }), options, {}};
    default: {
      const Vector w = random.normal_vector(inputs);
      return {"product",
              labelled(samples, inputs, seed,
                       [=](const Vector& x, RandomStream& draw) { return x[0] * x[1] + 0.3 * w.dot(x) + noise * draw.normal(); }),
              options,
              {}};
    }
  }
}

/// Equal units of the truth count as one.
bool same_unit(const Network& truth, Index i, Index j) { return truth.W.row(i) == truth.W.row(j) && truth.b[i] == truth.b[j]; }

}  // namespace

int main(int argc, char** argv) { return count_false_claims(argc, argv, 220, make_problem, same_unit); }
