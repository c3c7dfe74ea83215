// Tasks about a first layer on planted models, against their bars: worst unit over all seeds, in radians.
// Usage: threshold_tasks [seeds] [case]
#include <fmt/format.h>

#include <cstdlib>

#include "accuracy/threshold_common.hpp"
#include "relucover/first_layer.hpp"

using namespace relucover;

namespace {

struct Case {
  std::string name;
  PlantedThresholdOptions planted;
  ThresholdSampleOptions samples;
  bool halfspaces;
  FirstLayerOptions learn;
  double bar;        // directions
  double error_bar;  // held-out error; 0: only printed
};

std::vector<Case> all_cases() {
  const UnitFunction step = UnitFunction::parse("step"), sigmoid = UnitFunction::parse("sigmoid");
  const auto any = UpperPart::Kind::any;
  const auto deep = UpperPart::Kind::layers;
  std::vector<Case> cases;
  cases.push_back({"ReLU 10 in 20, t=2, N=1e5", {.inputs = 20, .units = 10}, {.samples = 100'000}, false, {.units = 10}, 1e-10, 0});
  cases.push_back({"ReLU 5 in 10, t=1, N=1e6",
                   {.inputs = 10, .units = 5, .threshold = 1},
                   {.samples = 1'000'000},
                   false,
                   {.units = 5, .threshold = 1},
                   1e-10,
                   0});
  cases.push_back({"ReLU powers 5 in 10, t=2, N=1e6",
                   {.inputs = 10, .units = 5, .powers = true},
                   {.samples = 1'000'000},
                   false,
                   {.units = 5, .power = 3},
                   1e-10,
                   0});
  cases.push_back({"ReLU noise .01 5 in 10, t=2, N=1e6",
                   {.inputs = 10, .units = 5},
                   {.samples = 1'000'000, .noise = 0.01},
                   false,
                   {.units = 5},
                   1e-3,
                   0});
  cases.push_back({"step 5 in 10, t=sqrt 3, N=1e6",
                   {.inputs = 10, .units = 5, .unit = step, .threshold = std::sqrt(3.0)},
                   {.samples = 1'000'000},
                   false,
                   {.units = 5, .unit = step},
                   .002,
                   0});
  cases.push_back({"sigmoid 5 in 10, t=3.02, N=1e6",
                   {.inputs = 10, .units = 5, .unit = sigmoid, .threshold = 3.02},
                   {.samples = 1'000'000},
                   false,
                   {.units = 5, .unit = sigmoid, .threshold = 3.02},
                   1e-8,
                   0});
  cases.push_back({"sigmoid 5 in 10, t=4, N=1e6",
                   {.inputs = 10, .units = 5, .unit = sigmoid, .threshold = 4},
                   {.samples = 1'000'000},
                   false,
                   {.units = 5, .unit = sigmoid, .threshold = 4},
                   1e-9,
                   0});
  cases.push_back({"halfspaces 5 in 10, t=2, N=1e6",
                   {.inputs = 10, .units = 5, .unit = step, .upper = any},
                   {.samples = 1'000'000},
                   true,
                   {.units = 5},
                   .002,
                   5e-4});
  cases.push_back({"halfspaces 10 in 20, t=2, N=1e6",
                   {.inputs = 20, .units = 10, .unit = step, .upper = any},
                   {.samples = 1'000'000},
                   true,
                   {.units = 10},
                   .003,
                   1e-3});
  cases.push_back({"halfspaces 8 in 15, t in [1.5, 2.5], 1% flips, N=1e6",
                   {.inputs = 15, .units = 8, .unit = step, .threshold = 1.5, .threshold_high = 2.5, .upper = any},
                   {.samples = 1'000'000, .flips = 0.01},
                   true,
                   {.units = 8},
                   .003,
                   .012});
  cases.push_back(
      {"deep ReLU 10-8-5-1, t=2, N=1e6", {.inputs = 10, .units = 8, .upper = deep}, {.samples = 1'000'000}, false, {.units = 8}, .002, 0});
  cases.push_back(
      {"deep ReLU, sigmoid above, 10-8-5-1, N=1e6",
       {.inputs = 10, .units = 8, .upper = deep, .hidden_kind = DenseLayer::Kind::sigmoid, .output_kind = DenseLayer::Kind::sigmoid},
       {.samples = 1'000'000},
       false,
       {.units = 8},
       .002,
       0});
  cases.push_back({"deep ReLU, mixed signs, 10-8-5-1, N=1e6",
                   {.inputs = 10,
                    .units = 8,
                    .upper = deep,
                    .hidden_kind = DenseLayer::Kind::sigmoid,
                    .output_kind = DenseLayer::Kind::sigmoid,
                    .mixed_signs = true},
                   {.samples = 1'000'000},
                   false,
                   {.units = 8},
                   .002,
                   0});
  return cases;
}

}  // namespace

int main(int argc, char** argv) {
  const int seeds = argc > 1 ? std::atoi(argv[1]) : 3;
  const int only = argc > 2 ? std::atoi(argv[2]) : -1;
  bench::Table table("tasks");
  int number = 0;
  for (Case& c : all_cases()) {
    if (const int mine = number++; only >= 0 && mine != only) continue;
    double worst = 0, first = 0, error = 0, linear = 0;
    std::string statuses;
    const bench::Stopwatch watch;
    for (int seed = 0; seed < seeds; ++seed) {
      c.planted.seed = 2000 + static_cast<std::uint64_t>(seed);
      c.samples.seed = static_cast<std::uint64_t>(seed);
      const ThresholdModel model = planted_threshold_model(c.planted);
      const auto source = bench::in_memory(*threshold_samples(model, c.samples));
      const FirstLayerResult result = c.halfspaces ? learn_halfspaces(*source, c.learn) : learn_lowest_layer(*source, c.learn);
      worst = std::max(worst, bench::worst_angle(model.W, result.model.W));
      first = std::max(first, bench::worst_angle(model.W, result.first_step_W));
      error = std::max(error, result.holdout_error);
      if (model.upper.kind == UpperPart::Kind::polynomial) linear = std::max(linear, bench::worst_linear_coefficient(model, result.model));
      statuses += " " + name_of(result.status);
      if (std::getenv("FULL")) fmt::print("{}", result.full());
    }
    table.row(c.name, worst, c.bar, watch.seconds() / seeds);
    if (c.samples.noise == 0 && c.planted.upper == UpperPart::Kind::polynomial && c.planted.unit.kind == UnitFunction::Kind::relu)
      table.row("    linear coefficients of the upper part", linear, 1e-8, 0);
    fmt::print("    first step {:.3g}, held-out error {:.3g}{}, status{}\n", first, error,
               c.error_bar > 0 ? fmt::format(" (bar {:.3g}, {})", c.error_bar, error <= c.error_bar ? "ok" : "MISSED") : "", statuses);
  }
  return table.failures() > 0;
}
