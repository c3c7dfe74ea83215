// Throughput of the Gram reduction (samples in blocks, signs applied, threads, fixed merge order) against the rate of
// OpenBLAS alone on the same shapes. The answer is checked before its time counts.
//   bench_reduce_gram [inputs] [units] [samples]
#include <cblas.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <functional>

#include "core/blas.hpp"
#include "reduce/reduce.hpp"
#include "relucover/relucover.hpp"
#include "solve/sums.hpp"

using namespace relucover;

namespace {

double best_seconds(int repeats, const std::function<void()>& work) {
  double best = 1e300;
  for (int i = 0; i < repeats; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  const Index inputs = argc > 1 ? std::atoll(argv[1]) : 20, units = argc > 2 ? std::atoll(argv[2]) : 20;
  const Index samples = argc > 3 ? std::atoll(argv[3]) : 20000;
  const SingleThreadedBlas single_threaded;
  const auto source = synthetic_samples(planted_network({.inputs = inputs, .units = units, .seed = 1}), {.samples = samples, .seed = 1});
  BlockBuffer<double> buffer;
  source->read(0, samples, buffer);
  const MemorySource<double> data(buffer.x, buffer.y);
  const SignFreeModel model = sign_free(planted_network({.inputs = inputs, .units = units, .seed = 2}));
  const Index columns = (units + 1) * (inputs + 1);

  // Plain OpenBLAS: one symmetric rank-k update of the whole signed matrix, formed beforehand.
  RowMatrix jacobian(samples, columns);
  SeenBlock seen;
  seen.look(data.read(0, samples, buffer), model, Loss{});
  const RowMatrix signs = seen.signs();
  for (Index n = 0; n < samples; ++n) {
    for (Index i = 0; i < units; ++i) jacobian.row(n).segment(i * (inputs + 1), inputs + 1) = signs(n, i) * seen.x.row(n);
    jacobian.row(n).tail(inputs + 1) = seen.x.row(n);
  }
  Matrix plain(columns, columns);
  const double plain_seconds = best_seconds(5, [&] {
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, static_cast<int>(columns), static_cast<int>(samples), 1, jacobian.data(),
                static_cast<int>(columns), 0, plain.data(), static_cast<int>(columns));
  });
  NormalSum reduced(model, Loss{});
  const double reduced_seconds = best_seconds(5, [&] { reduced = reduce(data, NormalSum(model, Loss{}), Control(1)); });
  const Matrix expected = plain.selfadjointView<Eigen::Lower>();
  double difference = 0;
  for (Index i = 0; i <= units; ++i)
    for (Index j = 0; j <= units; ++j)
      difference += (reduced.block(i, j) - expected.block(i * (inputs + 1), j * (inputs + 1), inputs + 1, inputs + 1)).squaredNorm();
  const double error = std::sqrt(difference) / expected.norm();
  const double flops = static_cast<double>(samples) * static_cast<double>(columns) * static_cast<double>(columns + 1);
  fmt::print("{} samples, {} columns: relative difference {:.1e}\n", samples, columns, error);
  fmt::print("{:<28}{:>10.1f} GFlop/s\n{:<28}{:>10.1f} GFlop/s\n", "OpenBLAS alone", flops / plain_seconds * 1e-9, "Gram reduction",
             flops / reduced_seconds * 1e-9);
  const double ratio = plain_seconds / reduced_seconds;
  fmt::print("ratio {:.2f} (at least 0.70 demanded)\n", ratio);
  return error < 1e-12 && ratio >= 0.7 ? 0 : 1;
}
