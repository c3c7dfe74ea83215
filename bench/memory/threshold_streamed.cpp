// A first layer from streamed samples: peak memory must not grow with their number.
//   bench_memory_threshold_streamed [samples]
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "relucover/first_layer.hpp"
#include "support/threshold_planted.hpp"

using namespace relucover;

namespace {

double peak_megabytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "VmHWM:") {
      double kilobytes = 0;
      status >> kilobytes;
      return kilobytes / 1024;
    }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const Index many = argc > 1 ? std::atoll(argv[1]) : 10'000'000;
  const ThresholdModel truth = planted_threshold_model({.inputs = 20, .units = 10, .seed = 1});
  double before = 0, after = 0;
  for (const Index samples : {many / 10, many}) {
    const FirstLayerResult result = learn_lowest_layer(*threshold_samples(truth, {.samples = samples, .seed = 1}), {.units = 10});
    before = after;
    after = peak_megabytes();
    const double angle = support::worst_angle(truth.W, result.model.W);
    fmt::print("{:>10} samples: peak {:.0f} MB, worst direction {:.1e} rad, {}, {:.0f} s\n", samples, after, angle, name_of(result.status),
               result.seconds);
    std::fflush(stdout);
    if (angle > 1e-10) return 1;
  }
  fmt::print("ten times the samples take {:.1f} MB more (at most 50 allowed)\n", after - before);
  return after - before <= 50 ? 0 : 1;
}
