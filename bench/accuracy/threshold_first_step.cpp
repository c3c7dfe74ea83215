// First step on planted models: worst unit over all seeds, in radians, against the bars of docs/math-threshold.md.
// Usage: threshold_first_step [seeds] [case]
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>

#include "accuracy/threshold_common.hpp"
#include "learners/threshold/first_step.hpp"

using namespace relucover;

int main(int argc, char** argv) {
  const int seeds = argc > 1 ? std::atoi(argv[1]) : 4;
  const int only = argc > 2 ? std::atoi(argv[2]) : -1;
  using Method = FirstStepOptions::Method;
  struct Case {
    const char* unit;
    double t;
    Index units, inputs, samples;
    Method method;
    double bar;
  };
  const Case cases[] = {
      {"relu", 2, 5, 10, 100'000, Method::joint, .14},          {"relu", 2, 5, 10, 1'000'000, Method::joint, .05},
      {"relu", 2, 10, 20, 100'000, Method::joint, .22},         {"relu", 2, 10, 20, 1'000'000, Method::joint, .09},
      {"relu", 1, 5, 10, 1'000'000, Method::joint, .25},        {"relu", 1.5, 5, 10, 1'000'000, Method::joint, .09},
      {"step", 2, 5, 10, 1'000'000, Method::joint, .08},        {"step", 2, 10, 20, 1'000'000, Method::joint, .12},
      {"sigmoid", 4, 5, 10, 1'000'000, Method::joint, .07},     {"relu", 2, 5, 10, 1'000'000, Method::landscape, .10},
      {"relu", 2, 5, 10, 1'000'000, Method::simultaneous, .10},
  };
  bench::Table table("first step");
  int number = 0;
  for (const Case& c : cases) {
    if (only >= 0 && number++ != only) continue;
    double worst = 0;
    const bench::Stopwatch watch;
    for (int seed = 0; seed < seeds; ++seed) {
      const ThresholdModel model = planted_threshold_model({.inputs = c.inputs,
                                                            .units = c.units,
                                                            .unit = UnitFunction::parse(c.unit),
                                                            .threshold = c.t,
                                                            .seed = 1000 + static_cast<std::uint64_t>(seed)});
      const auto source = bench::in_memory(*threshold_samples(model, {.samples = c.samples, .seed = static_cast<std::uint64_t>(seed)}));
      const FirstStep step = first_step(*source, {.units = c.units, .unit = model.unit, .threshold = c.t, .method = c.method}, Control(2));
      worst = std::max(worst, bench::worst_angle(model.W, step.W, false));
    }
    table.row(fmt::format("{} t={} {} in {} N={:.0e}{}", c.unit, c.t, c.units, c.inputs, static_cast<double>(c.samples),
                          c.method == Method::joint       ? ""
                          : c.method == Method::landscape ? " landscape"
                                                          : " simultaneous"),
              worst, c.bar, watch.seconds() / seeds);
  }
  return table.failures() > 0;
}
