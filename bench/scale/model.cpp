// What one sum over all samples takes on R cores:  time = N c / R (1 + i) + (2 log2 R + 3) (latency + S / bandwidth) + log2 R · S / merging
// with c the time for a sample, i the unevenness of shares, S the bytes of the sum. Measures c and merging on one core, latency and
// bandwidth between two ranks of one machine, and predicts 1e10 samples on many cores: with those, and with a network's (given, or
// 5 µs and 1 GB/s).
// usage: mpirun -n 2 bench_scale_model [LATENCY in s] [BANDWIDTH in bytes/s]   (without mpirun: the network's figures alone)
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "core/archive.hpp"
#include "core/blas.hpp"
#include "core/module.hpp"
#include "core/random.hpp"
#include "distributed/mpi_module.hpp"
#include "reduce/cut.hpp"
#include "reduce/reduce.hpp"
#include "samples/subsample.hpp"
#include "solve/normal_equations.hpp"

namespace {

using namespace relucover;

double seconds_of(const auto& work) {
  std::vector<double> times;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  std::sort(times.begin(), times.end());
  return times[2];
}

struct Wire {
  std::string name;
  double latency, bandwidth;
};

/// There and back between the first two ranks.
Wire measured_wire(const Communicator& ranks) {
  const auto there_and_back = [&](std::size_t size) {
    const std::string bytes(size, 'x');
    constexpr int times = 20;
    return seconds_of([&] {
             for (int k = 0; k < times; ++k)
               if (ranks.rank() == 0) {
                 ranks.send(bytes, 1);
                 ranks.receive(1);
               } else if (ranks.rank() == 1) {
                 ranks.receive(0);
                 ranks.send(bytes, 0);
               }
           }) /
           (2 * times);
  };
  constexpr std::size_t large = 1 << 23;
  const double latency = there_and_back(8);
  return {"two ranks of this machine", latency, large / std::max(1e-9, there_and_back(large) - latency)};
}

struct Pass {
  std::string name;
  double seconds_for_a_sample, bytes, bytes_merged_in_a_second;
};

template <class Reduction>
Pass measured_pass(const std::string& name, const SampleSource& samples, const Reduction& empty) {
  const Control control(1);
  const double seconds = seconds_of([&] { reduce(samples, empty, control); });
  const Reduction sum = reduce(samples, empty, control);
  const auto bytes = static_cast<double>(pack(sum).size());
  Reduction into = sum;
  constexpr int times = 50;
  const double merging = seconds_of([&] {
                           for (int k = 0; k < times; ++k) merge_into(into, sum);
                         }) /
                         times;
  return {name, seconds / static_cast<double>(samples.samples()), bytes, bytes / merging};
}

SignFreeModel some_model(Index inputs, Index units) {
  SignFreeModel model(inputs, units, 1);
  RandomStream random(1, purpose::starts, 0);
  for (Index i = 0; i < units; ++i) model.theta.row(i) = random.normal_vector(inputs + 1).transpose();
  model.output.setOnes();
  return model;
}

std::vector<Pass> measured_passes() {
  std::vector<Pass> passes;
  {
    const auto samples = synthetic_samples(planted_network({.inputs = 20, .units = 10}), {.samples = 65536});
    const MemorySource<double> memory = gather(*samples, 0, samples->samples(), Control(1));
    const SignFreeModel model = some_model(20, 10);
    passes.push_back(measured_pass("20-10, cost and gradient", memory, GradientSum(model, Loss{})));
    passes.push_back(measured_pass("20-10, normal equations", memory, NormalSum(model, Loss{})));
  }
  const auto samples = synthetic_samples(planted_network({.inputs = 784, .units = 128}), {.samples = 16384});
  const MemorySource<double> memory = gather(*samples, 0, samples->samples(), Control(1));
  const SignFreeModel model = some_model(784, 128);
  SignPattern pattern(memory.samples(), model.units());
  passes.push_back(measured_pass("784-128, one product", memory, PatternCurvatureSum<float>(model, pattern, model, true)));
  return passes;
}

void predict(const Pass& pass, const Wire& wire, double samples) {
  const Cut cut(static_cast<Index>(samples), 21);
  for (const int ranks : {1, 64, 1024}) {
    const RankShares shares(cut.chunks(), ranks);
    Index most = 0;
    for (int rank = 0; rank < ranks; ++rank) most = std::max(most, shares.of(rank).chunks());
    const double work = pass.seconds_for_a_sample * std::min(samples, static_cast<double>(most * cut.chunk_rows));
    const double levels = std::ceil(std::log2(ranks));
    const double talk =
        ranks == 1 ? 0
                   : (2 * levels + 3) * (wire.latency + pass.bytes / wire.bandwidth) + levels * pass.bytes / pass.bytes_merged_in_a_second;
    fmt::print("  {:<28} {:>5} cores: {:>10.3g} s of work, {:>9.2g} s of exchange: {:>9.3g} s ({:.0f}% of {} times as fast)\n", pass.name,
               ranks, work, talk, work + talk, 100 * pass.seconds_for_a_sample * samples / (work + talk) / ranks, ranks);
  }
}

}  // namespace

int main(int count, char** arguments) {
  const SingleThreadedBlas single_threaded;
  const char* launched = std::getenv("OMPI_COMM_WORLD_SIZE");
  EndableCommunicator* ranks = nullptr;
  if (launched != nullptr && std::atoi(launched) > 1)
    ranks = reinterpret_cast<MpiModuleEntry>(
        module_entry(mpi_module_file, mpi_module_entry, {mpi_module_file, "ranks are joined by a module", "build it"}, true))();
  std::vector<Wire> wires = {
      {"a network (assumed)", count > 1 ? std::atof(arguments[1]) : 5e-6, count > 2 ? std::atof(arguments[2]) : 1e9}};
  if (ranks != nullptr) wires.push_back(measured_wire(*ranks));
  if (ranks == nullptr || ranks->rank() == 0) {
    const auto passes = measured_passes();
    for (const Pass& pass : passes)
      fmt::print("{:<28} {:>9.3g} s for a sample, {:>9.3g} bytes, merged at {:.2g} bytes/s\n", pass.name, pass.seconds_for_a_sample,
                 pass.bytes, pass.bytes_merged_in_a_second);
    for (const Wire& wire : wires) {
      fmt::print("{}: latency {:.2g} s, {:.2g} bytes/s; 1e10 samples\n", wire.name, wire.latency, wire.bandwidth);
      for (const Pass& pass : passes) predict(pass, wire, 1e10);
    }
  }
  if (ranks != nullptr) {
    ranks->broadcast("done");
    ranks->end();
  }
  return 0;
}
