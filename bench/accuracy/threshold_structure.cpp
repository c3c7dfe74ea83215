// Sections 3 and 4 of GP on planted models, RefineEstimate by questions, against their bars.
// Usage: threshold_structure [seeds]
#include <fmt/format.h>

#include <cstdlib>

#include "accuracy/threshold_common.hpp"
#include "core/random.hpp"
#include "learners/threshold/direction_test.hpp"
#include "learners/threshold/refine_estimate.hpp"
#include "learners/threshold/structured.hpp"

using namespace relucover;

namespace {

using Weights = PlantedThresholdOptions::Weights;

/// Unit directions in three inputs, no two closer than cos 0.8; P = Σ X_i - .8 X_1 X_2 + .8 X_2 X_3.
ThresholdModel low_dimensional(const char* unit, double t, std::uint64_t seed) {
  ThresholdModel model;
  do {
    model = planted_threshold_model(
        {.inputs = 3, .units = 3, .unit = UnitFunction::parse(unit), .threshold = t, .weights = Weights::gaussian, .seed = seed});
    seed += 1000;
  } while ((model.W * model.W.transpose() - Matrix::Identity(3, 3)).cwiseAbs().maxCoeff() > 0.8);
  model.upper = {
      UpperPart::Kind::polynomial, 0, {{{{0, 1}}, 1}, {{{1, 1}}, 1}, {{{2, 1}}, 1}, {{{0, 1}, {1, 1}}, -0.8}, {{{1, 1}, {2, 1}}, 0.8}}, {}};
  return model;
}

void direction_tests(bench::Table& table, int seeds) {
  for (const auto& [unit, samples, bar] : {std::tuple{"step", Index{100'000}, .05}, std::tuple{"relu", Index{1'000'000}, .07}}) {
    double worst = 0;
    const bench::Stopwatch watch;
    for (int seed = 0; seed < seeds; ++seed) {
      const ThresholdModel model = low_dimensional(unit, 1, static_cast<std::uint64_t>(seed));
      const auto source = bench::in_memory(*threshold_samples(model, {.samples = samples, .seed = static_cast<std::uint64_t>(seed)}));
      worst =
          std::max(worst, bench::worst_angle(model.W, find_directions(*source, model.unit, {.units = 3, .threshold = 1}, Control(2)).W));
    }
    table.row(fmt::format("section 3, {}, n=3, t=1, N={:.0e}", unit, static_cast<double>(samples)), worst, bar, watch.seconds() / seeds);
  }
}

void supports(bench::Table& table, int seeds) {
  struct Case {
    Index n, d, s;
    double rate, t;
  };
  for (const Case& c : {Case{40, 8, 4, .5, 5}, Case{50, 10, 5, .7, 5}, Case{60, 12, 5, .5, 6}, Case{12, 4, 3, 1, 0}}) {
    double wrong = 0;
    const bench::Stopwatch watch;
    for (int seed = 0; seed < seeds; ++seed) {
      PlantedThresholdOptions planted{.inputs = c.n,
                                      .units = c.d,
                                      .unit = {UnitFunction::Kind::exponential, c.rate},
                                      .threshold = c.t,
                                      .weights = Weights::supports,
                                      .support = c.s,
                                      .constant = 0,
                                      .seed = static_cast<std::uint64_t>(seed)};
      if (c.t == 0) {  // Theorem 9: positive coefficients, weak products
        planted.pair_probability = 1;
        planted.triples = false;
        planted.monotone = true;
        planted.product_scale = 0.02;
      }
      const ThresholdModel model = planted_threshold_model(planted);
      const auto source = threshold_samples(model, {.samples = 1'000'000, .seed = static_cast<std::uint64_t>(seed)});
      const SupportOptions options{.rate = c.rate, .edge = c.t > 0 ? .5 : .75, .present = c.t > 0 ? .2 : .15};
      const Supports found = find_supports(*source, options, Control(2));
      Matrix W = Matrix::Zero(static_cast<Index>(found.groups.size()), c.n);
      for (std::size_t i = 0; i < found.groups.size(); ++i)
        for (const Index j : found.groups[i]) W(static_cast<Index>(i), j) = 1;
      wrong += !(W.rows() == model.W.rows() && bench::worst_angle(model.W, W) == 0);
    }
    table.row(fmt::format("Theorem {}: n={} d={} s={} rate={} t={}: wrong seeds", c.t > 0 ? 8 : 9, c.n, c.d, c.s, c.rate, c.t), wrong, 0,
              watch.seconds() / seeds);
  }
}

void even_units(bench::Table& table, int seeds) {
  for (const char* unit : {"cosine", "abs"}) {
    double worst = 0;
    const bench::Stopwatch watch;
    for (int seed = 0; seed < seeds; ++seed) {
      const ThresholdModel model = planted_threshold_model({.inputs = 5,
                                                            .units = 5,
                                                            .unit = UnitFunction::parse(unit),
                                                            .threshold = 0,
                                                            .weights = Weights::orthonormal,
                                                            .pair_probability = 1,
                                                            .triples = false,
                                                            .product_scale = 0.1,
                                                            .seed = static_cast<std::uint64_t>(seed)});
      const auto source = bench::in_memory(*threshold_samples(model, {.samples = 1'000'000, .seed = static_cast<std::uint64_t>(seed)}));
      worst = std::max(worst, bench::worst_angle(model.W, even_directions(*source, model.unit, 5, 0, Control(2)).W, false));
    }
    table.row(fmt::format("Theorem 10, {}, 5 in 5, N=1e6", unit), worst, .08, watch.seconds() / seeds);
  }
}

void questions(bench::Table& table, int seeds) {
  double worst = 0;
  const bench::Stopwatch watch;
  for (int seed = 0; seed < seeds; ++seed) {
    const ThresholdModel model = planted_threshold_model({.inputs = 10,
                                                          .units = 5,
                                                          .unit = UnitFunction::parse("step"),
                                                          .upper = UpperPart::Kind::any,
                                                          .seed = static_cast<std::uint64_t>(seed)});
    const auto oracle = model_oracle(model);
    RandomStream random(static_cast<std::uint64_t>(seed), purpose::study);
    const Vector truth = model.W.row(0).transpose();
    Vector aside = random.normal_vector(10);
    aside = (aside - aside.dot(truth) * truth).normalized();
    const RefineEstimate refined =
        refine_estimate(*oracle, std::cos(.1) * truth + std::sin(.1) * aside, {.seed = static_cast<std::uint64_t>(seed)}, Control(2));
    worst = std::max(worst, (refined.w - truth).norm());
  }
  table.row("RefineEstimate, fresh samples, 300 iterations from .1", worst, .001, watch.seconds() / seeds);
}

}  // namespace

int main(int argc, char** argv) {
  const int seeds = argc > 1 ? std::atoi(argv[1]) : 3;
  bench::Table table("structure");
  direction_tests(table, seeds);
  supports(table, seeds);
  even_units(table, seeds);
  questions(table, seeds);
  return table.failures() > 0;
}
