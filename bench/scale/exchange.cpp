// What the exchange of one sum costs each rank: messages and bytes (sent and received), counted by ranks that are threads, for 2 to
// 1024 ranks. Must hold from 8 ranks on: at most 4 log2(R) messages and 4 size log2(R) bytes for every rank (between fewer, at most
// 10 of both). With everybody's bytes to everybody (a communicator without messages) each rank receives R times the size.
// usage: bench_scale_exchange [SIZE in doubles]
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "support/thread_ranks.hpp"
#include "support/vector_sum.hpp"

int main(int count, char** arguments) {
  using namespace relucover;
  const Index size = count > 1 ? std::atol(arguments[1]) : 2000;
  const double bytes = static_cast<double>(size * 8);
  bool held = true;
  fmt::print("{:>6} {:>8} {:>16} {:>12} {:>22} {:>14}\n", "ranks", "samples", "most messages", "allowed", "most bytes / size", "allowed");
  for (const Index samples : {Index{5000}, Index{1'000'000}, Index{40'000'000}}) {
    const auto source = synthetic_samples(planted_network({.inputs = 1, .units = 1}), {.samples = samples});
    for (const int ranks : {2, 3, 5, 8, 40, 64, 100, 256, 777, 1024}) {
      if (samples > 1'000'000 && ranks != 3 && ranks != 777 && ranks != 1024) continue;  // more chunks, same exchange
      test::ThreadRanks all(ranks, test::RankTalk::messages);
      all.run([&](const Communicator& rank) { reduce(*source, test::VectorSum(size), Control(1).with_ranks(&rank)); });
      test::Traffic most;
      for (const test::Traffic& of : all.traffic()) {
        most.messages = std::max(most.messages, of.messages);
        most.bytes = std::max(most.bytes, of.bytes);
      }
      const double bound = ranks < 8 ? 10 : 4 * std::log2(ranks), sizes = static_cast<double>(most.bytes) / bytes;
      const bool fine = static_cast<double>(most.messages) <= bound && sizes <= 1.01 * bound;  // numbers of rows and columns travel too
      held &= fine;
      fmt::print("{:>6} {:>8.0e} {:>16} {:>12.1f} {:>22.2f} {:>14.1f}{}\n", ranks, static_cast<double>(samples), most.messages, bound,
                 sizes, bound, fine ? "" : "  too many");
    }
  }
  return held ? 0 : 1;
}
