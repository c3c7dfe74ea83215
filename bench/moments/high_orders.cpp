// Moments of order 5 and 6 by matrix products against the index-tuple loop: the same values first, then the time.
#include <cmath>
#include <cstdio>
#include <ctime>

#include "moments/hermite.hpp"
#include "moments/polynomials.hpp"

using namespace relucover;

namespace {

double seconds_since(std::clock_t begin) { return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC; }

/// (1/N) Σ y He_k(x), tuple by tuple and sample by sample.
SymmetricTensor by_loops(const SampleSource& source, Index order) {
  BlockBuffer<double> buffer;
  const auto block = source.read(0, source.samples(), buffer);
  const Index d = block.x.cols();
  SymmetricTensor tensor(d, order);
  const PackedIndex index(d, order);
  for (Index n = 0; n < block.rows(); ++n)
    for (Index place = 0; place < index.size(); ++place) {
      const int* tuple = index.tuple(place);
      double product = block.y(n, 0);
      for (Index t = 0; t < order;) {
        Index count = 1;
        while (t + count < order && tuple[t + count] == tuple[t]) ++count;
        product *= hermite(count, block.x(n, tuple[t]));
        t += count;
      }
      tensor.values[place] += product;
    }
  tensor.values /= static_cast<double>(block.rows());
  return tensor;
}

}  // namespace

int main() {
  constexpr Index inputs = 8, samples = 1000000, looped = 20000;
  const Network network = planted_network({.inputs = inputs, .units = 6, .seed = 1});
  const View view{Matrix::Identity(inputs, inputs), Vector::Zero(inputs), Vector::Ones(1)};
  std::printf("%6s %10s %14s %14s %8s %12s\n", "order", "inputs", "loop us/row", "product us/row", "ratio", "difference");
  bool good = true;
  for (const Index order : {5, 6}) {
    const auto few = synthetic_samples(network, {.samples = looped, .seed = 2});
    std::clock_t begin = std::clock();  // processor time: other work on the machine does not count
    const SymmetricTensor slow = by_loops(*few, order);
    const double loop = seconds_since(begin) / looped * 1e6;
    const SymmetricTensor fast = hermite_from_raw(residual_moments(*few, view, {{order, {}}}, Control(1))[0].raw);
    const double difference = (fast.values - slow.values).cwiseAbs().maxCoeff() / slow.values.cwiseAbs().maxCoeff();

    // Inputs drawn before the clock starts: memory, not the generator, is what is measured.
    const auto many = synthetic_samples(network, {.samples = samples, .seed = 3});
    BlockBuffer<double> buffer;
    const auto all = many->read(0, samples, buffer);
    const BorrowedSource<double> memory(all.x.data(), all.x.outerStride(), all.y.data(), all.y.outerStride(), samples, inputs, 1);
    begin = std::clock();
    residual_moments(memory, view, {{order, {}}}, Control(1));
    const double product = seconds_since(begin) / samples * 1e6;
    std::printf("%6ld %10ld %14.3f %14.3f %8.1f %12.2e\n", static_cast<long>(order), static_cast<long>(inputs), loop, product,
                loop / product, difference);
    good = good && difference < 1e-12 && loop / product >= 20;
  }
  std::printf("%s\n", good ? "good: at least 20 times faster, same values to 1e-12" : "BAD");
  return good ? 0 : 1;
}
