// GKLW section 4 (CP decomposition by alternating least squares): how often one random start finds all units, how often the best of
// ten by its residual does, what more iterations change, and what other ways find in the same span. Errors are of the method before
// gradient descent. Usage: alternating_start [SEEDS] [SIDE]
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "core/random.hpp"
#include "decompose/rank_one_span.hpp"
#include "learners/vector/pure_neuron_start.hpp"
#include "moments/quadratic_fit.hpp"
#include "networks/squared_errors.hpp"
#include "relucover/relucover.hpp"
#include "samples/vector_instances.hpp"

using namespace relucover;

namespace {

const Control one_thread(1);

/// The true pure neurons (rows of the inverse of A, which is orthonormal here) that no row of z is within a tenth of.
Index missed(const Network& truth, const Matrix& z) {
  const Matrix overlap = (truth.A.transpose().rowwise().normalized() * z.rowwise().normalized().transpose()).cwiseAbs();
  return (overlap.rowwise().maxCoeff().array() < 0.995).count();
}

struct Line {
  int all = 0;       // runs that found every unit
  Index missed = 0;  // units missed, summed
};

}  // namespace

int main(int count, char** arguments) {
  const int seeds = count > 1 ? std::atoi(arguments[1]) : 10;
  const Index side = count > 2 ? std::atoi(arguments[2]) : 32;
  std::printf("%s", fmt::format("{0}x{0}, {1} seeds: runs that find every unit / units missed in all\nsamples  one start, 200 steps  one "
                                "start, 2000 steps  best of 10, 200 steps  one random pair    30 pairs, pooled\n",
                                side, seeds)
                        .c_str());
  for (const Index samples : {2000, 5000, 10000, 20000}) {
    Line lines[5];
    for (int seed = 0; seed < seeds; ++seed) {
      const auto at = static_cast<std::uint64_t>(1000 + seed);
      const Network truth = vector_network({.inputs = side, .units = side, .outputs = side, .seed = at});
      const auto source = synthetic_samples(truth, {.samples = samples, .seed = at});
      const Matrix identity = Matrix::Identity(side, side);
      const Matrix linear = 0.5 * single_neurons(*source, one_thread, 0, samples);
      const PureNeuronMoments moments = pure_neuron_moments(*source, identity, linear, one_thread, 0, samples);
      const Matrix span = null_span_of_detector(moments.detector, side).basis;
      const auto als = [&](Index restarts, Index iterations) {
        RandomStream random(at, purpose::pencil);
        return alternating_least_squares(span, side, random, one_thread,
                                         {.restarts = restarts, .iterations = iterations, .tolerance = iterations > 200 ? 0.0 : 1e-7});
      };
      RandomStream random(at, purpose::pencil);
      const Matrix found[5] = {als(1, 200), als(1, 2000), als(10, 200), eigenvectors_of_random_pair(span, side, random),
                               rank_one_vectors(span, side, random, one_thread).rows};
      for (int i = 0; i < 5; ++i) {
        const Index lost = found[i].rows() < side ? side : missed(truth, found[i]);
        lines[i].all += lost == 0;
        lines[i].missed += lost;
      }
    }
    std::printf("%7ld", static_cast<long>(samples));
    for (const Line& line : lines) std::printf("  %3d of %-3d / %-9ld", line.all, seeds, static_cast<long>(line.missed));
    std::printf("\n");
    std::fflush(stdout);
  }
  return 0;
}
